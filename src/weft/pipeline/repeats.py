"""A redirect that sets a cookie and leads back: the URL is asked for once more, with the cookie.

    /page ──302, Set-Cookie──▶ /page
    /page ──302──▶ /check?back=/page ──302, Set-Cookie──▶ /page

Both are known by then, and a URL that is known is not asked for again. This one is, if the cookies that it would be
sent are others than it was sent before. So nothing happens where cookies are not kept (`--cookies`), and a server that
sets a new cookie each time is asked MAX_REPEATS times more. A repeat with the cookies of the time before does not
count: those of a crawl that was repaired are gone, and come again in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from weft.fetch.cookies import fingerprint
from weft.state import Batch, State
from weft.types import Fetched, FoundLink, PageRow, Visit
from weft.url import url_id

MAX_REPEATS: Final = 1
PageOf = Callable[[bytes], PageRow | None]  # the row of a URL id


class RepeatRow(msgspec.Struct, array_like=True):
    """A redirect as it was last asked for."""

    sent: int  # fingerprint of the cookies that were sent
    repeats: int = 0
    is_queued: bool = False  # to be asked for again


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RepeatRow).decode


class Repeats:
    """Which redirects may be asked for again. `cookies_for` returns the Cookie header of a request for a URL now."""

    def __init__(self, state: State, cookies_for: Callable[[str], bytes]) -> None:
        self._state = state
        self._cookies_for = cookies_for
        self._in_batch: dict[bytes, RepeatRow] = {}

    def follow(
        self, batch: Batch, visit: Visit, page: PageRow, fetched: Fetched, target: FoundLink, page_of: PageOf
    ) -> tuple[PageRow, bool]:
        """A redirect has come. Returns its row, and whether its target is to be asked for again."""
        self._note(batch, visit.id, fetched)
        leads_back = _leads_back(visit, target.id, page_of)
        known = page if target.id == visit.id else page_of(target.id)  # None: another engine has its host
        is_redirect = known is not None and 300 <= known.status < 400
        if is_redirect and (leads_back or fetched.header(b"set-cookie")) and self._admits(batch, target):
            return page, True
        return (msgspec.structs.replace(page, leads_back=True) if leads_back else page), False

    def _note(self, batch: Batch, id_: bytes, fetched: Fetched) -> None:
        """Remember with which cookies a redirect was asked for, if with any."""
        sent = fetched.sent_cookies  # the request as it is kept does not tell them
        if (known := self._row(id_)) is not None:
            self._put(batch, id_, RepeatRow(sent, known.repeats + (known.sent != sent)))
        elif sent:
            self._put(batch, id_, RepeatRow(sent))

    def _admits(self, batch: Batch, target: FoundLink) -> bool:
        """Whether it would be sent other cookies than before; then it is asked for again."""
        if target.link.parts is not None and target.link.parts.method != "GET":
            return False  # nothing is posted twice
        cookies = self._cookies_for(target.link.url)
        known = self._row(target.id) or RepeatRow(fingerprint(b""))
        if not cookies or known.is_queued or known.repeats >= MAX_REPEATS or known.sent == fingerprint(cookies):
            return False
        self._put(batch, target.id, RepeatRow(known.sent, known.repeats, is_queued=True))
        return True

    def is_in_queue(self, id_: bytes, page: PageRow) -> bool:
        """Whether a redirect that has come is to be asked for again; once something else has come, it was."""
        return 300 <= page.status < 400 and (known := self._row(id_)) is not None and known.is_queued

    def settle(self) -> None:
        """The batch is written."""
        self._in_batch.clear()

    def _row(self, id_: bytes) -> RepeatRow | None:
        if id_ in self._in_batch:
            return self._in_batch[id_]
        row = self._state.get("repeat", id_)
        return _decode(row) if row is not None else None

    def _put(self, batch: Batch, id_: bytes, row: RepeatRow) -> None:
        self._in_batch[id_] = row
        batch.put("repeat", id_, _encode(row))


def _leads_back(visit: Visit, target_id: bytes, page_of: PageOf) -> bool:
    """Whether the target of a redirect is the URL itself, or one of the redirects that led to it."""
    if target_id == visit.id:
        return True
    via = visit.link.via
    for _ in range(visit.link.redirects):
        via_id = url_id(via)
        if via_id == target_id:
            return True
        if (page := page_of(via_id)) is None:  # another machine has it; too many redirects are refused in any case
            return False
        via = page.via
    return False
