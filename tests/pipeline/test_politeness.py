"""A guest's manners, judged by what the server saw. Times in its log never flatter the crawler."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crawls import is_killed_at
from weft.config import CrawlConfig
from weft.errors import FolderError
from weft.folder.reading import CrawlReader
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawling import CrawlFiles, crawl_all, quick_config, resume
from .engine_process import await_others, engine, prepare_folder

DELAY_S = 0.2
CRAWL_DELAY_S = 2.5  # longer than an engine takes to start
SMALL_WEB = WebSpec(hosts=12, pages=40, seed=2, reset_share=0.05, failing_attempts=1, latency_ms=(1, 40))
SITE = "slow.test"


def polite_config(sim: SimProcess, **changes: Any) -> CrawlConfig:
    """The defaults of a crawl, but for a shorter delay."""
    return quick_config(sim, **{"delay_s": DELAY_S, "connections_per_host": 1, **changes})


def site_with_crawl_delay(delay_s: float, pages: int) -> dict[tuple[str, str], Behaviour]:
    """A site whose robots.txt asks for a longer rest than ours."""
    links = "".join(f'<a href="/{number}">x</a>' for number in range(pages)).encode()
    robots = f"User-agent: *\nCrawl-delay: {delay_s}\n".encode()
    site: dict[tuple[str, str], Behaviour] = {
        (SITE, "/robots.txt"): Fixed(robots, content_type="text/plain"),
        (SITE, "/"): Fixed(b"<!DOCTYPE html>" + links),
    }
    return site | {(SITE, f"/{number}"): Fixed(b"<!DOCTYPE html><p>x") for number in range(pages)}


def assert_rests_are_at_least(log: RequestLog, delay_s: float, hosts: int) -> None:
    """From each response's end to the next request."""
    gaps = log.least_gap_s()
    assert len(gaps) >= hosts  # so many hosts were asked twice or more
    assert {host: gap for host, gap in gaps.items() if gap < delay_s} == {}


def test_by_default_a_host_is_asked_one_thing_at_a_time_and_rests_from_the_end_of_each_response(
    tmp_path: Path,
) -> None:
    with SimProcess(SMALL_WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim))
        truth = sim.web.truth()
    assert files.responses() == truth.status
    assert set(sim.log.peak_concurrency().values()) == {1}
    # Each host was asked for its robots.txt first, and that counts, too.
    assert all(requests[0].path == "/robots.txt" for requests in _by_host(sim.log).values())
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=12)


def test_robots_txt_is_asked_for_once_an_authority(tmp_path: Path) -> None:
    with SimProcess(SMALL_WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
    asked = [request.host for request in sim.log if request.path == "/robots.txt"]
    assert len(asked) == len(set(asked)) == 12


def test_a_host_rests_across_kill_and_resume(tmp_path: Path) -> None:
    with SimProcess(SMALL_WEB) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, polite_config(sim))
        crashes = [is_killed_at(folder, f"commit-written:{number}:group") for number in (9, 15, 25)]
        assert crashes[0]  # on a busy machine there are fewer commits: it may be over before the last
        with engine(folder) as process:
            assert process.wait() == 0
        truth = sim.web.truth()
    assert CrawlFiles(folder).responses() == truth.status
    assert set(sim.log.peak_concurrency().values()) == {1}
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=12)


def test_robots_txt_is_not_asked_for_again_after_resume(tmp_path: Path) -> None:
    with SimProcess(SMALL_WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=30))
        ending, _ = resume(tmp_path / "crawl", max_pages=None)
    assert ending is Ending.DONE
    asked = [request.host for request in sim.log if request.path == "/robots.txt"]
    assert len(asked) == len(set(asked)) == 12


def test_the_longer_of_our_delay_and_the_crawl_delay_is_kept(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site_with_crawl_delay(0.5, pages=4)) as sim:
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, seeds=(sim.web.url(SITE, "/"),)))
    assert len(files.responses()) == 5
    assert_rests_are_at_least(sim.log, 0.5, hosts=1)


def test_the_crawl_delay_is_kept_across_kill_and_resume(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site_with_crawl_delay(CRAWL_DELAY_S, pages=1)) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, polite_config(sim, seeds=(sim.web.url(SITE, "/"),)))
        with engine(folder) as process:
            await_others(lambda: rows_in(folder) > 0, "that the first page is committed")
            process.kill_group()
        with engine(folder) as process:
            assert process.wait() == 0
    assert len(CrawlFiles(folder).responses()) == 2
    assert_rests_are_at_least(sim.log, CRAWL_DELAY_S, hosts=1)


def rows_in(folder: Path) -> int:
    with suppress(FolderError), CrawlReader(folder) as reader:  # it may not have begun
        return sum(1 for _ in reader.rows())
    return 0


@pytest.mark.parametrize("connections", [2, 3])
def test_no_more_connections_to_a_host_at_once_than_allowed(connections: int, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=4, pages=120, seed=2, latency_ms=(5, 20))) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, connections_per_host=connections))
    assert max(sim.log.peak_concurrency().values()) == connections


def _by_host(log: RequestLog) -> dict[str, RequestLog]:
    by_host: dict[str, RequestLog] = {}
    for request in log:
        by_host.setdefault(request.host, RequestLog()).append(request)
    return by_host
