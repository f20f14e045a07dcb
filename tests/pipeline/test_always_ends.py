"""A crawl always ends: who cannot be asked now is left for another run, with the reason, and that run goes on."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from weft.clock import Clock
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed, TlsFault

from .crawling import CrawlFiles, quick_config, run
from .side_by_side import crawl_side_by_side
from .small_web import page, text

ONE_PAGE = WebSpec(hosts=1, pages=1)
GOOD = "good.test"
BAD = "bad.test"
DAY_S = 86_400

Pages = dict[tuple[str, str], Behaviour]


ALWAYS_503 = Fixed(b"later", 503, "text/plain")
RETRY_TOMORROW = Broken(Fault.STATUS_503, retry_after_s=DAY_S)
RETRY_AT_A_DATE = Broken(Fault.STATUS_429, retry_after_s=DAY_S, retry_after_as_date=True)
SLOWLY = f"User-agent: *\nCrawl-delay: {DAY_S}"
SILENT = Broken(Fault.STALL_BEFORE_HEAD, stall_s=20)

# What a host does, by path, and why it is left.
BAD_HOSTS: dict[str, tuple[dict[str, Behaviour], str]] = {
    "robots-503.test": ({"/robots.txt": ALWAYS_503}, "robots.txt is unreachable (503)"),
    "robots-429.test": ({"/robots.txt": RETRY_AT_A_DATE}, "robots.txt is unreachable (429)"),
    "robots-retry-after.test": ({"/robots.txt": RETRY_TOMORROW}, "robots.txt is unreachable (503)"),
    "robots-stalls.test": ({"/robots.txt": SILENT}, "robots.txt is unreachable (response-timeout)"),
    "retry-after-seconds.test": ({"/": RETRY_TOMORROW}, "status 503"),
    "retry-after-date.test": ({"/": RETRY_AT_A_DATE}, "status 429"),
    "crawl-delay.test": ({"/robots.txt": text(SLOWLY)}, "its delay is longer than a host may wait"),
    "never-answers.test": ({"*": SILENT}, "robots.txt is unreachable (response-timeout)"),
}
BAD_TLS = {
    TlsFault.EXPIRED: "tls-certificate",
    TlsFault.WRONG_HOST: "tls-certificate",
    TlsFault.SELF_SIGNED: "tls-certificate",
    TlsFault.UNKNOWN_AUTHORITY: "tls-certificate",
    TlsFault.OLD_PROTOCOL: "tls-failed",
    TlsFault.STALL: "connect-timeout",
    TlsFault.CLOSE: "tls-failed",
    TlsFault.RESET: "tls-failed",
    TlsFault.GARBAGE: "tls-failed",
    TlsFault.ALERT: "tls-failed",
}


def test_hosts_that_cannot_be_asked_are_left_with_the_reason_and_the_crawl_ends(tmp_path: Path) -> None:
    pages: Pages = {(GOOD, "/"): page("/more"), (GOOD, "/more"): page()}
    for host, (behaviours, _) in BAD_HOSTS.items():
        pages |= {(host, path): what for path, what in ({"/": page("/a", "/b")} | behaviours).items()}
    with SimProcess(ONE_PAGE, pages) as sim:
        # Where the server itself asks for a rest, all of its host rests.
        silent = {sim.web.url(host, ""): why for host, (_, why) in BAD_HOSTS.items() if "response-timeout" in why}
        resting = {host: why for host, (_, why) in BAD_HOSTS.items() if "response-timeout" not in why}
        config = quick_config(
            sim,
            seeds=tuple(sim.web.url(host, "/") for host in (*resting, GOOD)),
            connections_per_host=1,
            retry_wait_scale=100.0,  # so the next run comes before a rest is over
            max_host_wait_s=1.0,
        )
        impatient = replace(config, seeds=tuple(f"{site}/" for site in silent), response_timeout_s=0.3)
        crawled = crawl_side_by_side(tmp_path, config, impatient)
        good = {sim.web.url(GOOD, "/"): 200, sim.web.url(GOOD, "/more"): 200}
        assert [one.files.responses() for one in crawled] == [good, {}]
        for one, reasons, ending in zip(crawled, (resting, silent), (Ending.LIMIT, Ending.SEEDS_FAILED), strict=True):
            assert one.ending is ending
            assert one.crawl.parked_hosts == reasons
            # A run right after it leaves the hosts alone, and says the same.
            asked = one.crawl.counters.requests
            crawl = Crawl.resume(one.files.folder)
            assert run(crawl) is ending
            assert crawl.parked_hosts == reasons
            assert crawl.counters.requests == asked
    assert CrawlFiles(crawled[0].files.folder).responses() == good


def test_pages_that_never_come_are_given_up(tmp_path: Path) -> None:
    pages: Pages = {(BAD, "*"): SILENT}
    with SimProcess(ONE_PAGE, pages) as sim:
        seeds = tuple(sim.web.url(BAD, f"/{number}") for number in range(2))
        config = quick_config(sim, seeds=seeds, ignore_robots=True, response_timeout_s=0.2, connections_per_host=1)
        crawl = Crawl.create(tmp_path / "crawl", config)
        ending = run(crawl)
    assert ending is Ending.SEEDS_FAILED
    outcomes = CrawlFiles(tmp_path / "crawl").outcomes()
    assert {outcomes[seed] for seed in seeds} == {"response-timeout"}


def test_hosts_with_broken_tls_are_left_with_the_reason(tmp_path: Path) -> None:
    hosts = {f"{fault}.test": why for fault, why in BAD_TLS.items()}
    with SimProcess(ONE_PAGE, tls_faults={f"{fault}.test": fault for fault in BAD_TLS}) as sim:
        seeds = [sim.web.url(host, "/", "https") for host in hosts]
        stalling = sim.web.url(f"{TlsFault.STALL}.test", "/", "https")
        config = quick_config(
            sim,
            seeds=(*(url for url in seeds if url != stalling), *sim.seeds),
            ca_file=str(sim.ca_file),
            max_host_wait_s=1.0,
        )
        impatient = replace(config, seeds=(stalling, *sim.seeds), connect_timeout_s=0.5)
        crawled = crawl_side_by_side(tmp_path, config, impatient)
    assert [one.ending for one in crawled] == [Ending.LIMIT] * 2
    parked = crawled[0].crawl.parked_hosts | crawled[1].crawl.parked_hosts
    assert parked == {
        sim.web.url(host, "", "https"): f"robots.txt is unreachable ({why})" for host, why in hosts.items()
    }


def test_a_host_is_asked_again_by_a_run_that_may_wait_for_it(tmp_path: Path) -> None:
    """After two tries, of which the second would have been too late for the first run, robots.txt is there."""
    late = Broken(Fault.STATUS_503, text("User-agent: *\nDisallow: /private"), 2)
    pages: Pages = {(BAD, "/robots.txt"): late, (BAD, "/"): page("/a", "/private"), (BAD, "/a"): page()}
    with SimProcess(ONE_PAGE, pages) as sim:
        # It would be tried again after 60 s, then after 300 s; here after 0.3 s and 1.5 s.
        seeds = (sim.web.url(BAD, "/"), *sim.seeds)
        config = quick_config(sim, seeds=seeds, retry_wait_scale=0.005, max_host_wait_s=0.7)
        crawl = Crawl.create(tmp_path / "crawl", config)
        assert run(crawl) is Ending.LIMIT
        assert "503" in crawl.parked_hosts[sim.web.url(BAD, "")]
        crawl = Crawl.resume(tmp_path / "crawl", max_host_wait_s=30)
        assert run(crawl) is Ending.DONE
        assert crawl.parked_hosts == {}
    responses = CrawlFiles(tmp_path / "crawl").responses()
    assert {sim.web.url(BAD, "/"), sim.web.url(BAD, "/a")} <= responses.keys()
    assert sim.web.url(BAD, "/private") not in responses
    assert [request.path for request in sim.log if request.host == BAD][:4] == ["/robots.txt"] * 3 + ["/"]


class LaterClock(Clock):
    """The real clocks, some time ahead."""

    def __init__(self, ahead_s: float) -> None:
        self._ahead_s = ahead_s

    def wall(self) -> float:
        return super().wall() + self._ahead_s

    def monotonic(self) -> float:
        return super().monotonic() + self._ahead_s


def test_hosts_that_asked_for_a_day_are_asked_again_by_the_next_days_run(tmp_path: Path) -> None:
    pages: Pages = {
        ("rules.test", "/robots.txt"): Broken(Fault.STATUS_503, text(""), 1, retry_after_s=DAY_S),
        ("rules.test", "/"): page(),
        ("page.test", "/"): Broken(Fault.STATUS_429, page(), 1, retry_after_s=DAY_S, retry_after_as_date=True),
    }
    with SimProcess(ONE_PAGE, pages) as sim:
        seeds = {sim.web.url("rules.test", "/"): 200, sim.web.url("page.test", "/"): 200}
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=(*seeds, *sim.seeds), max_host_wait_s=1.0))
        assert run(crawl) is Ending.LIMIT
        assert set(crawl.parked_hosts) == {"rules.test", "page.test"}
        crawl = Crawl.resume(tmp_path / "crawl", LaterClock(DAY_S / 2))
        assert run(crawl) is Ending.LIMIT
        assert set(crawl.parked_hosts) == {"rules.test", "page.test"}
        crawl = Crawl.resume(tmp_path / "crawl", LaterClock(DAY_S))
        assert run(crawl) is Ending.DONE
    assert CrawlFiles(tmp_path / "crawl").responses().items() >= seeds.items()
    asked = [(request.host, request.path) for request in sim.log if request.host in ("rules.test", "page.test")]
    assert asked.count(("rules.test", "/")) == 1
    assert asked.count(("page.test", "/")) == 2
