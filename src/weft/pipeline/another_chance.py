"""Pages that return to the queue: their records are lost, or elsewhere, or a person asks for another try."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from weft.folder.page_rows import decode_page, link_of
from weft.state import Batch, State
from weft.types import Outcome, PageRow

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger


def visit_again(ledger: Ledger, batch: Batch, url_ids: Iterable[bytes]) -> None:
    """Queue pages that were visited, as if they never had been."""
    for url_id in url_ids:
        if (page := ledger.page(url_id)) is not None:
            batch.delete("undelivered", url_id)
            if url_id in ledger.rereads.waiting:
                ledger.rereads.waiting.remove(url_id)
            ledger.tally.take_back(batch, page)
            if page.simhash:
                ledger.similar.remove(batch, url_id, page.simhash)
            fetch_again(ledger, batch, url_id, page)


def fetch_again(ledger: Ledger, batch: Batch, url_id: bytes, page: PageRow) -> None:
    """Queue a page that must be read again and whose record is not here, as another machine has fetched it."""
    batch.delete("page", url_id)
    batch.delete("relax", url_id)  # its links will be read at the smallest depth anyway
    if page.parts is None or page.parts.body or not page.parts.is_secret:  # else nobody knows what to send
        ledger.put_back(batch, link_of(page))


def retry_failed(ledger: Ledger, state: State) -> None:
    """Give URLs another chance from which no response came: `weft resume --retry-failed`."""
    for url_id, row in state.scan("page"):
        page = decode_page(row)
        has_come = page.file or (page.status and not ledger.rereads.keeps_archive)
        if page.outcome is not Outcome.RESPONSE and not has_come:
            batch = ledger.batch()
            visit_again(ledger, batch, [url_id])
            ledger.write(batch)
