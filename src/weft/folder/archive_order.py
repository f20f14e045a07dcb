"""Rows of pages in the order in which the archive holds them, so that it is read from its beginning to its end.

The crawl's index has them in no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from weft.errors import told_in_words
from weft.store.sorted_lines import SortedLines
from weft.types import PageRow

RUN_ROWS = 20_000  # sorted in memory at once: some 10 MB
OFFSET_BITS = 40  # a WARC file is shorter than a terabyte
OFFSET_MASK = (1 << OFFSET_BITS) - 1
_PLACE_DIGITS = 16  # of 64 bits, in hexadecimal

_encode = msgspec.json.Encoder().encode
decode_row = msgspec.json.Decoder(PageRow).decode


def archive_order(row: PageRow) -> int:
    """Where a page's record lies, as one number: the archive's order is theirs."""
    return row.file << OFFSET_BITS | row.offset


class SortedRows:
    """Rows by their places; `count` is how many. They can be had once."""

    def __init__(self, rows: Iterable[PageRow], scratch: Path, run_rows: int = RUN_ROWS) -> None:
        with told_in_words("the order of the pages"):
            self._lines = SortedLines((b"%016x" % archive_order(row) + _encode(row) for row in rows), scratch, run_rows)
        self.count = self._lines.count
        self.close = self._lines.close  # the rest is not wanted

    def __iter__(self) -> Iterator[PageRow]:
        return (decode_row(line[_PLACE_DIGITS:]) for line in self._lines)

    def encoded(self) -> Iterator[tuple[int, int, bytes]]:
        """File, offset and encoded row of each, for whoever only hands them on; `decode_row` reads them."""
        for line in self._lines:
            place = int(line[:_PLACE_DIGITS], 16)
            yield place >> OFFSET_BITS, place & OFFSET_MASK, line[_PLACE_DIGITS:]
