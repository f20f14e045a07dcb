"""Lines in byte order, whether they fit into memory or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from weft.store.sorted_lines import MERGED_BYTES, SortedLines


def lines_in_disorder(count: int) -> list[bytes]:
    lines = [b"%d" % (n % 37) + b"x" * (n % 200) for n in range(count)]
    random.Random(count).shuffle(lines)
    return lines


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 95, 1_000])
def test_lines_come_in_byte_order_and_none_is_lost(count: int, tmp_path: Path) -> None:
    lines = lines_in_disorder(count)
    ordered = SortedLines(lines, tmp_path, run_lines=10)
    assert ordered.count == count
    assert list(ordered) == sorted(lines)


def test_runs_of_any_length_may_be_added(tmp_path: Path) -> None:
    lines = lines_in_disorder(5_000)
    ordered = SortedLines(lines[:7], tmp_path)
    for start, end in ((7, 8), (8, 8), (8, 3_000), (3_000, 5_000)):
        ordered.add(lines[start:end])
    assert ordered.count == len(lines)
    assert list(ordered) == sorted(lines)


def test_many_runs_are_read_in_parts_smaller_than_a_line(tmp_path: Path) -> None:
    lines = [line + b"x" * 9_000 for line in lines_in_disorder(1_000)]
    assert MERGED_BYTES // len(lines) < 9_000
    assert list(SortedLines(lines, tmp_path, run_lines=1)) == sorted(lines)


def test_the_file_with_the_runs_has_no_name_and_goes_with_its_reader(tmp_path: Path) -> None:
    ordered = SortedLines(lines_in_disorder(30), tmp_path, run_lines=10)
    assert list(tmp_path.iterdir()) == []
    next(iter(ordered))
    ordered.close()
    ordered.close()
