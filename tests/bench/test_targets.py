from __future__ import annotations

import pytest

from bench.table import Row
from bench.targets import AUTOMATIC, Found, Target, bound_on_late, must_hold, targets


def _row(tool: str, pages_per_s: float, cpu_ms: float = 1.0) -> Row:
    return Row(tool, rounds=1, pages=100, pages_per_s=pages_per_s, cpu_ms=cpu_ms)


def _line(found: Found, start: str) -> Target:
    return next(line for line in targets(found) if line.what.startswith(start))


def test_a_target_that_the_run_does_not_tell_neither_holds_nor_fails() -> None:
    lines = targets(Found({}))
    assert {line.holds for line in lines} == {None}
    assert must_hold(lines).count("not measured") == len(lines)


def test_a_ratio_is_of_rows_of_the_same_corpus() -> None:
    found = Found({"a": [_row("weft", 1000), _row("scrapy, tuned", 25)], "b": [_row("weft", 10), _row("spider", 10)]})
    assert _line(found, "1. a: weft ÷ scrapy, tuned").measured == 40
    assert _line(found, "1. a: weft ÷ scrapy, tuned").holds
    assert _line(found, "2. b: weft ÷ spider, pages/s").holds is False


def test_an_upper_bound_holds_from_below() -> None:
    found = Found({"a": [_row("weft", 1000, cpu_ms=0.4), _row("weft, no scanner", 800, cpu_ms=1.0)]})
    assert _line(found, "1. a: weft, CPU").holds
    assert _line(found, "1. a: weft, no scanner, CPU").holds is False


def test_late_responses_are_bound_by_the_lower_of_cpu_and_connections() -> None:
    fast_on_b = Found({"b": [_row("weft", 3000)], "c": [_row("weft", 1900), _row("spider", 2000), _row("wget", 10)]})
    assert bound_on_late(fast_on_b) == (3000, 2000)
    assert _line(fast_on_b, "3. c: weft ÷ the lower").measured == pytest.approx(0.95)
    assert _line(fast_on_b, "3. c: weft ÷ the fastest peer (spider)").holds is False


def test_the_automatic_setting_is_measured_beside_the_best_fixed_one() -> None:
    found = Found({"d fixed": [_row(AUTOMATIC, 96), _row("weft, 64 × 1", 50), _row("weft, 256 × 2", 100)]})
    line = _line(found, "4. d: automatic ÷ best fixed setting (256 × 2)")
    assert line.measured == pytest.approx(0.96)
    assert line.holds


def test_an_aim_that_is_not_reached_is_no_failure() -> None:
    found = Found({"a": [_row("weft", 1, cpu_ms=2.0), _row("wget2", 1, cpu_ms=1.0)]})
    assert "not yet (an aim)" in must_hold([_line(found, "3. a: weft ÷ wget2")])
