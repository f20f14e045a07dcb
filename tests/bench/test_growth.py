from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest

from bench.growth_plot import FIRST_PAGES, TEXT_HEIGHT, Panel, crawl_plot, draw, round_up, spread
from bench.growth_samples import Sample
from bench.growth_table import most_memory, page_of, stretches, table
from bench.growth_urls import Step, Urls

SVG = "{http://www.w3.org/2000/svg}"
MB = 1_000_000

START = Sample(
    at_s=0.0,
    pages=0,
    requests=0,
    seen=0,
    queued=0,
    answers={},
    engine_cpu_s=0.0,
    workers_cpu_s=0.0,
    server_cpu_s=0.0,
    engine_bytes=60 * MB,
    workers_bytes=40 * MB,
    state_bytes=0,
)


def crawl(most_pages: int, step: int = 1_000, slower_from: int = 10**9) -> list[Sample]:
    """A thousand pages a second, half as many from some page on; 0.2 and 0.3 ms of CPU a page, two links a page."""
    samples = [START]
    for pages in range(step, most_pages + 1, step):
        before = samples[-1]
        seconds = step / (500 if pages > slower_from else 1_000)
        samples.append(
            msgspec.structs.replace(
                START,
                at_s=before.at_s + seconds,
                pages=pages,
                seen=pages * 2,
                answers={"cache": pages * 3, "disk": pages},
                engine_cpu_s=pages * 0.000_2,
                workers_cpu_s=pages * 0.000_3,
                server_cpu_s=pages * 0.000_1,
            )
        )
    return samples


def index_after(samples: list[Sample], seconds: float, memory_bytes: int) -> list[Sample]:
    """The crawl's samples, and one more when its index files are written."""
    end = samples[-1]
    after = msgspec.structs.replace(
        end, at_s=end.at_s + seconds, engine_cpu_s=end.engine_cpu_s + 1, engine_bytes=memory_bytes, has_workers=False
    )
    return [*samples, after]


# ── stretches ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_mark_in_the_middle_of_a_crawl_is_measured_around_it() -> None:
    first, *_ = stretches(crawl(100_000))
    assert (first.name, first.first.pages, first.last.pages) == ("10,000", 5_000, 15_000)


def test_a_mark_at_the_end_of_a_crawl_is_measured_by_the_tenth_before_it() -> None:
    last = stretches(crawl(100_000))[-1]
    assert (last.name, last.first.pages, last.last.pages) == ("100,000", 90_000, 100_000)


def test_marks_that_were_not_reached_are_left_out() -> None:
    assert [part.name for part in stretches(crawl(40_000))] == ["10,000"]
    assert stretches(crawl(5_000)) == []
    assert stretches([]) == []


def test_speed_and_cpu_are_those_of_the_stretch_alone() -> None:
    early, late = stretches(crawl(100_000, slower_from=50_000))
    assert early.pages_per_s == pytest.approx(1_000)
    assert late.pages_per_s == pytest.approx(500)
    assert late.engine_ms == pytest.approx(0.2)
    assert late.workers_ms == pytest.approx(0.3)
    assert (late.new_urls, late.answers("cache"), late.answers("filter")) == (2, 3, 0)


# ── memory ─────────────────────────────────────────────────────────────────────────────────────────────


def test_most_memory_is_a_multiple_of_what_there_was_at_100_000_pages() -> None:
    samples = crawl(200_000)
    samples[-10] = msgspec.structs.replace(samples[-10], engine_bytes=90 * MB)
    assert most_memory(samples) == pytest.approx(1.3)


def test_memory_before_100_000_pages_does_not_count() -> None:
    samples = crawl(200_000)
    samples[20] = msgspec.structs.replace(samples[20], engine_bytes=900 * MB)
    assert most_memory(samples) == pytest.approx(1.0)
    assert most_memory(crawl(50_000)) is None


# ── the page ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_page_says_what_became_of_speed_memory_and_index() -> None:
    samples = index_after(crawl(100_000, slower_from=50_000), seconds=7.5, memory_bytes=75 * MB)
    page = page_of(stretches(samples), samples, None)
    assert "Speed at 100,000 pages: 50% of that at 10,000 (wanted: at least 90%)" in page
    assert "CPU a page: 100%, the server's 100%" in page
    assert "Most memory from 100,000 pages on: 100%" in page
    assert "The index files of 100,000 pages: 7.5 s, 1.0 s of CPU" in page
    assert "at most 75 MB, before 60 MB" in page


def test_the_page_has_a_row_for_each_step_with_its_own_rate() -> None:
    steps = [Step(1_000, 10.0, 8.0, 0.5, 50 * MB, 5 * MB), Step(2_000, 12.0, 9.0, 1.0, 60 * MB, 9 * MB)]
    cost_us = {"cache": 0.4, "filter": 1.0, "disk": 9.0}
    urls = Urls(steps, steps, cost_us, {"bytes": 2 * MB, "filter": 1_990, "false_positives": 10})
    page = page_of([], [], urls)
    assert "| 1,000 |  2,000 |" in page
    assert "| 2,000 |  1,000 |" in page
    assert "9.0 µs when a row has to be read" in page
    assert "10 of 2,000 new URLs" in page


def test_a_table_has_one_width_a_column() -> None:
    assert table(["a", "long"], [["1,000", "2"]]) == [
        "|     a | long |",
        "|------:|-----:|",
        "| 1,000 |    2 |",
    ]


# ── the picture ────────────────────────────────────────────────────────────────────────────────────────


def test_the_picture_has_a_panel_each_for_speed_cpu_and_memory() -> None:
    root = ElementTree.fromstring(crawl_plot(index_after(crawl(50_000), 1.0, MB)))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert [title for title in ("pages a second", "CPU ms a page", "memory, MB") if title in words] == words_bold(root)
    assert len(list(root.iter(f"{SVG}polyline"))) == 1 + 3 + 3


def words_bold(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]


def test_a_value_is_drawn_where_the_axes_say() -> None:
    line = [(FIRST_PAGES * 1.0, 0.0), (FIRST_PAGES * 100.0, 10.0), (FIRST_PAGES * 10.0, 5.0)]
    root = ElementTree.fromstring(draw([Panel("t", {"a": line})], most_pages=FIRST_PAGES * 100))
    drawn = next(root.iter(f"{SVG}polyline")).get("points", "")
    (left, bottom), (right, top), middle = ([float(part) for part in point.split(",")] for point in drawn.split())
    assert middle == [pytest.approx((left + right) / 2), pytest.approx((bottom + top) / 2)]
    assert (left < right, top < bottom) == (True, True)


def test_words_that_would_overlap_are_moved_apart() -> None:
    assert spread({"a": 50.0, "b": 49.0, "c": 10.0}) == {"a": 49.0 + TEXT_HEIGHT, "b": 49.0, "c": 10.0}
    assert spread({"a": 50.0, "b": 49.0, "c": 10.0}, bottom=51.0) == {"a": 51.0, "b": 51.0 - TEXT_HEIGHT, "c": 10.0}


@pytest.mark.parametrize(("value", "end"), [(0.47, 0.5), (3_346, 4_000), (1.0, 1.0), (70, 80), (0.0, 1.0)])
def test_an_axis_ends_at_the_next_round_number(value: float, end: float) -> None:
    assert round_up(value) == pytest.approx(end)
