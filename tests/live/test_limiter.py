"""What limits a crawl is told in numbers, whatever it is, with the flag that would change it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.live.progresses import MIB, a_progress, answered, held, hosts
from weft.config import CrawlConfig
from weft.dns import DnsStatistics
from weft.live.limiter import NAMES, limiter_of
from weft.pipeline.halts import Halt
from weft.pipeline.progress import ADDRESS, BETWEEN_REQUESTS, HostWait
from weft.settings.table import CRAWL_SETTINGS
from weft.workers.balance import Decision, Means, Reading

FLAGS = {f"--{setting.name}" for setting in CRAWL_SETTINGS}
# One state of a crawl in which each halt can be.
MIDST = {
    "hosts": hosts(busy=4, waiting=5, preparing=6, left=7), "visiting": 20, "asking": 2, "parsing": 9, "workers": 4,
}  # fmt: skip
CONFIG = CrawlConfig(rate=5.0, max_pages=100, workers=4, connections=1024)


@pytest.mark.parametrize("halt", Halt)
@pytest.mark.parametrize("config", [CONFIG, CrawlConfig()], ids=["set", "default"])
def test_each_reason_to_wait_has_words(halt: Halt, config: CrawlConfig) -> None:
    limiter = limiter_of(a_progress(halt=halt, **MIDST), config)
    assert limiter.name in NAMES
    assert limiter.name == halt or halt is Halt.NO_HOST
    assert limiter.words[0].islower() or limiter.words[0].isdigit()
    assert not limiter.words.endswith(".")
    assert set(re.findall(r"--[a-z-]+", f"{limiter.words} {limiter.advice}")) <= FLAGS


LOOKING_UP = DnsStatistics(0, 90, 0, 60, 0, 0, 0, mean_query_ms=20.0, cached_names=60, replaced_names=0, in_flight=30)
TWELVE_REST = {
    "hosts": hosts(busy=2, waiting=12),
    "waiting": [HostWait("a.example", 0.5, BETWEEN_REQUESTS)],
    "polite_rate": 14.0,
    "visiting": 2,
}


@pytest.mark.parametrize(
    ("changes", "settings", "name", "words", "advice"),
    [
        (
            TWELVE_REST, {}, "politeness",
            "12 of 14 hosts rest between requests; at 1 s a host this web allows 14 pages/s",
            "`--delay` or `--connections-per-host` would change that, if the owners agree",
        ),
        (
            TWELVE_REST | {"polite_rate": 1.4}, {}, "politeness",
            "12 of 14 hosts rest between requests; at 10 s a host this web allows 1.4 pages/s",
            "the hosts ask for more than `--delay`, by robots.txt or by answering slowly",
        ),
        (
            {"hosts": hosts(waiting=30), "waiting": [HostWait("a.example", 0.0, ADDRESS)]}, {}, "politeness",
            "30 of 30 hosts wait for others at their IP addresses",
            "`--requests-per-address` or `--connections-per-address` would change that, if the owners agree",
        ),
        (
            {"hosts": hosts(busy=9, waiting=1), "visiting": 9, "counters": answered(100, wait_s=0.4, receive_s=0.02)},
            {"delay_s": 0.0}, "servers",
            "9 requests under way to servers, 0.42 s each on average; 9 hosts have as many as allowed",
            "`--connections-per-host` would change that, if the owners agree",
        ),
        ({"hosts": hosts(ready=1), "visiting": 1}, {}, "servers", "1 request under way to servers", ""),
        (
            {"hosts": hosts(preparing=40, busy=1), "visiting": 1, "asking": 3, "dns": LOOKING_UP}, {}, "preparing",
            "40 hosts must be prepared first: 30 names looked up, 3 asked for robots.txt; a look-up takes 20 ms", "",
        ),
        (
            {
                "hosts": hosts(waiting=3), "rests": {"status 503": 2, "dns-failed": 1}, "polite_rate": 0.0,
                "waiting": [held("dns-failed", 300.0), held("status 503", 42.0), held("status 503", 40.0)],
            },
            {}, "resting",
            "3 hosts held back: status 503 × 2, dns-failed × 1; the first of them is asked again in 40 s", "",
        ),
        (
            TWELVE_REST | {"hosts": hosts(busy=2, waiting=15), "rests": {"connect-refused": 3}}, {}, "politeness",
            "12 of 14 hosts rest between requests; at 1 s a host this web allows 14 pages/s; "
            "3 hosts held back: connect-refused × 3",
            "`--delay` or `--connections-per-host` would change that, if the owners agree",
        ),
        ({}, {}, "nothing", "nothing is left to fetch", ""),
        (
            {"halt": Halt.SLOTS, "visiting": 120, "asking": 8}, {}, "connections",
            "128 of 128 connections in use; more are opened, up to 1,024, while that makes it faster", "",
        ),
        (
            {"halt": Halt.SLOTS, "visiting": 128}, {"connections": 128}, "connections",
            "128 of 128 connections in use", "`--connections` would change that, as far as `ulimit -n` allows",
        ),
        (
            {
                "halt": Halt.SLOTS, "visiting": 128,
                "readings": [Reading(name="fetch", means=Means.SLOTS, workers=128, most=1024, done=1, cpu_share=0.99)],
            },
            {}, "connections", "128 of 128 connections in use, and the engine keeps a core busy (99%)", "",
        ),
        (
            {"halt": Halt.PARSE, "parsing": 22}, {"workers": 2}, "parsing",
            "22 pages with 2 parse workers, at most 2", "`--workers` would change that, if cores are idle",
        ),
        (
            {"halt": Halt.PARSE, "parsing": 22}, {"workers": 8}, "parsing",
            "22 pages with 2 parse workers, at most 8; more are started", "",
        ),
        (
            {"halt": Halt.PARSE, "parsing": 22, "balance": [Decision("parse", 2, "hold: the cores are full")]},
            {"workers": 8}, "parsing", "22 pages with 2 parse workers, at most 8; the cores are full", "",
        ),
        (
            {"halt": Halt.PARSE, "parsing": 3, "body_bytes": 64 * MIB}, {"workers": 8}, "parsing",
            "3 pages with 2 parse workers, at most 8; 67 of 67 MB for bodies are in use",
            "`--memory` would change that",
        ),
        (
            {"halt": Halt.PACE}, {"rate": 2.5}, "pace", "the pace asked for is reached: 2.5 pages/s",
            "`--rate` would change that",
        ),
        (
            {"halt": Halt.PACE}, {"rate": 1.0}, "pace", "the pace asked for is reached: 1 page/s",
            "`--rate` would change that",
        ),
        (
            {"halt": Halt.PACE}, {"rate": 1000.0, "bandwidth": 5e6}, "pace",
            "the pace asked for is reached: 1,000 pages/s and 5 MB/s", "`--rate` or `--bandwidth` would change that",
        ),
        (
            {"halt": Halt.LIMIT, "visiting": 2, "parsing": 1}, {"max_pages": 5}, "limit",
            "3 pages under way may be all that `--max-pages` allows", "",
        ),
        (
            {"halt": Halt.STOPPING, "visiting": 2, "parsing": 1}, {}, "stopping",
            "waits for the end of 2 requests and 1 page with the workers", "",
        ),
        (
            {"halt": Halt.PAUSED}, {}, "paused", "no request begins; 0 requests and 0 pages with the workers under way",
            "`weft control … resume` goes on",
        ),
    ],
)  # fmt: skip
def test_what_limits_it_is_said_in_numbers(
    changes: dict[str, Any], settings: dict[str, Any], name: str, words: str, advice: str
) -> None:
    limiter = limiter_of(a_progress(**changes), CrawlConfig(**settings))
    assert (limiter.name, limiter.words, limiter.advice) == (name, words, advice)


def test_a_single_host_that_rests_longer_than_it_answers_is_limited_by_politeness_at_any_moment() -> None:
    counters = answered(100, wait_s=0.1)
    asked = a_progress(hosts=hosts(busy=1), visiting=1, polite_rate=1.0, counters=counters)
    resting = a_progress(hosts=hosts(waiting=1), polite_rate=1.0, counters=counters)
    assert limiter_of(asked, CrawlConfig()).name == limiter_of(resting, CrawlConfig()).name == "politeness"
    assert limiter_of(asked, CrawlConfig()).words.startswith("hosts rest between requests for longer than they take")


def test_a_single_host_that_answers_slower_than_it_rests_is_limited_by_its_server() -> None:
    asked = a_progress(hosts=hosts(busy=1), visiting=1, polite_rate=1.0, counters=answered(100, wait_s=3.0))
    assert limiter_of(asked, CrawlConfig()).name == "servers"


def test_of_many_reasons_the_most_frequent_are_told() -> None:
    rests = {f"status {status}": status for status in (429, 500, 502, 503)}
    limiter = limiter_of(a_progress(hosts=hosts(waiting=1934), rests=rests), CrawlConfig())
    assert limiter.words == "1,934 hosts held back: status 503 × 503, status 502 × 502, status 500 × 500, …"
