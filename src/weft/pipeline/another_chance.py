"""URLs that are tried again because a person asks for it: `weft resume --retry-failed`."""

from __future__ import annotations

from weft.folder.page_rows import decode_page
from weft.pipeline.ledger import Ledger
from weft.state import State
from weft.types import Outcome


def retry_failed(ledger: Ledger, state: State) -> None:
    """Give URLs another chance from which no response came."""
    for url_id, row in state.scan("page"):
        page = decode_page(row)
        if page.outcome is not Outcome.RESPONSE and not page.file:
            batch = ledger.batch()
            ledger.visit_again(batch, [url_id])
            ledger.write(batch)
