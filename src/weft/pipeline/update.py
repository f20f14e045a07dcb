"""An update begins: every URL that was visited returns to the queue, and its row becomes history."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from weft.folder.history import AFTER_KEPT, FILES, KEPT, UPDATE, put_earlier
from weft.folder.page_rows import decode_page
from weft.state import State

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

REQUEUEING, ASKING = b"requeueing", b"asking"
ROWS_PER_BATCH = 500


def begin_update(ledger: Ledger, state: State, *, wanted: bool) -> None:
    """Send every URL that was visited back to the queue; or go on doing so, if an earlier run was stopped at it."""
    phase = state.get("meta", UPDATE)
    batch = ledger.batch()
    batch.delete("meta", FILES)
    ledger.write(batch)
    if not wanted and phase != REQUEUEING:
        return
    batch = ledger.batch()
    batch.put("meta", UPDATE, REQUEUEING)
    batch.delete_range("mirror", KEPT, AFTER_KEPT)
    ledger.write(batch)
    start = b""
    while rows := list(islice(state.scan("page", start), ROWS_PER_BATCH)):
        batch = ledger.batch()
        for url_id, row in rows:
            put_earlier(state, batch, url_id, decode_page(row))
        ledger.visit_again(batch, [url_id for url_id, _ in rows])
        ledger.write(batch)
        start = rows[-1][0] + b"\0"
    batch = ledger.batch()
    batch.put("meta", UPDATE, ASKING)
    ledger.write(batch)
