"""The figures of `make bench-clean`, and their place in the docs."""

from __future__ import annotations

import pytest

from bench.clean.contest import PEERS_SAY, Entry
from bench.clean.contest_tables import TITLES, contest_rows, not_ahead
from bench.clean.design_reasons import reasons
from bench.clean.design_tables import (
    PAPER_S_PER_1000,
    SPEED_TITLES,
    TIME_TITLES,
    best_runs,
    speed_rows,
    time_rows,
    verdicts,
)
from bench.clean.document import DOCUMENT, NoMarkers, contest_part, experiment_part, with_part
from bench.clean.experiment import WEFT, Run, all_designs, is_weft
from bench.clean.likeness import Likeness
from bench.clean.stopwatch import Stopwatch

DATABASE = "SQLite"


def run_of(design: str, seconds: float, database: str = DATABASE) -> Run:
    watch = Stopwatch(opening_s=1.0, statements_s=2.0, waiting_s=1.0, cleaning_s=0.5, whole_s=6.0, operations=200)
    watches = (None, None) if is_weft(design) else (watch, watch)
    return Run(database, design, 100, seconds, 1.0, 0.0, 50_000_000, 0.25, *watches)


RUNS = [
    run_of(design, seconds) for design, seconds in zip(all_designs(), (9, 8, 7, 6, 5, 4, 3, 0.05, 0.06), strict=True)
]


def entries(peer_pages_per_s: float) -> list[Entry]:
    return [
        Entry(output, tool, pages_per_s, 1.0, Likeness(0.9, None))
        for output in PEERS_SAY
        for tool, pages_per_s in (("weft", 200.0), ("peer", peer_pages_per_s))
    ]


def test_the_paper_s_figures_are_those_of_its_hours_for_200_000_pages() -> None:
    hours = {"A1S1D": 7.99, "A1S2D": 7.99 * 1.35, "B1S1D": 3.48, "B1S2D": 5.42}
    for design, hours_for_all in hours.items():
        assert PAPER_S_PER_1000[design] == pytest.approx(hours_for_all * 3600 / 200, abs=0.06)


def test_each_design_has_a_row_with_its_best_run_and_names_the_others() -> None:
    rows = speed_rows([*RUNS, run_of("A1S1D", 20.0), run_of("A1S1D", 1.0, "PostgreSQL")], DATABASE)
    assert [row[0] for row in rows] == all_designs()
    assert {len(row) for row in rows} == {len(SPEED_TITLES)}
    a1s1d = dict(zip(SPEED_TITLES, rows[1], strict=True))
    assert a1s1d["s per 1,000"] == "80.00"
    assert a1s1d["other runs"] == "200.00"
    assert a1s1d["paper, s per 1,000"] == "143.8"
    assert a1s1d["others"] == "25%"


def test_both_threads_of_a_design_tell_what_share_the_database_has() -> None:
    rows = time_rows(RUNS, DATABASE)
    assert len(rows) == 2 * (len(all_designs()) - 2)  # weft has no such threads
    told = dict(zip(TIME_TITLES, rows[0], strict=True))
    assert told["operations"] == "2,000"
    assert told["database"] == "30.00"
    assert told["of its time"] == "50%"


@pytest.mark.parametrize(("seconds", "holds"), [(0.1, ": holds ("), (0.11, ": does not hold (")])
def test_weft_may_take_a_second_for_1_000_pages(seconds: float, holds: str) -> None:
    (sentence,) = verdicts([run_of(WEFT, seconds)], DATABASE)
    assert holds in sentence


def test_a_step_is_told_by_its_times_and_the_paper_s() -> None:
    told = reasons(RUNS, DATABASE)
    pool = next(sentence for sentence in told if "the pool" in sentence)
    assert "80.00 → 50.00 s per 1,000 pages, 38% less (the paper: 56% less)" in pool
    assert "Connections took S and D 10.0 and 10.0 s" in pool


def test_a_step_between_designs_that_were_not_run_is_left_out() -> None:
    assert reasons([run_of("A1S1D", 1.0), run_of("C1S1D", 1.0)], DATABASE) == []


def test_a_design_that_was_not_run_has_no_row() -> None:
    assert [run.design for run in best_runs([run_of("C1S1D", 1.0)], DATABASE)] == ["C1S1D"]


def test_below_each_output_are_its_tools_with_weft_first() -> None:
    rows = contest_rows(entries(100.0))
    assert [row[0] for row in rows[::3]] == list(PEERS_SAY.values())
    assert {row[0] for row in rows[1::3]} == {"– weft"}
    peer = dict(zip(TITLES, rows[2], strict=True))
    assert peer["tool"] == "– peer"
    assert peer["weft is × faster"] == "2.0"
    assert peer["words in common"] == "90%"


def test_a_peer_that_is_faster_is_told() -> None:
    assert not_ahead(entries(100.0)) == []
    assert len(not_ahead(entries(300.0))) == len(PEERS_SAY)


def test_a_part_of_the_document_is_replaced_and_the_rest_stays() -> None:
    document = "before\n<!-- designs -->\nold\n<!-- end of designs -->\nafter\n"
    assert with_part(document, "designs", "new") == document.replace("old", "new")


def test_a_document_without_the_markers_is_not_written() -> None:
    with pytest.raises(NoMarkers):
        with_part("no place for it", "designs", "new")


def test_the_document_has_a_place_for_each_part() -> None:
    parts = {
        "pages": "some pages",
        "designs": experiment_part(RUNS, as_markdown=True),
        "contest": contest_part(entries(100.0), as_markdown=True),
    }
    document = DOCUMENT.read_text()
    for name, part in parts.items():
        document = with_part(document, name, part)
        assert part in document
