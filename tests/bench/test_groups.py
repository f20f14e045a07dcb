from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import msgspec
import pytest
import uvloop

from bench.group_samples import Sample, by_period, figures, settled_after, speeds_of, variation
from bench.groups import settling, settling_table, tables
from bench.measure import CommandFailed
from bench.serial_crawl import SerialCrawl
from weft.config import CrawlConfig

PAGES = {
    "/": '<a href="/one">1</a> <a href="/two">2</a> <a href="/private/three">3</a> <a href="/gone">4</a>',
    "/one": '<a href="/">back</a> <a href="/deep">deep</a>',
    "/two": '<a href="/one">1</a>',
    "/deep": "nothing more",
    "/private/three": "robots.txt forbids this",
}
ROBOTS = "User-agent: *\nDisallow: /private/\n"


def sample(at_s: float, pages: int = 0, slots: int = 10, **more: int) -> Sample:
    usual = Sample(at_s, pages, received_bytes=0, buffer=0, slots=slots, workers=2, idle_slots=0, idle_workers=0)
    return msgspec.structs.replace(usual, **more)


def steady(seconds: int, pages_per_s: int = 100) -> list[Sample]:
    """Two samples a second."""
    return [
        sample(half / 2, half * pages_per_s // 2, buffer=half % 2 * 4, idle_slots=3, idle_workers=1)
        for half in range(2 * seconds + 1)
    ]


def test_figures_are_means_over_the_time_of_a_group() -> None:
    found = figures("balanced", steady(40), 40.0)
    assert found.pages == 4_000
    assert found.pages_per_s == pytest.approx(100)
    assert found.mean_buffer == pytest.approx(2, abs=0.1)
    assert found.most_buffer == 4
    assert (found.idle, found.idle_parse) == (4, 1)
    assert found.variation == 0
    assert not found.note


def test_what_comes_after_a_group_s_time_does_not_count() -> None:
    assert figures("balanced", steady(60), 40.0).pages == 4_000


def test_a_group_that_came_to_the_end_of_the_pages_says_so() -> None:
    assert "no page was left" in figures("balanced", steady(20), 40.0).note


def test_a_group_that_did_nothing_has_figures_all_the_same() -> None:
    assert figures("balanced", [], 40.0).pages == 0


def test_speeds_are_of_whole_seconds() -> None:
    assert speeds_of([sample(0), sample(0.9, 50), sample(2.0, 150), sample(3.1, 400)], 0) == [150, 0, 250]


def test_variation_is_of_the_mean() -> None:
    assert variation([50, 150, 50, 150]) == pytest.approx(0.5)
    assert variation([100, 100]) is None


@pytest.mark.parametrize(
    ("counts", "periods"),
    [
        ([100, 100, 100, 100], 0),
        ([10, 20, 40, 90, 95, 100, 110, 100], 3),
        ([100] * 10 + [200] + [100] * 10, 11),
        ([2, 2, 1, 2], 0),
        ([4, 3, 2, 1, 1, 1, 1, 1], 2),
    ],
)
def test_counts_have_settled_once_they_stay_near_their_end(counts: list[int], periods: int) -> None:
    assert settled_after(counts) == periods


def test_a_period_is_told_by_its_last_sample() -> None:
    samples = [sample(10.0, slots=1), sample(10.9, slots=2), sample(11.5, slots=3), sample(12.0, slots=4)]
    assert [found.slots for found in by_period(samples, 10.0, 12.0)] == [2, 3]


def test_a_stage_that_never_came_is_an_error() -> None:
    with pytest.raises(CommandFailed, match="slower"):
        settling("slower", [])


def test_tables_show_the_paper_s_figures_beside_ours() -> None:
    groups = ("balanced", "unbalanced", "unbalanced, 1 worker", "serial")
    shown = tables([figures(group, steady(40), 40.0) for group in groups])
    for figure in ("16.18", "15.07", "12.16", "167", "294", "17", "35"):
        assert figure in shown.split()


def test_the_table_of_steps_tells_after_how_many_periods_counts_stayed() -> None:
    found = settling("slower", [sample(second, 10 * second, slots) for second, slots in enumerate([10, 40, 40, 40])])
    assert found.slots_settled_after == 1
    assert found.pages_per_s == pytest.approx(10)
    line = settling_table([found], 3.0).splitlines()[2]
    assert "3 × slower" in line
    assert "10 → 40" in line
    assert "1 periods" in line


def test_the_serial_crawl_fetches_each_allowed_page_once(tmp_path: Path) -> None:
    with _site() as (origin, asked):
        config = CrawlConfig(seeds=(f"{origin}/",), delay_s=0.0, connections=3, allow_private=True, max_time_s=30.0)
        crawl = SerialCrawl(config, tmp_path)
        uvloop.run(asyncio.wait_for(crawl.run(), 60))
    assert sorted(asked) == ["/", "/deep", "/gone", "/one", "/robots.txt", "/two"]
    assert crawl.pages == 4
    assert crawl.received_bytes > 0
    assert (tmp_path / "serial.warc.gz").stat().st_size > 0


def test_samples_survive_their_way_between_processes() -> None:
    one = sample(1.0, 5)
    assert msgspec.json.decode(msgspec.json.encode(one), type=Sample) == one


@contextmanager
def _site() -> Iterator[tuple[str, list[str]]]:
    """A small site, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append(self.path)
            text = ROBOTS if self.path == "/robots.txt" else PAGES.get(self.path)
            body = (text or "gone").encode()
            self.send_response(200 if text else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()
