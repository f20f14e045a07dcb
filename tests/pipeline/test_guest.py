"""A guest's manners where the web is at its worst: robots.txt, redirects and retries counted, by the server's log."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crawls import is_killed_at
from tests.faults.repairs import rows_of, sides_of
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import Request, RequestLog, SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed
from weft.simweb.requestlog import UNFINISHED

from .crawling import CrawlFiles, crawl_all, quick_config, run
from .engine_process import engine, prepare_folder
from .small_web import Sites, SmallWeb, page, redirect, text

DELAY_S = 0.2
ONE_PAGE = WebSpec(hosts=1, pages=1)
SITE = "site.test"
DAY_S = 86_400
# All that is tried again, and all kinds of redirects and robots.txt.
FAULTY_WEB = WebSpec(
    hosts=10,
    pages=25,
    seed=3,
    redirect_share=0.2,
    reset_share=0.05,
    status_5xx_share=0.1,
    garbled_share=0.05,
    failing_attempts=1,
    odd_robots_share=0.4,
    late_robots_share=0.2,
    tls_share=0.4,
    www_share=0.25,
    rate_limited_share=0.1,
    rate_limited_requests=1,
    latency_ms=(1, 40),
)
# Fifty names on one address, a page or two each, and answers that take long enough to overlap.
FIFTY_NAMES = WebSpec(hosts=50, pages=65, seed=2, addresses=1, latency_ms=(30, 60))


def polite_config(sim: SimProcess, **changes: Any) -> CrawlConfig:
    """The defaults of a crawl but for a shorter delay, and the limits of an address, which are given where meant."""
    polite = {
        "delay_s": DELAY_S,
        "connections_per_host": 1,
        "connections_per_address": 50,
        "requests_per_address_s": 1e6,
    }
    return quick_config(sim, **{**polite, **changes})


def site_of(pages: int, robots: Behaviour) -> dict[tuple[str, str], Behaviour]:
    """A home page that links to so many others."""
    paths = [f"/{number}" for number in range(pages)]
    site: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*paths), (SITE, "/robots.txt"): robots}
    return site | {(SITE, path): page() for path in paths}


def rests_s(log: RequestLog, host: str) -> list[tuple[Request, Request, float]]:
    """Two requests of a host in a row, and the time from the end of the first to the start of the second.

    A response that the crawler has had enough of ends for it before the server knows: all that is sure is its start.
    """
    asked = sorted((request for request in log if request.host == host), key=lambda request: request.started_at)
    assert all(request.ended_at is not None for request in asked)
    return [(sooner, later, later.started_at - _end_of(sooner)) for sooner, later in pairwise(asked)]


def _end_of(request: Request) -> float:
    is_cut = request.fault == UNFINISHED or request.ended_at is None
    return request.started_at if is_cut else request.ended_at or 0.0


def assert_rests_are_at_least(log: RequestLog, delay_s: float, hosts: int) -> None:
    """From each response's end to the next request of its host, whatever either is for."""
    by_host = {host: rests_s(log, host) for host in {request.host for request in log}}
    assert sum(bool(rests) for rests in by_host.values()) >= hosts  # so many hosts were asked twice or more
    assert [rest for rests in by_host.values() for rest in rests if rest[2] < delay_s] == []


# ── one host ──


def test_robots_txt_redirects_and_retries_keep_to_one_connection_and_to_the_delay(tmp_path: Path) -> None:
    with SimProcess(FAULTY_WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, ca_file=str(sim.ca_file)))
        truth = sim.web.truth()
    assert files.responses() == truth.status
    assert len(truth.failing_attempts) > 2
    assert truth.rate_limited
    assert len([request for request in sim.log if request.is_robots]) > len(sim.web.hosts)  # redirected, or late
    assert set(sim.log.peak_concurrency().values()) == {1}
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=10)


def test_robots_txt_on_another_host_takes_that_hosts_turn(tmp_path: Path) -> None:
    sites = tuple(f"site{number}.test" for number in range(8))

    def made(web: SimWeb) -> Sites:
        shared = web.url("rules.test", "/shared/robots.txt")
        pages: dict[tuple[str, str], Behaviour] = {
            ("rules.test", "/"): page(*(web.url(name, "/") for name in sites), "/1", "/2"),
            ("rules.test", "/1"): page(),
            ("rules.test", "/2"): page(),
            ("rules.test", "/shared/robots.txt"): text("User-agent: *\nDisallow: /no"),
        }
        for name in sites:
            pages[name, "/robots.txt"] = redirect(shared)
            pages[name, "/"] = page("/no")
        return pages

    small = SmallWeb(("rules.test", *sites), made)
    _, files = small.crawl(tmp_path / "crawl", "rules.test", delay_s=DELAY_S, requests_per_address_s=1e6)
    assert len(files.responses()) == 3 + len(sites)
    asked = [request.path for request in small.log if request.host == "rules.test"]
    assert asked.count("/shared/robots.txt") == len(sites)
    assert set(small.log.peak_concurrency().values()) == {1}
    assert_rests_are_at_least(small.log, DELAY_S, hosts=1 + len(sites))


BY_DEATH = pytest.mark.parametrize("fault", [Fault.RESET_BEFORE_HEAD, Fault.CLOSE_BEFORE_HEAD])


@BY_DEATH
def test_a_request_that_met_a_dead_connection_is_made_again_after_the_delay_and_counts_as_one_try(
    fault: Fault, tmp_path: Path
) -> None:
    site = site_of(2, text("")) | {(SITE, "/1"): Broken(fault, page(), 1)}
    with SimProcess(ONE_PAGE, site) as sim:
        # An ordinary retry would wait for an hour, and a host may not: the page would be left.
        config = polite_config(sim, seeds=(sim.web.url(SITE, "/"),), retry_wait_scale=1800, max_pages_per_host=3)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    assert list(files.responses().values()) == [200] * 3
    log = (tmp_path / "crawl" / "crawl.log").read_text()
    assert (log.count("again on a new connection"), log.count("attempt:")) == (1, 0)
    asked = [request for request in sim.log if request.path == "/1"]
    assert len(asked) == 2
    assert asked[0].connection != asked[1].connection
    assert len(rests_s(sim.log, SITE)) == 4
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=1)


@BY_DEATH
def test_a_robots_txt_that_met_a_dead_connection_is_asked_for_again_after_the_delay(
    fault: Fault, tmp_path: Path
) -> None:
    def made(web: SimWeb) -> Sites:
        return {
            ("rules.test", "/robots.txt"): text(""),
            ("rules.test", "/"): page(web.url("site.test", "/")),
            ("rules.test", "/shared.txt"): Broken(fault, text("User-agent: *\nDisallow: /no"), 1),
            ("site.test", "/robots.txt"): redirect(web.url("rules.test", "/shared.txt")),
            ("site.test", "/"): page("/no"),
        }

    small = SmallWeb(("rules.test", "site.test"), made)
    ending, files = small.crawl(tmp_path / "crawl", "rules.test", delay_s=DELAY_S, retry_wait_scale=1800)
    assert ending is Ending.DONE
    assert list(files.responses().values()) == [200] * 2
    assert [request.path for request in small.log if request.host == "rules.test"][-2:] == ["/shared.txt"] * 2
    assert_rests_are_at_least(small.log, DELAY_S, hosts=2)


def test_a_crawl_delay_longer_than_ours_is_kept_between_all_requests(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE, site_of(2, text("User-agent: *\nCrawl-delay: 1"))) as sim:
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, seeds=(sim.web.url(SITE, "/"),)))
    assert len(files.responses()) == 3
    assert len(rests_s(sim.log, SITE)) == 3  # the first of them after robots.txt
    assert_rests_are_at_least(sim.log, 1.0, hosts=1)


def test_retry_after_is_kept_by_the_whole_host_in_seconds_and_as_a_date(tmp_path: Path) -> None:
    # A date has no fractions: of three seconds two are left at least.
    sites = {
        f"{fault}-{'date' if as_date else 'seconds'}.test": Broken(
            fault, page(), 1, retry_after_s=3 if as_date else 2, retry_after_as_date=as_date
        )
        for fault in (Fault.STATUS_429, Fault.STATUS_503)
        for as_date in (False, True)
    }
    custom: dict[tuple[str, str], Behaviour] = {}
    for name, broken in sites.items():
        custom |= {(name, "/"): page("/busy", "/a", "/b"), (name, "/busy"): broken}
        custom |= {(name, "/a"): page(), (name, "/b"): page()}
    with SimProcess(ONE_PAGE, custom) as sim:
        seeds = tuple(sim.web.url(name, "/") for name in sites)
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, seeds=seeds, retry_wait_scale=0.001))
    assert list(files.responses().values()) == [200] * 16
    for name in sites:
        (after_refusal,) = [rest for rest in rests_s(sim.log, name) if rest[0].status in (429, 503)]
        assert after_refusal[2] >= 2.0, after_refusal
    assert set(sim.log.peak_concurrency().values()) == {1}


def test_a_host_that_has_had_enough_rests_each_time_and_is_left_after_five(tmp_path: Path) -> None:
    paths = [f"/{name}" for name in "abcdef"]
    custom: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*paths)}
    custom |= {(SITE, path): Fixed(b"enough", 429, "text/plain") for path in paths}
    with SimProcess(ONE_PAGE, custom) as sim:
        seeds = (sim.web.url(SITE, "/"),)
        crawl = Crawl.create(tmp_path / "crawl", polite_config(sim, seeds=seeds, retry_wait_scale=0.03))
        assert run(crawl) is Ending.LIMIT
    assert crawl.parked_hosts == {SITE: "status 429"}
    refused = [request.path for request in sim.log if request.status == 429]
    assert len(refused) == 5, refused
    after_refusals = [rest for rest in rests_s(sim.log, SITE) if rest[0].status == 429]
    assert min(rest_s for _, _, rest_s in after_refusals) >= 30 * 0.03  # longer than its delay


def test_retry_after_with_robots_txt_is_kept(tmp_path: Path) -> None:
    refusal = Broken(Fault.STATUS_503, text("User-agent: *\nAllow: /"), 1, retry_after_s=2)
    with SimProcess(ONE_PAGE, site_of(1, refusal)) as sim:
        seeds = (sim.web.url(SITE, "/"),)
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, seeds=seeds, retry_wait_scale=0.001))
    assert len(files.responses()) == 2
    assert [request.path for request in sim.log][:3] == ["/robots.txt", "/robots.txt", "/"]
    assert rests_s(sim.log, SITE)[0][2] >= 2.0


def test_a_crawl_delay_of_a_day_leaves_the_host_for_another_run_which_does_not_ask_it_too_soon(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE, site_of(3, text(f"User-agent: *\nCrawl-delay: {DAY_S}"))) as sim:
        other = {"seeds": (sim.web.url(SITE, "/"), *sim.seeds)}
        crawl = Crawl.create(tmp_path / "crawl", polite_config(sim, **other))
        assert run(crawl) is Ending.LIMIT
        assert list(crawl.parked_hosts) == [SITE]
        asked_before = crawl.counters.requests
        crawl = Crawl.resume(tmp_path / "crawl")
        assert run(crawl) is Ending.LIMIT
        assert list(crawl.parked_hosts) == [SITE]
        assert crawl.counters.requests == asked_before
    assert [request.path for request in sim.log if request.host == SITE] == ["/robots.txt"]


# ── one address ──


def test_fifty_names_on_one_address_share_its_connections(tmp_path: Path) -> None:
    with SimProcess(FIFTY_NAMES) as sim:
        config = polite_config(sim, connections_per_address=4, delay_s=0.05)
        _, files = crawl_all(tmp_path / "crawl", config)
        truth = sim.web.truth()
    assert files.responses() == truth.status
    assert len(sim.log.peak_concurrency()) == 50
    assert sim.log.peak_concurrency("address") == {sim.log[0].address: 4}


def test_fifty_names_on_one_address_share_its_rate(tmp_path: Path) -> None:
    with SimProcess(FIFTY_NAMES) as sim:
        # As a fifth of the usual delay was asked for, five times the rate is allowed.
        _, files = crawl_all(tmp_path / "crawl", polite_config(sim, requests_per_address_s=10.0))
        truth = sim.web.truth()
    assert files.responses() == truth.status
    assert {request.address for request in sim.log} == {sim.log[0].address}
    peak = most_sent_in_a_second(files.folder)
    # 50 and the one at the window's edge; on a busy machine some more arrive together. Alone, the delays of the hosts
    # would allow 250. More than 10, the usual rate: how many more than that depends on the machine.
    assert 10 < peak <= 75


def most_sent_in_a_second(folder: Path) -> int:
    """Of pages and robots.txt. The server may get them later, and then several at once."""
    sides = [row.fetched_at for _, row in sides_of(folder) if row.url.endswith("/robots.txt")]
    sent = sorted([*sides, *(row.fetched_at for row in rows_of(folder).values())])
    return max(bisect_left(sent, at + 1.0) - number for number, at in enumerate(sent))


def test_hosts_and_addresses_are_not_asked_too_soon_across_kills(tmp_path: Path) -> None:
    with SimProcess(FIFTY_NAMES) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, polite_config(sim, connections_per_address=4))
        crashes = [is_killed_at(folder, f"commit-written:{number}:group") for number in (9, 20)]
        assert crashes[0]  # on a busy machine there are fewer commits: it may be over before the last
        with engine(folder) as process:
            assert process.wait() == 0
        truth = sim.web.truth()
    assert CrawlFiles(folder).responses() == truth.status
    assert set(sim.log.peak_concurrency().values()) == {1}
    assert set(sim.log.peak_concurrency("address").values()) == {4}
    assert_rests_are_at_least(sim.log, DELAY_S, hosts=50)
