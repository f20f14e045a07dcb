"""docs/benchmarks.md: its tables are written by `python -m bench --write`."""

from __future__ import annotations

import pytest

from bench.__main__ import DOCUMENT, has_place, indented


@pytest.mark.parametrize("name", ["run", "a", "b", "c", "f", "must hold", "d fixed"])
def test_the_page_has_a_place_for_each_table(name: str) -> None:
    assert has_place(DOCUMENT.read_text(), name)
    assert f"<!-- end of {name} -->" in DOCUMENT.read_text()


def test_a_table_is_shown_letter_by_letter() -> None:
    assert indented("tool  runs\n\nweft     3") == "    tool  runs\n\n    weft     3"
