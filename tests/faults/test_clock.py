"""The wall clock jumps: nothing hangs, nobody is asked too soon, and no host rests for years."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import uvloop

from tests.pipeline.crawling import CRAWL_WITHIN_S, CrawlFiles, assert_fetched_the_truth, quick_config, run, until
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed

from .clocks import SetClock

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
YEAR_S = 365 * DAY_S
DELAY_S = 0.1
WITHIN_S = 120.0
# Pages that fail at first make rows with a time before which they must not be tried again.
WEB = WebSpec(hosts=8, pages=60, seed=3, garbled_share=0.2, failing_attempts=1, latency_ms=(5, 20))


async def run_and_jump(crawl: Crawl, clock: SetClock, jumps: list[float]) -> Ending:
    """Run a crawl; after each few pages the clock jumps."""
    running = asyncio.create_task(crawl.run())
    for jump_s in jumps:
        enough = crawl.counters.pages + 8
        await until(lambda enough=enough: crawl.counters.pages >= enough or running.done())  # type: ignore[misc]
        clock.off_s += jump_s
    return await asyncio.wait_for(running, WITHIN_S)


@pytest.mark.parametrize(
    "jumps",
    [
        [DAY_S, -DAY_S, -HOUR_S],
        *(
            pytest.param(jumps, marks=pytest.mark.large)
            for jumps in ([DAY_S], [-HOUR_S], [-DAY_S], [30 * YEAR_S, -30 * YEAR_S], [HOUR_S / 2, -HOUR_S / 2] * 3)
        ),
    ],
)
def test_a_clock_that_jumps_in_the_middle_of_a_crawl_changes_nothing(jumps: list[float], tmp_path: Path) -> None:
    clock = SetClock()
    with SimProcess(WEB) as sim:
        config = quick_config(sim, delay_s=DELAY_S, connections_per_host=1, slow_factor=0.0)
        crawl = Crawl.create(tmp_path / "crawl", config, clock)
        ending = uvloop.run(asyncio.wait_for(run_and_jump(crawl, clock, jumps), CRAWL_WITHIN_S))
        truth = sim.web.truth()
    assert (ending, crawl.parked_hosts) == (Ending.DONE, {})
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
    assert min(sim.log.least_gap_s().values()) >= DELAY_S * 0.9


def failing_site(fault: Behaviour) -> dict[tuple[str, str], Behaviour]:
    return {
        ("site.test", "/"): Fixed(b'<!DOCTYPE html><a href="/later">x</a>'),
        ("site.test", "/later"): fault,
    }


@pytest.mark.parametrize("ahead_s", [DAY_S, pytest.param(30 * YEAR_S, marks=pytest.mark.large)])
def test_a_wake_time_written_by_a_clock_that_was_ahead_does_not_park_a_host_for_long(
    ahead_s: float, tmp_path: Path
) -> None:
    """The server asked for a minute; a clock that is put right makes no day of it, and no year."""
    busy = Fixed(b"", 503, headers=(("Retry-After", "60"),))
    with SimProcess(WebSpec(hosts=1, pages=1), failing_site(busy)) as sim:
        config = quick_config(sim, seeds=(sim.web.url("site.test", "/"),), max_host_wait_s=10.0)
        crawl = Crawl.create(tmp_path / "crawl", config, SetClock(ahead_s))
        assert run(crawl) is Ending.LIMIT
        assert list(crawl.parked_hosts) == ["site.test"]
        # By a clock that is right: first nobody knows how much of the minute is over, a minute later all of it is.
        for off_s in (0.0, 61.0):
            assert run(Crawl.resume(tmp_path / "crawl", SetClock(off_s))) is Ending.LIMIT
    asked = [request.path for request in sim.log if not request.is_robots]
    assert asked == ["/", "/later", "/later"]


@pytest.mark.parametrize("ahead_s", [DAY_S, pytest.param(30 * YEAR_S, marks=pytest.mark.large)])
def test_a_retry_written_by_a_clock_that_was_ahead_is_made_after_its_wait(ahead_s: float, tmp_path: Path) -> None:
    reset = Broken(Fault.RESET_BEFORE_HEAD)

    async def stop_at_first_failure(crawl: Crawl) -> None:
        running = asyncio.create_task(crawl.run())
        await until(lambda: crawl.counters.retries > 0 or running.done())
        crawl.stop()
        await running

    with SimProcess(WebSpec(hosts=1, pages=1), failing_site(reset)) as sim:
        config = quick_config(sim, seeds=(sim.web.url("site.test", "/"),), retry_wait_scale=0.2)
        crawl = Crawl.create(tmp_path / "crawl", config, SetClock(ahead_s))
        uvloop.run(asyncio.wait_for(stop_at_first_failure(crawl), CRAWL_WITHIN_S))
        assert crawl.counters.failed == {}
        ending = run(Crawl.resume(tmp_path / "crawl"), within_s=WITHIN_S)
    assert ending is Ending.DONE
    assert CrawlFiles(tmp_path / "crawl").outcomes()[sim.web.url("site.test", "/later")] == "reset"


def test_robots_rules_fetched_by_a_clock_that_was_ahead_are_asked_for_again(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        ("site.test", "/"): Fixed(b'<!DOCTYPE html><a href="/a">x</a>'),
        ("site.test", "/a"): Fixed(b""),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url("site.test", "/"),), max_pages=1)
        run(Crawl.create(tmp_path / "crawl", config, SetClock(YEAR_S)))
        assert run(Crawl.resume(tmp_path / "crawl", max_pages=None), within_s=WITHIN_S) is Ending.DONE
    assert [request.path for request in sim.log] == ["/robots.txt", "/", "/robots.txt", "/a"]
