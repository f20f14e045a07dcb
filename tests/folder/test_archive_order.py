"""Rows in the order of the archive, whether they fit into memory or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from weft.folder.archive_order import SortedRows, archive_order
from weft.store.sorted_lines import READ_BYTES
from weft.types import PageRow


def rows_in_disorder(count: int, title: str = "ü\n") -> list[PageRow]:
    rows = [
        PageRow(f"http://x.example/{n}", 200, n / 3, 1, file=n % 7 + 1, offset=n * 1_000_003, title=title)
        for n in range(count)
    ]
    random.Random(count).shuffle(rows)
    return rows


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 95, 100])
def test_rows_come_by_file_and_offset(count: int, tmp_path: Path) -> None:
    rows = rows_in_disorder(count)
    ordered = SortedRows(rows, tmp_path, run_rows=10)
    assert ordered.count == count
    assert list(ordered) == sorted(rows, key=lambda row: (row.file, row.offset))


def test_rows_longer_than_what_is_read_at_once_stay_whole(tmp_path: Path) -> None:
    rows = rows_in_disorder(12, title="t" * (READ_BYTES + 17))
    assert list(SortedRows(rows, tmp_path, run_rows=5)) == sorted(rows, key=archive_order)


def test_the_file_with_the_runs_has_no_name(tmp_path: Path) -> None:
    ordered = SortedRows(rows_in_disorder(30), tmp_path, run_rows=10)
    assert list(tmp_path.iterdir()) == []
    ordered.close()


def test_places_are_ordered_as_the_archive_is() -> None:
    rows = sorted(rows_in_disorder(100), key=lambda row: (row.file, row.offset))
    assert [archive_order(row) for row in rows] == sorted({archive_order(row) for row in rows})
