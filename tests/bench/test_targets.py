from __future__ import annotations

import msgspec
import pytest

from bench.table import Row
from bench.targets import AUTOMATIC, Found, Target, alike_line, late_line, must_hold, targets
from bench.tools import AS_MANY_AS_SPIDER, NO_ARCHIVE


def _row(tool: str, pages_per_s: float, cpu_ms: float = 1.0) -> Row:
    return Row(tool, rounds=1, pages=100, pages_per_s=pages_per_s, cpu_ms=cpu_ms)


def _line(found: Found, start: str) -> Target:
    return next(line for line in targets(found) if line.what.startswith(start))


def test_a_target_that_the_run_does_not_tell_neither_holds_nor_fails() -> None:
    lines = targets(Found({}))
    assert {line.holds for line in lines} == {None}
    assert must_hold(lines).count("not measured") == len(lines)


def test_a_ratio_is_of_rows_of_the_same_corpus() -> None:
    found = Found({"a": [_row("weft", 1000), _row("spider", 25)], "b": [_row("weft", 10), _row("spider", 20)]})
    assert _line(found, "2. a: weft ÷ spider").measured == 40
    assert _line(found, "2. a: weft ÷ spider").holds
    assert _line(found, "2. b: weft ÷ spider").holds is False


def test_an_upper_bound_holds_from_below() -> None:
    assert Target("less is better", 1.9, 2.0, is_upper_bound=True).holds
    assert Target("less is better", 2.1, 2.0, is_upper_bound=True).holds is False


def test_wget2_is_taken_by_the_cheaper_of_its_rows() -> None:
    rows = [_row("weft", 1, cpu_ms=0.4), _row("wget2", 9, cpu_ms=0.4), _row("wget2, 5 threads", 8, cpu_ms=0.1)]
    assert _line(Found({"a": rows}), "1. a: weft ÷ wget2, CPU").measured == pytest.approx(4)


def test_where_responses_wait_spider_is_met_with_as_many_connections_as_it_takes() -> None:
    found = Found({"c": [_row("weft", 1000), _row(AS_MANY_AS_SPIDER, 3000), _row("spider", 2000), _row("wget2", 900)]})
    assert _line(found, "2. c: weft ÷ spider").measured == pytest.approx(1.5)
    assert _line(found, "2. c: weft ÷ wget2").holds


def test_spider_s_one_website_is_met_by_weft_without_an_archive() -> None:
    found = Found({"b": [_row("weft", 1), _row(NO_ARCHIVE, 12), _row("spider", 5), _row("spider, one website", 10)]})
    assert _line(found, "2. b: weft, no archive").measured == pytest.approx(1.2)
    assert _line(found, "2. b: weft ÷ spider").measured == pytest.approx(0.2)


def test_late_responses_are_bound_by_connections_and_latency() -> None:
    found = Found({"b": [_row("weft", 3000)], "c": [_row("weft", 1900)]})
    assert _line(found, "3. c: weft ÷ (connections").measured == pytest.approx(0.95)
    assert late_line(found).endswith("its CPU-bound rate on b 3,000, connections ÷ latency 2,000: 95 % of that")


def test_of_those_with_connections_alike_it_is_told_how_many_requests_each_had_at_once() -> None:
    rows = [_row("spider", 2000), _row(AS_MANY_AS_SPIDER, 3000)]
    spider, alike = (msgspec.structs.replace(row, most_busy=1500, average_busy=580.4) for row in rows)
    line = alike_line(Found({"c": [_row("weft", 1), spider, alike]}))
    assert line.endswith("spider 1,500 and 580; weft, spider's connections 1,500 and 580")


def test_the_automatic_setting_is_measured_beside_the_best_fixed_one() -> None:
    found = Found({"d fixed": [_row(AUTOMATIC, 96), _row("weft, 64 × 1", 50), _row("weft, 256 × 2", 100)]})
    line = _line(found, "4. d: automatic ÷ best fixed setting (256 × 2)")
    assert line.measured == pytest.approx(0.96)
    assert line.holds


def test_an_aim_that_is_not_reached_is_no_failure() -> None:
    found = Found({"a": [_row("weft", 1, cpu_ms=3.0), _row("wget2", 1, cpu_ms=1.0)]})
    assert "not yet (an aim)" in must_hold([_line(found, "1. a: weft ÷ wget2")])
