"""The curve of pages a second over engines."""

from __future__ import annotations

from bench.cores import Point, lines_of, model, plot_of

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
