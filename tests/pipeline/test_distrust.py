"""A host whose page cost a worker too much gets one worker for all that follows, and the others go on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path

import msgspec
import uvloop

from tests.hostile.wasteful import WASTEFUL
from tests.store.rig import fetched
from weft.clock import Clock
from weft.pipeline.messages import PageJob
from weft.pipeline.work import Job
from weft.types import Link
from weft.workers.worker_process import HANG_AFTER_S

from .crawling import CRAWL_WITHIN_S, until
from .pool_rig import PoolRig, pool_rig

PAGES = 60


class LeapingClock(Clock):
    """The real clock, until a test is in a hurry."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


def within_time(scenario: Coroutine[None, None, None]) -> None:
    uvloop.run(asyncio.wait_for(scenario, CRAWL_WITHIN_S))


def submit(
    rig: PoolRig,
    host: str,
    path: object,
    body: bytes = b"<p>hello",
    coding: bytes = b"",
    spool: Path | None = None,
) -> str:
    url = f"http://{host}/{path}"
    response = fetched(url, body, spool=spool)
    if coding:
        response = msgspec.structs.replace(response, headers=(*response.headers, (b"content-encoding", coding)))
    rig.given.append(url)
    rig.workers.submit(Job(PageJob(Link(url, 1), response), url))
    return url


def submit_both(rig: PoolRig) -> tuple[list[str], list[str]]:
    """Pages of a good host and of a bad one, as they come in a crawl."""
    pairs = [(submit(rig, "good.example", n), submit(rig, "bad.example", n)) for n in range(PAGES)]
    return [good for good, _ in pairs], [bad for _, bad in pairs]


def slots_of(rig: PoolRig, urls: list[str]) -> set[int]:
    return {rig.slots_of[url] for url in urls}


def test_host_whose_body_cost_too_much_is_read_by_one_worker(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with pool_rig(tmp_path, slots=2, active=2) as rig:
            await rig.are_ready(2)
            coding, raw = WASTEFUL["two layers of gzip"]
            submit(rig, "bad.example", "waste", raw, coding)
            await rig.all_done()
            good, bad = submit_both(rig)
            await rig.all_done()
            assert slots_of(rig, bad) == {0}
            assert slots_of(rig, good) == {0, 1}

    within_time(scenario())


def die(rig: PoolRig) -> Callable[[], bool]:
    """Kill the worker of slot 1 with a page of the bad host in its hands."""
    pid = rig.pool.pids()[1]
    os.kill(pid, signal.SIGSTOP)
    submit(rig, "bad.example", "a")
    submit(rig, "bad.example", "b")
    os.kill(pid, signal.SIGKILL)
    return lambda: rig.pool.deaths == 1


def test_host_whose_page_ended_a_worker_is_read_by_one_worker(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with pool_rig(tmp_path, slots=2, active=2) as rig:
            await rig.are_ready(2)
            await until(die(rig))
            await rig.are_ready(2)
            good, bad = submit_both(rig)
            await rig.all_done()
            assert slots_of(rig, bad) == {0}
            assert slots_of(rig, good) == {0, 1}

    within_time(scenario())


def test_pages_that_hang_take_one_worker_and_are_told_of(tmp_path: Path) -> None:
    """However many hang: the other worker reads all pages of the good host meanwhile."""

    async def scenario() -> None:
        clock = LeapingClock()
        async with pool_rig(tmp_path, slots=2, active=2, clock=clock) as rig:
            await rig.are_ready(2)
            await until(die(rig))
            await rig.are_ready(2)
            await rig.all_done()
            os.kill(rig.pool.pids()[0], signal.SIGSTOP)
            submit(rig, "bad.example", "hangs")
            good = [submit(rig, "good.example", n) for n in range(PAGES)]
            await until(lambda: {*good} <= {*rig.done})
            assert slots_of(rig, good) == {1}
            assert rig.hung_hosts == []
            clock.ahead_s += HANG_AFTER_S + 1
            rig.pool.end_hung_workers()
            await rig.all_done()
            assert rig.hung_hosts == ["bad.example"]

    within_time(scenario())
