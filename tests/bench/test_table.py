from __future__ import annotations

import pytest

from bench.table import Round, summed_up, table


def _round(tool: str, *, pages: int = 100, seconds: float = 1.0, cpu_s: float = 0.1, missed: int | None = 0) -> Round:
    return Round(tool, pages, seconds, cpu_s, 5_000_000, 0.01, missed, 0)


def _cells(text: str, tool: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(tool)).split()


def test_a_row_has_the_median_of_its_runs() -> None:
    row = summed_up("weft", [_round("weft", seconds=s, cpu_s=c) for s, c in ((1, 0.1), (2, 0.2), (4, 0.9))])
    assert (row.rounds, row.pages_per_s) == (3, 50)
    assert row.cpu_ms == pytest.approx(2)


def test_speed_and_cpu_say_how_many_times_better_weft_is() -> None:
    rows = [
        summed_up("weft", [_round("weft", pages=400)]),
        summed_up("wget2", [_round("wget2", pages=200, cpu_s=0.1)]),
        summed_up("scrapy", [_round("scrapy", pages=10)]),
    ]
    assert _cells(table(rows), "scrapy")[-3:] == ["40.00", "40.00", "20.00"]
    assert _cells(table(rows), "wget2")[-3:] == ["2.00", "2.00", "1.00"]


def test_a_tool_that_was_stopped_has_not_missed_anything() -> None:
    row = summed_up("scrapy", [_round("scrapy", missed=None, seconds=8)])
    assert row.missed is None
    assert "stopped after 8 s" in row.notes[0]


def test_a_tool_that_is_not_there_has_a_line_that_says_why() -> None:
    shown = table([summed_up("weft", [_round("weft")]), summed_up("spider", [], "there is no node here")])
    assert set(_cells(shown, "spider")[1:]) == {"–"}
    assert "spider: there is no node here" in shown


def test_a_run_that_failed_counts_for_nothing_but_is_told() -> None:
    failed = Round("weft", 3, 1.0, 0.1, 1, 0.1, None, 0, failure="failed with exit code 1")
    row = summed_up("weft", [failed, _round("weft")])
    assert (row.rounds, row.pages) == (1, 100)
    assert row.notes == ["failed with exit code 1"]


def test_what_a_tool_fetched_against_robots_txt_is_told() -> None:
    rude = Round("wget", 100, 1.0, 0.1, 1, 0.1, 0, 0, forbidden=7, asked_for_robots=False)
    assert summed_up("wget", [rude]).notes == [
        "it asked for no robots.txt",
        "it fetched 7 pages that robots.txt forbids",
    ]


def test_cpu_is_compared_with_the_cheaper_row_of_wget2() -> None:
    rows = [
        summed_up("weft", [_round("weft", cpu_s=0.4)]),
        summed_up("wget2", [_round("wget2", cpu_s=0.2)]),
        summed_up("wget2, 5 threads", [_round("wget2, 5 threads", cpu_s=0.1)]),
        summed_up("wget2, gone", [], "not installed"),
    ]
    assert _cells(table(rows), "weft")[-1] == "4.00"
