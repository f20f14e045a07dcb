"""The rows of pages and side records: made from a visit, and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from weft.state import State
from weft.types import (
    Fetched,
    Link,
    Location,
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
_decode_link = msgspec.msgpack.Decoder(Link).decode
_decode_side = msgspec.msgpack.Decoder(SideRow).decode

# In place of what a visit did not bring.
_UNPROCESSED = Processed()
_NOWHERE = Location(file=0, offset=0, length=0, end=0, digest="")
_NOTHING = Fetched(
    url="", address="", started_at=0.0, request=b"", status=0, head=b"", headers=(), body=None, spool=None,
    body_bytes=0, chunked=False, truncated=None, timing=Timing(),
)  # fmt: skip


def pages_in(state: State) -> Iterator[PageRow]:
    """All page rows."""
    return map(decode_page, encoded_pages_in(state))


def encoded_pages_in(state: State) -> Iterator[bytes]:
    """The same as they lie in the database."""
    return (row for _, row in state.scan("page"))


def sides_in(state: State) -> Iterator[tuple[int, int, SideRow]]:
    """All records that are no page's: file, offset, row."""
    for key, row in state.scan("side"):
        yield int.from_bytes(key[:4], "big"), int.from_bytes(key[4:], "big"), _decode_side(row)


def visits_by_host(state: State) -> Counter[str]:
    """How many visits to each host have ended, or had a first try that failed."""
    visits = Counter(host_of(page.url) for page in pages_in(state))
    links = (_decode_link(row) for _, row in state.scan("queue"))
    visits.update(host_of(link.url) for link in links if link.attempts or link.again)
    return visits


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
    processed = processed or _UNPROCESSED
    at = processed.location or _NOWHERE
    came = fetched or _NOTHING
    # In the order of its fields: by their names it takes three times as long.
    return PageRow(
        link.url,
        came.status,
        now if fetched is None else came.started_at,
        depth,
        outcome,
        processed.mime,
        at.digest,
        at.file,
        at.offset,
        at.length,
        came.body_bytes,
        processed.charset,
        processed.title,
        link.via,
        link.kind,
        link.redirects,
        came.truncated or "",
        processed.noindex,
        visit.address if fetched is None else came.address,
        link.attempts + 1,
        came.timing,
        link.hops,
        link.seed,
        original if at.is_revisit else None,
        unread=processed.unread,
        links_read_bytes=processed.links_read_bytes,
        outside=scope_seeds if Refusal.SCOPE in processed.refused else 0,
        parts=None if link.parts is None else kept_parts(link.parts, has_answer=fetched is not None),
        beyond=link.beyond,
    )


def kept_parts(parts: RequestParts, *, has_answer: bool) -> RequestParts:
    """What is kept of a request after its visit: once it is answered, no secret body, as nobody will send it again."""
    return identity(parts) if has_answer and parts.is_secret else parts
