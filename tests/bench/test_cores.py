"""The curve of pages a second over engines."""

from __future__ import annotations

from pathlib import Path

from bench.cores import Point, crawls_apart, lines_of, model, plot_of
from bench.tools import Job

POINTS = [Point(1, 2, 3_000.0, 0.5), Point(2, 4, 5_500.0, 0.525)]


def test_the_model_goes_by_engines_until_the_cores_are_all_busy() -> None:
    assert model(1, 2, 0.25, 0.2) == 4_000
    assert model(2, 2, 0.25, 0.25) == 4_000


def test_each_number_of_engines_has_a_line_beside_that_of_one() -> None:
    titles, *lines = lines_of(POINTS, 0.25, 0.25)
    assert lines == [["1", "2", "3,000", "4,000", "0.500", "1.000"], ["2", "4", "5,500", "8,000", "0.525", "1.050"]]
    assert len(titles) == len(lines[0])


def test_the_plot_has_what_was_measured_and_the_model() -> None:
    plot = plot_of(POINTS, 0.25, 0.25)
    assert plot.count("<polyline") == 3
    assert all(f">{word}</text>" in plot for word in ("measured", "model", "engines"))


def test_separate_crawls_have_a_line_and_are_no_part_of_the_curve() -> None:
    apart = Point(2, 4, 5_600.0, 0.520, is_apart=True)
    assert lines_of([*POINTS, apart], 0.25, 0.25)[-1][0] == "2 crawls"
    assert plot_of([*POINTS, apart], 0.25, 0.25) == plot_of(POINTS, 0.25, 0.25)


def test_separate_crawls_divide_the_seeds_and_the_connections(tmp_path: Path) -> None:
    job = Job(["http://a/", "http://b/", "http://c/"], [], 64, None, tmp_path)
    (_, _, script) = crawls_apart(2).command(job)
    assert script.count("--connections 32") == 2
    assert script.endswith(" & wait")
    assert [(tmp_path / f"{number}.seeds").read_text().split() for number in (0, 1)] == [
        ["http://a/", "http://c/"],
        ["http://b/"],
    ]
