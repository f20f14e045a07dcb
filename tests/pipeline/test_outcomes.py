"""Every way a visit can end: its name in pages.jsonl and in the counters, and as many tries as the table says.

Each host has one URL and one fault, and robots.txt is not asked for, so that whatever the server's log says of a
host is about that URL.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests.ports import closed_port
from tests.scratch import scratch_folder
from weft.fetch.retry import OUTCOME_RULES, STATUS_RULES, Rule
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec, Request, SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed, Raw, TlsFault
from weft.simweb.dnsserver import DnsFailure
from weft.types import Outcome

from .crawling import CrawlFiles, Row, quick_config, run
from .deadly_filters import POISONOUS_PATH
from .side_by_side import Crawled, crawl_side_by_side
from .small_web import page

ONE_PAGE = WebSpec(hosts=1, pages=1)
WAIT_SCALE = 0.004
FINAL_STATUSES = (200, 204, 301, 304, 400, 401, 403, 404, 410, 418, 451, 501, 505, 599)
# Where no connection can lead although it is loopback: its broadcast address.
UNREACHABLE_ADDRESS = "127.255.255.255"

FAILING: dict[str, tuple[Behaviour, Outcome]] = {
    "reset.test": (Broken(Fault.RESET_BEFORE_HEAD), Outcome.RESET),
    "reset-in-body.test": (Broken(Fault.RESET_IN_BODY, Fixed(b"x" * 4000)), Outcome.RESET),
    "closed.test": (Broken(Fault.CLOSE_BEFORE_HEAD), Outcome.CLOSED),
    "closed-in-head.test": (Broken(Fault.CLOSE_IN_HEAD), Outcome.CLOSED),
    "closed-in-body.test": (Broken(Fault.CLOSE_IN_BODY, Fixed(b"x" * 4000)), Outcome.CLOSED),
    "length-too-long.test": (Broken(Fault.LENGTH_TOO_LONG, Fixed(b"x" * 4000)), Outcome.CLOSED),
    "chunks-cut.test": (Broken(Fault.CHUNKS_CUT, Fixed(b"x" * 4000)), Outcome.CLOSED),
    "silent.test": (Broken(Fault.STALL_BEFORE_HEAD, stall_s=20), Outcome.RESPONSE_TIMEOUT),
    "stalled.test": (Broken(Fault.STALL_IN_BODY, Fixed(b"x" * 4000), stall_s=20), Outcome.STALLED),
    "not-http.test": (Broken(Fault.NOT_HTTP), Outcome.BAD_RESPONSE),
    "garbled.test": (Broken(Fault.CHUNKS_GARBLED, Fixed(b"x" * 4000)), Outcome.BAD_RESPONSE),
    "large-head.test": (
        Raw(b"HTTP/1.1 200 OK\r\nX-Huge: " + b"x" * 2_000_000 + b"\r\n\r\n"),
        Outcome.HEAD_TOO_LARGE,
    ),
}
FAILING_TLS = {
    "expired.test": (TlsFault.EXPIRED, Outcome.TLS_CERTIFICATE),
    "wrong-host.test": (TlsFault.WRONG_HOST, Outcome.TLS_CERTIFICATE),
    "tls-alert.test": (TlsFault.ALERT, Outcome.TLS_FAILED),
    "tls-garbage.test": (TlsFault.GARBAGE, Outcome.TLS_FAILED),
    "tls-old.test": (TlsFault.OLD_PROTOCOL, Outcome.TLS_FAILED),
    # Nothing at all comes, as from a host behind a firewall.
    "tls-stall.test": (TlsFault.STALL, Outcome.CONNECT_TIMEOUT),
}
# Each is met by a crawl with one short time-out; all else may be as slow as a busy machine makes it.
SHORT_S = 0.3
FALLING_SILENT = {
    "silent.test": "response_timeout_s",
    "stalled.test": "idle_timeout_s",
    "tls-stall.test": "connect_timeout_s",
}
OUTCOMES = {host: outcome for host, (_, outcome) in (FAILING | FAILING_TLS).items()}


def host_of(url: str) -> str:
    return url.split("/")[2].partition(":")[0]


class Results:
    """What the crawls of all these hosts left behind."""

    def __init__(self, crawled: list[Crawled], sim: SimProcess) -> None:
        self.crawls = [one.crawl for one in crawled]
        self._rows = {host_of(row.url): row for one in crawled for row in one.files.rows}
        self._attempts: dict[str, int] = {}
        for one in crawled:
            with CrawlReader(one.files.folder) as reader:
                self._attempts |= {host_of(row.url): row.attempts for row in reader.rows()}
        self._log = sim.log
        self.dns_queries = sim.dns_queries

    def row(self, host: str) -> Row:
        return self._rows[host]

    def attempts(self, host: str) -> int:
        return self._attempts[host]

    def tries(self, host: str) -> list[Request]:
        return [request for request in self._log if host in (request.host, request.sni)]


@pytest.fixture(scope="module")
def results() -> Results:
    """They serve all tests here: most of their time they wait."""
    statuses = {f"status{status}.test": Fixed(b"x", status) for status in (*STATUS_RULES, *FINAL_STATUSES)}
    custom: dict[tuple[str, str], Behaviour] = {(host, "/"): answer for host, answer in statuses.items()}
    custom |= {(host, "/"): answer for host, (answer, _) in FAILING.items()}
    custom["poison.test", POISONOUS_PATH] = page("/x")
    dns = DnsSpec(
        always_failing={"dns-failed.test": DnsFailure.SERVFAIL},
        answers={"unreachable.test": ((UNREACHABLE_ADDRESS,),)},
    )
    tls_faults = {host: fault for host, (fault, _) in FAILING_TLS.items()}
    with scratch_folder() as folder:
        with SimProcess(ONE_PAGE, custom, dns, tls_faults=tls_faults) as sim:
            seeds = [sim.web.url(host, path) for host, path in custom]
            seeds += [sim.web.url(host, "/", "https") for host in tls_faults]
            seeds += ["http://nowhere.test/", "http://dns-failed.test/", sim.web.url("unreachable.test", "/")]
            seeds.append(f"http://127.0.0.1:{closed_port()}/")
            config = quick_config(
                sim,
                seeds=tuple(url for url in seeds if host_of(url) not in FALLING_SILENT),
                ignore_robots=True,
                connections_per_host=1,
                retry_wait_scale=WAIT_SCALE,
                ca_file=str(sim.ca_file),
                filters=(f"{__package__}.deadly_filters:kill_itself",),
            )
            impatient = [
                msgspec.structs.replace(config, **{FALLING_SILENT[host]: SHORT_S, "seeds": (url,)})
                for url in seeds
                if (host := host_of(url)) in FALLING_SILENT
            ]
            crawled = crawl_side_by_side(folder, config, *impatient)
        assert crawled[0].ending is Ending.LIMIT  # one name could not be looked up
        assert {one.ending for one in crawled[1:]} == {Ending.SEEDS_FAILED}
        return Results(crawled, sim)


def assert_tries_follow(rule: Rule, tries: list[Request]) -> None:
    """So many, and not sooner. From start to start: the server notes an end when it sees it, which may be late."""
    assert len(tries) == rule.tries
    assert_waits_follow(rule, tries)


def assert_waits_follow(rule: Rule, tries: list[Request]) -> None:
    for number, (sooner, later) in enumerate(pairwise(tries)):
        assert later.started_at - sooner.started_at >= rule.first_wait_s * rule.growth**number * WAIT_SCALE


# ── answers ──


@pytest.mark.parametrize("status", FINAL_STATUSES)
def test_a_status_that_is_final_is_a_response_after_one_try(status: int, results: Results) -> None:
    row = results.row(f"status{status}.test")
    assert (row.outcome, row.status) == (Outcome.RESPONSE, status)
    assert len(results.tries(f"status{status}.test")) == 1


@pytest.mark.parametrize("status", STATUS_RULES)
def test_a_status_that_may_pass_is_tried_again_and_is_a_response_in_the_end(status: int, results: Results) -> None:
    row = results.row(f"status{status}.test")
    assert (row.outcome, row.status) == (Outcome.RESPONSE, status)
    assert_tries_follow(STATUS_RULES[status], results.tries(f"status{status}.test"))


# ── failures that the server sees ──


@pytest.mark.parametrize("host", OUTCOMES)
def test_a_failure_has_its_name_and_its_tries(host: str, results: Results) -> None:
    rule = OUTCOME_RULES[OUTCOMES[host]]
    assert results.row(host).outcome == OUTCOMES[host]
    assert results.attempts(host) == rule.tries
    if host in FALLING_SILENT:  # on a busy machine, one may be given up before the server sees it
        assert_waits_follow(rule, results.tries(host))
    else:
        assert_tries_follow(rule, results.tries(host))


@pytest.mark.parametrize("host", ["reset-in-body.test", "closed-in-body.test", "stalled.test", "chunks-cut.test"])
def test_what_had_arrived_before_the_last_failure_is_kept_and_marked(host: str, results: Results) -> None:
    row = results.row(host)
    assert row.status == 200
    assert row.truncated in ("disconnect", "time")
    assert row.body_bytes > 0


def test_a_page_that_ends_its_worker_is_poison_and_asked_for_once(results: Results) -> None:
    assert results.row("poison.test").outcome == Outcome.POISON
    assert len(results.tries("poison.test")) == OUTCOME_RULES[Outcome.POISON].tries == 1


# ── failures that no server sees ──


def test_a_name_that_does_not_exist_is_asked_for_once(results: Results) -> None:
    assert results.row("nowhere.test").outcome == Outcome.DNS_NOT_FOUND
    assert results.attempts("nowhere.test") == OUTCOME_RULES[Outcome.DNS_NOT_FOUND].tries == 1


def test_a_name_that_cannot_be_looked_up_leaves_its_host_for_later(results: Results) -> None:
    assert results.crawls[0].parked_hosts == {"dns-failed.test": Outcome.DNS_FAILED}
    assert results.dns_queries["dns-failed.test"] > OUTCOME_RULES[Outcome.DNS_FAILED].tries


def test_a_port_that_refuses_is_named(results: Results) -> None:
    assert results.row("127.0.0.1").outcome == Outcome.CONNECT_REFUSED


def test_an_address_that_no_way_leads_to_is_named(results: Results) -> None:
    assert results.row("unreachable.test").outcome == Outcome.UNREACHABLE


@pytest.mark.parametrize("by_proxy", [False, True])
def test_where_nobody_listens_as_many_tries_are_made_as_the_table_says(by_proxy: bool, tmp_path: Path) -> None:
    """The URL has failed then, unless it was the proxy that did."""
    seed = f"http://127.0.0.1:{closed_port()}"
    outcome = Outcome.PROXY_FAILED if by_proxy else Outcome.CONNECT_REFUSED
    with SimProcess(ONE_PAGE) as sim:
        config = quick_config(
            sim, seeds=(f"{seed}/",), ignore_robots=True, retry_wait_scale=0.001, proxy=seed if by_proxy else ""
        )
        crawl = Crawl.create(tmp_path / "crawl", config)
        assert run(crawl) is Ending.SEEDS_FAILED
    assert crawl.counters.requests == OUTCOME_RULES[outcome].tries
    failed = [] if by_proxy else [outcome]
    assert [row.outcome for row in CrawlFiles(tmp_path / "crawl").rows] == failed
    assert crawl.counters.failed == Counter(failed)
    assert crawl.parked_hosts == ({seed: outcome} if by_proxy else {})


# ── all of them ──


def test_the_counters_tell_of_each_failure_by_its_name(results: Results) -> None:
    expected = Counter(OUTCOMES.values())
    once = (Outcome.POISON, Outcome.DNS_NOT_FOUND, Outcome.CONNECT_REFUSED, Outcome.UNREACHABLE)
    failed = sum((Counter(crawl.counters.failed) for crawl in results.crawls), Counter[str]())
    assert failed == expected + Counter(once)


def test_no_outcome_is_left_out_here() -> None:
    elsewhere = {
        Outcome.RESPONSE,  # every status above
        Outcome.PRIVATE_ADDRESS,  # test_private_addresses
        Outcome.TOO_SLOW,  # after an hour, which is no setting of a crawl: tests of fetch
    }
    here = {Outcome.POISON, Outcome.DNS_NOT_FOUND, Outcome.DNS_FAILED, Outcome.CONNECT_REFUSED, Outcome.UNREACHABLE}
    assert elsewhere | here | {Outcome.PROXY_FAILED} | set(OUTCOMES.values()) == set(Outcome)
