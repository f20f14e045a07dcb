"""The rows of pages and side records: made from a visit, and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from weft.state import State
from weft.types import (
    Fetched,
    Link,
    Original,
    Outcome,
    PageRow,
    Processed,
    Refusal,
    RequestParts,
    SideRow,
    Timing,
    Visit,
)
from weft.url import ID_BYTES, host_of
from weft.url.ids import identity

decode_page = msgspec.msgpack.Decoder(PageRow).decode
_decode_side = msgspec.msgpack.Decoder(SideRow).decode


def pages_in(state: State) -> Iterator[PageRow]:
    """All page rows."""
    return (decode_page(row) for _, row in state.scan("page"))


def sides_in(state: State) -> Iterator[tuple[int, int, SideRow]]:
    """All records that are no page's: file, offset, row."""
    for key, row in state.scan("side"):
        yield int.from_bytes(key[:4], "big"), int.from_bytes(key[4:], "big"), _decode_side(row)


def visits_by_host(state: State) -> Counter[str]:
    """How many visits to each host have ended."""
    return Counter(host_of(page.url) for page in pages_in(state))


def over_key(visit: Visit, limit: Refusal) -> bytes:
    """The key in `over` of a visit that a limit refused. One too deep is looked for when it is found nearer."""
    return visit.id if limit is Refusal.DEPTH else visit.key


def limit_over(key: bytes) -> Refusal:
    """The limit that refused a row of `over`: the keys of queue rows are longer than ids."""
    return Refusal.DEPTH if len(key) == ID_BYTES else Refusal.HOST_BUDGET


def link_of(page: PageRow) -> Link:
    """The link that a page was reached by."""
    return Link(
        page.url, page.depth, page.kind, page.via, page.redirects, hops=page.hops, seed=page.seed, parts=page.parts,
        beyond=page.beyond,
    )  # fmt: skip


def page_row(
    visit: Visit,
    depth: int,
    outcome: Outcome,
    fetched: Fetched | None,
    processed: Processed | None,
    original: Original | None,
    now: float,
    scope_seeds: int = 0,
) -> PageRow:
    """The row of a visit that has ended."""
    link = visit.link
    processed = processed or Processed()
    at = processed.location
    return PageRow(
        url=link.url,
        status=fetched.status if fetched else 0,
        fetched_at=fetched.started_at if fetched else now,
        depth=depth,
        outcome=outcome,
        mime=processed.mime,
        digest=at.digest if at else "",
        file=at.file if at else 0,
        offset=at.offset if at else 0,
        length=at.length if at else 0,
        body_bytes=fetched.body_bytes if fetched else 0,
        charset=processed.charset,
        title=processed.title,
        via=link.via,
        kind=link.kind,
        redirects=link.redirects,
        truncated=(fetched.truncated or "") if fetched else "",
        noindex=processed.noindex,
        address=fetched.address if fetched else visit.address,
        attempts=link.attempts + 1,
        timing=fetched.timing if fetched else Timing(),
        hops=link.hops,
        seed=link.seed,
        original=original if at and at.is_revisit else None,
        unread=processed.unread,
        links_read_bytes=processed.links_read_bytes,
        outside=scope_seeds if Refusal.SCOPE in processed.refused else 0,
        parts=None if link.parts is None else kept_parts(link.parts, has_answer=fetched is not None),
        beyond=link.beyond,
    )


def kept_parts(parts: RequestParts, *, has_answer: bool) -> RequestParts:
    """What is kept of a request after its visit: once it is answered, no secret body, as nobody will send it again."""
    return identity(parts) if has_answer and parts.is_secret else parts
