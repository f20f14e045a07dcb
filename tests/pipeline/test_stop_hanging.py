"""A stop ends a run whatever hangs in it; the next run does what was left."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from weft.clock import Clock
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed
from weft.simweb.dnsserver import DnsFailure, DnsSpec
from weft.workers.grace import GRACE_S

from .crawling import CRAWL_WITHIN_S, CrawlFiles, assert_archive_is_consistent, quick_config, resume, until

HOST = "site.test"
NO_WEB = WebSpec(hosts=1, pages=1)
LONG_S = 600.0
HANGING = "tests.pipeline.extractors:hang"
PAGE = Fixed(b"<!DOCTYPE html><a href='/next'>x</a>")
STALLED_ONCE = Broken(Fault.STALL_BEFORE_HEAD, PAGE, attempts=1, stall_s=LONG_S)
STALLED_IN_BODY_ONCE = Broken(Fault.STALL_IN_BODY, PAGE, attempts=1, stall_s=LONG_S)
GUARD_S = 90  # against hanging, and nothing else


class HastyClock(Clock):
    """The real clock, until a test is in a hurry."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


def sites(**changes: Behaviour) -> dict[tuple[str, str], Behaviour]:
    pages: dict[tuple[str, str], Behaviour] = {(HOST, "/"): PAGE, (HOST, "/next"): Fixed(b"<!DOCTYPE html>")}
    return pages | {(HOST, path): behaviour for path, behaviour in changes.items()}


def patient(sim: SimProcess, **changes: Any) -> dict[str, Any]:
    return {
        "seeds": (sim.web.url(HOST, "/", "http"),),
        "response_timeout_s": LONG_S,
        "idle_timeout_s": LONG_S,
        "workers": 2,
        **changes,
    }


async def stop_when(crawl: Crawl, clock: HastyClock, hangs: Callable[[], bool]) -> Ending:
    running = asyncio.ensure_future(crawl.run())
    await until(hangs)
    crawl.stop()
    clock.ahead_s += GRACE_S
    return await running


def under_way(crawl: Crawl, what: str) -> Callable[[], bool]:
    return lambda: (progress := crawl.progress()) is not None and bool(getattr(progress, what))


@pytest.mark.parametrize(
    ("pages", "changes", "hangs_at"),
    [
        (sites(), {"extractors": (HANGING,)}, "parsing"),
        (sites(**{"/": STALLED_ONCE}), {}, "visiting"),
        (sites(**{"/": STALLED_IN_BODY_ONCE}), {}, "visiting"),
        (sites(**{"/robots.txt": STALLED_ONCE}), {}, "asking"),
    ],
    ids=["a user's function", "a server before its head", "a server within a body", "a robots.txt"],
)
def test_stop_ends_a_run_in_which_something_hangs_and_resume_does_it(
    pages: dict[tuple[str, str], Behaviour], changes: dict[str, Any], hangs_at: str, tmp_path: Path
) -> None:
    with SimProcess(NO_WEB, pages) as sim:
        clock = HastyClock()
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, **patient(sim, **changes)), clock)
        stopped = stop_when(crawl, clock, under_way(crawl, hangs_at))
        assert uvloop.run(asyncio.wait_for(stopped, CRAWL_WITHIN_S)) is Ending.INTERRUPTED
        assert CrawlFiles(tmp_path / "crawl").rows == []
        assert list((tmp_path / "crawl" / "state" / "spool").iterdir()) == []
        ending, files = resume(tmp_path / "crawl", extractors=())
        urls = {sim.web.url(HOST, path, "http") for path in ("/", "/next")}
    assert ending is Ending.DONE
    assert files.responses() == dict.fromkeys(urls, 200)
    assert_archive_is_consistent(files)


def test_stop_ends_a_run_whose_name_servers_never_answer(tmp_path: Path) -> None:
    silent = DnsSpec(always_failing={HOST: DnsFailure.SILENCE})
    with SimProcess(NO_WEB, sites(), silent) as sim:
        clock = HastyClock()
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, **patient(sim)), clock)
        stopped = stop_when(crawl, clock, under_way(crawl, "preparing"))
        assert uvloop.run(asyncio.wait_for(stopped, CRAWL_WITHIN_S)) is Ending.INTERRUPTED


def test_run_that_is_stopped_has_time_to_finish_what_it_can(tmp_path: Path) -> None:
    """No advance of the clock here: the response is waited for, and committed."""
    pages = sites(**{"/": Broken(Fault.STALL_BEFORE_HEAD, PAGE, attempts=1, stall_s=0.3)})

    async def stop_soon(crawl: Crawl) -> Ending:
        running = asyncio.ensure_future(crawl.run())
        await until(under_way(crawl, "visiting"))
        crawl.stop()
        return await running

    with SimProcess(NO_WEB, pages) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, **patient(sim)))
        assert uvloop.run(asyncio.wait_for(stop_soon(crawl), CRAWL_WITHIN_S)) is Ending.INTERRUPTED
        assert crawl.counters.requests


@pytest.mark.parametrize("by", ["SIGTERM", "--max-time"])
def test_command_ends_although_all_workers_hang(by: str, tmp_path: Path) -> None:
    with SimProcess(NO_WEB, sites()) as sim:
        url = sim.web.url(HOST, "/", "http")
        flags = ["--extract", HANGING, "--dns-server", sim.dns, "--allow-private", "--delay", "0", "--quiet"]
        flags += ["--max-time", "2"] if by == "--max-time" else []
        words = [sys.executable, "-m", "weft", "crawl", url, "-o", str(tmp_path / "crawl"), *flags]
        crawl = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        try:
            if by == "SIGTERM":
                marker = tmp_path / "crawl" / "state" / "workers.log"
                while not (marker.exists() and b"hanging" in marker.read_bytes()):
                    assert crawl.poll() is None
                    time.sleep(0.01)
                crawl.send_signal(signal.SIGTERM)
            _, errors = crawl.communicate(timeout=GUARD_S)
        finally:
            crawl.kill()
            crawl.wait()
        assert crawl.returncode == (143 if by == "SIGTERM" else 3), errors
        ending, files = resume(tmp_path / "crawl", extractors=(), max_time_s=None)
    assert ending is Ending.DONE
    assert len(files.responses()) == 2
