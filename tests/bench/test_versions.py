"""Two versions beside each other: medians, and how far the rounds are apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.table import NONE, Round
from bench.tools import PROJECT
from bench.versions import copy_without_c, line_of, spread_of


def round_of(cpu_s: float, pages: int = 100, failure: str = "") -> Round:
    return Round("now", pages, 1.0, cpu_s, 0, 0.0, 0, 0, failure=failure)


def test_the_median_of_the_rounds_and_their_spread() -> None:
    found = spread_of([round_of(0.06), round_of(0.05), round_of(0.055), round_of(9.0, failure="it ended early")])
    assert found is not None
    assert (found.rounds, found.median_ms, found.least_ms, found.most_ms) == pytest.approx((3, 0.55, 0.5, 0.6))
    assert found.share == pytest.approx(0.1 / 0.55)


def test_a_line_has_the_ratio_of_the_medians() -> None:
    before, now = spread_of([round_of(0.050)]), spread_of([round_of(0.051)])
    assert line_of("a", before, now)[-1] == "1.020"


def test_a_version_that_never_succeeded_has_no_figures() -> None:
    assert spread_of([round_of(1.0, failure="x"), round_of(1.0, pages=0)]) is None
    assert set(line_of("a", None, spread_of([round_of(0.05)]))[1:]) == {NONE}


def test_a_version_without_c_is_that_version_with_none_of_its_parts_in_c(tmp_path: Path) -> None:
    copy = copy_without_c(PROJECT / "src", tmp_path / "copy")
    assert not list(copy.rglob("*.so"))
    asked = "import weft.fetch.head, weft.parse.scan, weft.store.writer; print(weft.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    told = subprocess.run(
        [sys.executable, "-c", asked], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(told.stdout.strip()).is_relative_to(copy)
