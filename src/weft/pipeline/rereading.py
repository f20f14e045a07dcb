"""Pages whose links are to be read again from the archive, chosen by what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weft.folder.page_rows import decode_page
from weft.state import State
from weft.types import PageRow

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger


def relax_where(ledger: Ledger, state: State, is_meant: Callable[[PageRow], bool]) -> None:
    """Have the links of these pages read again."""
    for url_id, row in state.scan("page"):
        if is_meant(decode_page(row)) and state.get("relax", url_id) is None:
            batch = ledger.batch()
            ledger.rereads.add(batch, url_id)
            ledger.write(batch)
