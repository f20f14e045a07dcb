from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest

from bench.mirror_runs import Run
from bench.mirror_table import (
    BEGIN,
    END,
    Growth,
    growth_plot,
    growth_table,
    growths,
    row_of,
    table,
    targets,
    with_figures,
)

SVG = "{http://www.w3.org/2000/svg}"
MB = 1_000_000
SIZES = [10_000, 30_000, 100_000]


def run(tool: str, seconds: float, site: str = "docs", peak_mb: float = 10, missed: int | None = 0) -> Run:
    return Run(tool, site, 1_000, seconds, seconds / 2, int(peak_mb * MB), missed=missed, broken=0)


def grown(tool: str, *peaks_mb: float, missed: int | None = 0) -> list[Run]:
    return [run(tool, 1.0, f"grown {size}", peak, missed) for size, peak in zip(SIZES, peaks_mb, strict=True)]


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_has_medians_and_the_largest_peak() -> None:
    row = row_of("weft", [run("weft", 1.0, peak_mb=30), run("weft", 4.0), run("weft", 2.0)])
    assert (row.pages_per_s, row.cpu_ms, row.peak_memory_mb) == (500, 1, 30)


def test_a_table_says_how_many_times_better_weft_is() -> None:
    rows = [row_of("weft", [run("weft", 1.0)]), row_of("wget", [run("wget", 6.0)])]
    line = next(line for line in table(rows).splitlines() if line.startswith("wget"))
    assert line.split()[-2:] == ["6.00", "6.00"]


def test_a_tool_that_failed_has_a_line_and_a_reason() -> None:
    rows = [row_of("weft", [run("weft", 1.0)]), row_of("wget", [Run("wget", "docs", failure="it fell over")])]
    assert "wget: it fell over" in table(rows)


def test_a_tool_that_was_stopped_has_missed_nothing_that_is_known() -> None:
    row = row_of("wget", [run("wget", 300.0, missed=None)])
    assert row.missed is None
    assert "stopped after 300 s" in row.notes[0]


def test_what_robots_txt_forbids_and_what_came_twice_is_noted() -> None:
    one = msgspec.structs.replace(run("wget", 1.0), forbidden=3, twice=2)
    notes = row_of("wget", [one]).notes
    assert ["3 pages" in notes[0], "2 files" in notes[1]] == [True, True]


# ── memory ─────────────────────────────────────────────────────────────────────────────────────────────


def test_growth_is_from_the_smallest_site_to_the_largest() -> None:
    found = growths([*grown("weft", 100, 103, 102), *grown("httrack", 20, 40, 120)], SIZES)
    assert [growth.more_mb for growth in found] == [2, 100]
    assert "100.0" in growth_table(found, SIZES).splitlines()[2]


def test_a_run_that_was_stopped_tells_nothing_about_memory() -> None:
    (found,) = growths(grown("httrack", 20, 40, 120, missed=None), SIZES)
    assert (found.peak_mb, found.more_mb) == ({}, None)


def test_the_plot_has_a_line_for_each_tool() -> None:
    tools = ("weft", "wget", "wget2", "httrack")
    found = [growth for tool in tools for growth in growths(grown(tool, 20, 40, 120), SIZES)]
    root = ElementTree.fromstring(growth_plot(found, SIZES))
    assert len(list(root.iter(f"{SVG}polyline"))) == len(tools)
    assert {text.text for text in root.iter(f"{SVG}text")} >= {*tools, "10,000", "100,000"}


# ── what must hold ─────────────────────────────────────────────────────────────────────────────────────


def holding(weft_s: float, weft_mb: float) -> dict[str, bool | None]:
    rows = {
        site: [
            row_of(tool, [run(tool, s, site)])
            for tool, s in (("weft", weft_s), ("wget", 50), ("wget2", 11), ("httrack", 60))
        ]
        for site in ("docs", "late")
    }
    found = growths([*grown("weft", 100, 100, weft_mb), *grown("httrack", 20, 40, 120)], SIZES)
    return {line.what: line.holds for line in targets(rows, found)}


def test_all_lines_hold_when_weft_is_fast_and_flat() -> None:
    assert set(holding(weft_s=10, weft_mb=110).values()) == {True}


def test_lines_that_do_not_hold_say_so() -> None:
    found = holding(weft_s=11.5, weft_mb=112)
    assert [what for what, holds in found.items() if not holds] == [
        "docs: weft ÷ wget, pages/s",
        "late: weft ÷ wget, pages/s",
        "late: weft ÷ wget2, pages/s",
        "memory: weft's growth ÷ httrack's",
        "memory: weft, largest site ÷ smallest",
    ]


def test_what_was_not_measured_holds_neither_nor_does_not() -> None:
    assert {line.holds for line in targets({}, [])} == {None}


def test_less_memory_on_a_larger_site_is_flat() -> None:
    weft = Growth("weft", {10_000: 120.0, 100_000: 110.0}, {}, 0)
    httrack = Growth("httrack", {10_000: 20.0, 100_000: 90.0}, {}, 0)
    assert [line.holds for line in targets({}, [weft, httrack])[-2:]] == [True, True]


# ── the page ───────────────────────────────────────────────────────────────────────────────────────────


def test_figures_replace_those_of_the_run_before_and_nothing_else() -> None:
    page = f"above\n\n{BEGIN}\n\n    old\n\n{END}\n\nbelow\n"
    assert with_figures(page, "new\n\nlines") == f"above\n\n{BEGIN}\n\n    new\n\n    lines\n\n{END}\n\nbelow\n"


def test_a_page_without_a_place_for_figures_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        with_figures("a page", "figures")
