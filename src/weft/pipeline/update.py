"""An update: every URL that was visited returns to the queue, and its row becomes history (`weft.folder.history`)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from weft.fetch import Validators
from weft.folder.history import REREAD, UPDATE, UPDATE_AT, EarlierRow, History, put_earlier
from weft.folder.page_rows import decode_page
from weft.mirror.rows import FILES, forget_kept, is_damaged, note_of, put_kept
from weft.pipeline.another_chance import visit_again
from weft.state import Batch, State
from weft.types import Original, PageRow
from weft.url import is_own_request

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

REQUEUEING, ASKING = b"requeueing", b"asking"
ROWS_PER_BATCH = 500

_encode = msgspec.msgpack.Encoder().encode


class Earlier:
    """The answers of before, while an update is under way; where one of them still counts, the mirror is told why."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._history = History(state)
        self.rereads = state.get("meta", REREAD) is not None  # links of pages that it finds unchanged, too

    def validators(self, url_id: bytes) -> Validators | None:
        """By which to ask whether a page has changed; None if it is to be had again in any case."""
        return None if is_damaged(self._state, url_id) else self._history.validators(url_id)

    def original(self, url_id: bytes) -> Original | None:
        """The record that may hold what has just come again, if it can be read."""
        return None if is_damaged(self._state, url_id) else self._history.original(url_id)

    def which_counts(self, batch: Batch, url_id: bytes, page: PageRow) -> PageRow:
        """The new row, or the earlier one."""
        counts, reason = self._history.which_counts(batch, url_id, page)
        put_kept(batch, url_id, reason)
        return counts

    def refused(self, batch: Batch, url_id: bytes, reason: str) -> PageRow | None:
        """A URL is not asked after all: what was known of it still holds, if anything was."""
        page = self._history.page(url_id)
        if page is not None:
            batch.put("page", url_id, _encode(page))
            put_kept(batch, url_id, f"refused: {reason}")
        return page


def begin_update(ledger: Ledger, state: State, *, wanted: bool, now: float) -> None:
    """Send every URL that was visited back to the queue; or go on doing so, if an earlier run was stopped at it."""
    phase = state.get("meta", UPDATE)
    batch = ledger.batch()
    batch.delete("meta", FILES)
    ledger.write(batch)
    if not wanted and phase != REQUEUEING:
        return
    batch = ledger.batch()
    batch.put("meta", UPDATE, REQUEUEING)
    if phase != REQUEUEING:
        batch.put("meta", UPDATE_AT, repr(now).encode())
    forget_kept(batch)
    ledger.write(batch)
    start = b""
    while rows := list(islice(state.scan("page", start), ROWS_PER_BATCH)):
        batch = ledger.batch()
        pages = ((url_id, decode_page(row)) for url_id, row in rows)
        asked_again = {url_id: page for url_id, page in pages if not is_own_request(page.parts)}  # nothing is posted
        for url_id, page in asked_again.items():
            put_earlier(state, batch, url_id, EarlierRow(page, note_of(state, url_id)))
        visit_again(ledger, batch, asked_again)
        ledger.write(batch)
        start = rows[-1][0] + b"\0"
    batch = ledger.batch()
    batch.put("meta", UPDATE, ASKING)
    ledger.write(batch)
