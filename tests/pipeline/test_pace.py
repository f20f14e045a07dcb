"""`--rate`: so many pages a second in all, whatever the hosts would bear."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from tests.faults.repairs import rows_of
from weft.clock import FakeClock
from weft.pipeline.engine import Ending
from weft.pipeline.pace import Pace
from weft.simweb import SimProcess, WebSpec

from .crawling import assert_fetched_the_truth, crawl_all, quick_config

# A request that begins late by some milliseconds, since a timer woke late, may have the next one on time.
LATENESS_S = 0.02


def begun(pace: Pace, clock: FakeClock, count: int) -> list[float]:
    """When requests begin, if each begins as soon as it may."""
    times = []
    for _ in range(count):
        clock.advance(pace.wait_s(clock.monotonic()))
        pace.begin(clock.monotonic())
        times.append(clock.monotonic())
    return times


@pytest.mark.parametrize("rate", [None, 0.0])
def test_without_a_rate_nothing_waits(rate: float | None) -> None:
    pace, clock = Pace(rate), FakeClock()
    assert len(set(begun(pace, clock, 100))) == 1


@pytest.mark.parametrize("rate", [0.1, 1.0, 2.5, 10.0])
def test_requests_are_spread_evenly(rate: float) -> None:
    times = begun(Pace(rate), FakeClock(), 50)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= 1 / rate - LATENESS_S
    assert max(gaps) <= 1 / rate + 1e-6


def test_the_first_request_waits_for_nothing() -> None:
    assert Pace(0.01).wait_s(FakeClock().monotonic()) == 0.0


def test_time_that_nobody_used_is_not_made_up_for() -> None:
    pace, clock = Pace(2.0), FakeClock()
    begun(pace, clock, 3)
    clock.advance(3600.0)
    times = begun(pace, clock, 10)
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.5 - LATENESS_S


def test_timers_that_wake_late_cost_little_of_the_rate() -> None:
    """Each wakes up to five milliseconds late; of 100 pages a second at least 90 are left."""
    pace, clock, chance = Pace(100.0), FakeClock(), random.Random(1)
    start = clock.monotonic()
    for _ in range(1000):
        if wait_s := pace.wait_s(clock.monotonic()):
            clock.advance(wait_s + chance.uniform(0, 0.005))
        pace.begin(clock.monotonic())
    assert clock.monotonic() - start <= 1000 / 90


def test_never_more_than_the_rate_in_any_second() -> None:
    """Requests come in bursts, with pauses between them."""
    pace, clock, chance = Pace(5.0), FakeClock(), random.Random(2)
    times: list[float] = []
    for _ in range(40):
        clock.advance(chance.choice([0.0, 0.05, 0.3, 2.0]))
        times += begun(pace, clock, chance.randint(1, 6))
    for start in times:
        assert sum(start <= time < start + 1.0 - LATENESS_S for time in times) <= 5


def test_a_crawl_keeps_to_its_rate_and_still_gets_everything(tmp_path: Path) -> None:
    """The rows tell when requests were sent; a server may get some late, and then several at once."""
    rate = 40.0
    with SimProcess(WebSpec(hosts=10, pages=80, seed=6, reset_share=0.0)) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, rate=rate))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    times = sorted(row.fetched_at for row in rows_of(files.folder).values())
    # What was late may be followed by what is on time, but no more comes in all than the rate allows.
    assert times[-1] - times[0] >= (len(times) - 2) / rate - 0.25
    window = 20
    assert all(times[i + window] - times[i] >= window / rate - 0.25 for i in range(len(times) - window))


def received(pace: Pace, clock: FakeClock, sizes: list[int]) -> float:
    """How long it takes to receive bodies of these sizes, each as soon as it may be asked for."""
    began = clock.monotonic()
    for size in sizes:
        clock.advance(pace.wait_s(clock.monotonic()))
        pace.begin(clock.monotonic())
        pace.receive(size, clock.monotonic())
    return clock.monotonic() - began


@pytest.mark.parametrize("sizes", [[1_000] * 100, [1, 50_000] * 3, [100_000]])
def test_bytes_come_no_faster_than_the_bandwidth(sizes: list[int]) -> None:
    took_s = received(Pace(None, 10_000.0), FakeClock(), [*sizes, 0])
    assert took_s == pytest.approx(sum(sizes) / 10_000.0, abs=LATENESS_S)


def test_rate_and_bandwidth_both_hold() -> None:
    assert received(Pace(10.0, 1_000_000.0), FakeClock(), [1_000] * 31) >= 3.0 - LATENESS_S
    assert received(Pace(1000.0, 10_000.0), FakeClock(), [1_000] * 31) >= 3.0 - LATENESS_S


def test_bandwidth_that_nobody_used_is_not_made_up_for() -> None:
    pace, clock = Pace(None, 1_000.0), FakeClock()
    clock.advance(3600.0)
    assert received(pace, clock, [1_000, 1_000, 0]) >= 2.0 - LATENESS_S
