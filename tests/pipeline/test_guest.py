"""A guest's manners where the web is at its worst: robots.txt, redirects and retries counted, by the server's log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import Request, RequestLog, SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, CountedBy, Delayed, Fault, Fixed

from .crawling import CrawlFiles, crawl_all, quick_config, resume, run
from .engine_process import ArchiveWatcher, engine, prepare_folder

DELAY_S = 0.2
# The server notes a response's end after it has sent it; on a busy machine the crawler may know sooner.
LATE_NOTE_S = 0.02
ONE_PAGE = WebSpec(hosts=1, pages=1)
SITE = "site.test"
DAY_S = 86_400
# What may go wrong on the way, and is tried again.
FAULTY_WEB = WebSpec(
    hosts=8,
    pages=40,
    seed=3,
    redirect_share=0.2,
    reset_share=0.05,
    status_5xx_share=0.1,
    garbled_share=0.05,
    failing_attempts=1,
    odd_robots_share=0.3,
    late_robots_share=0.3,
    tls_share=0.4,
    www_share=0.25,
    rate_limited_share=0.1,
    rate_limited_requests=1,
    latency_ms=(1, 40),
)
# Fifty names on one address, two pages each, and answers that take long enough to overlap.
FIFTY_NAMES = WebSpec(hosts=50, pages=100, seed=2, addresses=1, latency_ms=(30, 60), dead_share=0, redirect_share=0)


def polite_config(sim: SimProcess, **changes: Any) -> CrawlConfig:
    """The defaults of a crawl but for a shorter delay, and for the limits of an address unless they are given."""
    polite = {"delay_s": DELAY_S, "connections_per_host": 1, "connections_per_address": 50, "slow_factor": 0.0}
    return quick_config(sim, **{**polite, "requests_per_address_s": 1e6, **changes})


def page(*hrefs: str) -> Fixed:
    return Fixed(b"<!DOCTYPE html>" + "".join(f'<p><a href="{href}">x</a>' for href in hrefs).encode())


def text(body: str) -> Fixed:
    return Fixed(body.encode(), content_type="text/plain")


def site_of(pages: int, robots: Behaviour) -> dict[tuple[str, str], Behaviour]:
    """A home page that links to so many others."""
    paths = [f"/{number}" for number in range(pages)]
    site: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*paths), (SITE, "/robots.txt"): robots}
    return site | {(SITE, path): page() for path in paths}


def gaps_s(log: RequestLog, host: str) -> list[tuple[Request, float]]:
    """Each request to a host but the first, and how long after the end of the last response it came."""
    asked = [request for request in log if request.host == host]
    return [(later, later.started_at - (sooner.ended_at or 0)) for sooner, later in zip(asked, asked[1:], strict=False)]


def assert_rests_are_at_least(log: RequestLog, delay_s: float, hosts: int) -> None:
    """From each response's end to the next request of its host.

    A kept connection may turn out to be dead when it is used again; that request is sent once more, on a new
    one, without a rest: the client cannot know that the server read it before it broke the connection off.
    """
    gaps = RequestLog(request for request in log if request.status).least_gap_s()
    assert len(gaps) >= hosts  # so many hosts were asked twice or more
    assert {host: gap for host, gap in gaps.items() if gap < delay_s - LATE_NOTE_S} == {}


# ── one host ──


def test_robots_txt_redirects_and_retries_keep_to_one_connection_and_to_the_delay(tmp_path: Path) -> None:
    with SimProcess(FAULTY_WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, ca_file=str(sim.ca_file)))
        truth = sim.web.truth()
    assert files.responses() == truth.status
    assert truth.failing_attempts
    assert truth.rate_limited
    assert len([request for request in sim.log if request.is_robots]) > len(sim.web.hosts)  # some redirected, some late
    assert set(sim.log.peak_concurrency().values()) == {1}
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=8)


def test_robots_txt_on_another_host_takes_that_hosts_turn(tmp_path: Path) -> None:
    """Ten sites keep their robots.txt with a host that has pages of its own."""
    sites = [f"site{number}.test" for number in range(10)]
    with SimProcess(ONE_PAGE, {("rules.test", "/"): page()}) as sim:
        rules_at = sim.web.url("rules.test", "/robots.txt")
    # The port is known only when the server runs; a Location without a scheme and port leads to the usual one.
    del rules_at
    custom = site_of(5, text("")) | {(name, "/"): page() for name in sites}
    with SimProcess(ONE_PAGE, custom | {(name, "/robots.txt"): _to(SITE, "/shared") for name in sites}) as sim:
        seeds = tuple(sim.web.url(name, "/") for name in (SITE, *sites))
        crawl_all(tmp_path / "crawl", polite_config(sim, seeds=seeds))


def _to(host: str, path: str) -> Fixed:
    return Fixed(b"", 302, headers=(("Location", f"//{host}{path}"),))
