"""What was left out is listed and summed up in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weft.folder.refused_list import left_out_in, write_refused
from weft.folder.refused_rows import RefusedRow, RuleRow
from weft.in_thread import Halted
from weft.state import Family
from weft.state.keys import rule_key
from weft.types import Link, Refusal
from weft.url import url_id

encode = msgspec.msgpack.Encoder().encode


class CountedRows:
    """Rows in memory; how often each family was read through."""

    def __init__(self, rows: dict[str, dict[bytes, bytes]]) -> None:
        self.rows = rows
        self.scans: Counter[str] = Counter()

    def get(self, family: Family, key: bytes) -> bytes | None:
        return self.rows.get(family, {}).get(key)

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        self.scans[family] += 1
        yield from sorted(self.rows.get(family, {}).items())


def refused(name: str, rule: str, *, withdrawn: bool = False) -> tuple[bytes, bytes]:
    link = Link(f"http://{name}.example/{rule}", 1)
    return url_id(link.url), encode(RefusedRow(link, Refusal.SCOPE, rule, withdrawn=withdrawn))


def rows() -> CountedRows:
    listed = dict([refused("a", "x"), refused("b", "x"), refused("c", "y"), refused("d", "z", withdrawn=True)])
    return CountedRows({"refused": listed, "rule": {rule_key("a.example", Refusal.SCOPE, "y"): encode(RuleRow(1, 5))}})


def test_what_is_listed_is_summed_up_meanwhile(tmp_path: Path) -> None:
    read = rows()
    sums = write_refused(tmp_path / "refused.jsonl", read, None)
    assert {family: count for family, count in read.scans.items() if count > 1} == {}
    assert [(one.rule, one.count) for one in sums] == [("y", 6), ("x", 2)]
    assert len((tmp_path / "refused.jsonl").read_bytes().splitlines()) == 5, "those that were withdrawn are listed"


def test_the_sums_are_those_of_the_rows_alone(tmp_path: Path) -> None:
    assert write_refused(tmp_path / "refused.jsonl", rows(), None) == left_out_in(rows(), None)


def test_whoever_cancels_does_not_wait_for_a_long_list(tmp_path: Path) -> None:
    path = tmp_path / "refused.jsonl"
    path.write_bytes(b"as it was\n")
    with pytest.raises(Halted):
        write_refused(path, rows(), None, is_halted=lambda: True)
    assert path.read_bytes() == b"as it was\n"
