"""How a crawl ends when hosts are dead, silent or forbidden, and how it says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from urllib.parse import urljoin, urlsplit

import pytest

from tests.ports import closed_port
from weft.folder.crawl_log import CrawlLog
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.run import Run
from weft.simweb import DnsSpec, SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Delayed, Fault, Fixed, Framing, Raw, Stream
from weft.simweb.dnsserver import DnsFailure

from .crawling import CrawlFiles, assert_archive_is_consistent, crawl_all, quick_config, resume, run
from .side_by_side import crawl_side_by_side

ONE_PAGE = WebSpec(hosts=1, pages=1)
SITE, SILENT, STALLED = "site.test", "silent.test", "stalled.test"
REDIRECTS = range(300, 400)
# With this seed the name's first queries are answered by an error; with others by silence, which takes long.
SEED_WITH_QUICK_FAILURES = 6


def page(*hrefs: str) -> Fixed:
    return Fixed(b"<!DOCTYPE html>" + "".join(f'<p><a href="{href}">x</a>' for href in hrefs).encode())


# ── redirects ──


def redirect_to_another_host(web: SimWeb) -> tuple[str, str]:
    """A URL of the web that redirects to a page on another host, and that page."""
    truth = web.truth()
    for url, status in truth.status.items():
        host, path = urlsplit(url).hostname or "", url.split("/", 3)[3]
        answer = web.answer(host, "/" + path)
        if status in REDIRECTS and isinstance(answer, Fixed):
            target = urljoin(url, dict(answer.headers)["Location"])
            if urlsplit(target).hostname != host and truth.status[target] == 200:
                return url, target
    raise AssertionError("the web has no such redirect")


def test_a_redirected_seed_makes_the_target_s_host_part_of_the_crawl(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=10, pages=200, seed=7, redirect_share=0.3)) as sim:
        seed, target = redirect_to_another_host(sim.web)
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, seeds=(seed,), scope="host"))
    assert ending is Ending.DONE
    assert files.row(target).status == 200
    hosts = [urlsplit(row.url).hostname for row in files.rows]
    assert hosts.count(urlsplit(target).hostname) > 3
    assert set(hosts) == {urlsplit(seed).hostname, urlsplit(target).hostname}


def test_a_redirected_seed_widens_the_scope_of_a_resumed_crawl_too(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=10, pages=200, seed=7, redirect_share=0.3)) as sim:
        seed, _ = redirect_to_another_host(sim.web)
        _, whole = crawl_all(tmp_path / "whole", quick_config(sim, seeds=(seed,), scope="host"))
        crawl_all(tmp_path / "parts", quick_config(sim, seeds=(seed,), scope="host", max_pages=2))
        ending, parts = resume(tmp_path / "parts", max_pages=None)
    assert ending is Ending.DONE
    assert parts.responses() == whole.responses()


def test_a_loop_of_redirects_ends(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, f"/{number}"): Fixed(status=302, headers=(("Location", f"/{number + 1}"),)) for number in range(40)
    }
    pages[SITE, "/"] = page("/0", "/ring")
    pages[SITE, "/ring"] = Fixed(status=302, headers=(("Location", "/ring"),))
    with SimProcess(ONE_PAGE, pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_redirects=10)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    # The home page, the ring, the first redirect and the ten that may follow it.
    assert len(files.responses()) == 1 + 1 + 1 + 10


# ── hosts that cannot be asked ──


def test_a_name_that_does_not_exist_is_a_row_that_says_so(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE, {(SITE, "/"): page("http://nowhere.test/x")}) as sim:
        ending, files = crawl_all(
            tmp_path / "crawl", quick_config(sim, seeds=(sim.web.url(SITE, "/"),), ignore_robots=False)
        )
    assert ending is Ending.DONE
    assert files.outcomes() == {
        sim.web.url(SITE, "/"): "response",
        "http://nowhere.test/x": "dns-not-found",
    }
    assert files.row("http://nowhere.test/x").status == 0


def test_seeds_that_all_fail_are_told_from_a_finished_crawl(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE) as sim:
        config = quick_config(sim, seeds=("http://nowhere.test/", "http://also.nowhere.test/"))
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.SEEDS_FAILED
    assert set(files.outcomes().values()) == {"dns-not-found"}


def test_a_name_whose_first_queries_fail_is_asked_for_again(tmp_path: Path) -> None:
    # The resolver itself asks a few times; more failures than that reach the crawl's own retries.
    dns = DnsSpec(failing_share=1.0, failing_attempts=12)
    with SimProcess(WebSpec(hosts=1, pages=6, seed=SEED_WITH_QUICK_FAILURES), dns=dns) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim))
        truth = sim.web.truth()
    (queries,) = sim.dns_queries.values()
    assert queries > 12
    assert ending is Ending.DONE
    assert files.responses() == truth.status


def test_a_name_that_always_fails_is_left_for_later_with_the_reason(tmp_path: Path) -> None:
    dns = DnsSpec(always_failing={"broken.test": DnsFailure.SERVFAIL})
    with SimProcess(ONE_PAGE, {(SITE, "/"): page("http://broken.test/")}, dns=dns) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=(sim.web.url(SITE, "/"),)))
        ending = run(crawl)
    assert ending is Ending.LIMIT
    assert crawl.parked_hosts == {"broken.test": "dns-failed"}
    assert CrawlFiles(tmp_path / "crawl").outcomes() == {sim.web.url(SITE, "/"): "response"}


def test_a_host_that_refuses_connections_is_given_up_after_some_tries(tmp_path: Path) -> None:
    seed = f"http://127.0.0.1:{closed_port()}/"
    with SimProcess(ONE_PAGE) as sim:
        config = quick_config(sim, seeds=(seed,), retry_wait_scale=0.002, ignore_robots=True)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.SEEDS_FAILED
    assert files.outcomes() == {seed: "connect-refused"}


def test_a_private_address_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, allow_private=False))
    assert ending is Ending.SEEDS_FAILED
    assert set(files.outcomes().values()) == {"private-address"}
    assert list(sim.log) == []


def test_a_literal_private_address_is_refused_too(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE) as sim:
        seeds = tuple(f"http://{host}:{sim.http_port}/" for host in ("127.0.0.1", "localhost", "[::1]", "2130706433"))
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, seeds=seeds, allow_private=False))
    assert ending is Ending.SEEDS_FAILED
    assert set(files.outcomes().values()) == {"private-address"}
    assert list(sim.log) == []


# ── robots.txt that cannot be had ──


def parked_site() -> dict[tuple[str, str], Behaviour]:
    return {
        ("busy.test", "/robots.txt"): Fixed(b"later", 503, "text/plain"),
        ("busy.test", "/"): page(),
        (SITE, "/"): page("/more"),
        (SITE, "/more"): page(),
    }


def test_a_host_whose_robots_txt_fails_is_left_for_later_and_the_crawl_ends(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE, parked_site()) as sim:
        seeds = (sim.web.url("busy.test", "/"), sim.web.url(SITE, "/"))
        config = quick_config(sim, seeds=seeds, max_host_wait_s=1.0, retry_wait_scale=1.0)
        crawl = Crawl.create(tmp_path / "crawl", config)
        ending = run(crawl)
        assert ending is Ending.LIMIT
        assert list(crawl.parked_hosts) == ["busy.test"]
        assert "robots.txt" in crawl.parked_hosts["busy.test"]
        assert "503" in crawl.parked_hosts["busy.test"]
        ending, files = resume(tmp_path / "crawl")
    assert ending is Ending.LIMIT  # its rest is not over yet
    assert set(files.responses()) == {sim.web.url(SITE, "/"), sim.web.url(SITE, "/more")}
    assert [request.path for request in sim.log if request.host == "busy.test"] == ["/robots.txt"]


def test_a_host_whose_robots_txt_is_refused_is_left_for_later(tmp_path: Path) -> None:
    seed = f"http://127.0.0.1:{closed_port()}/"
    with SimProcess(ONE_PAGE) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=(seed,), max_host_wait_s=5.0))
        ending = run(crawl)
    assert "connect-refused" in crawl.parked_hosts[seed.removesuffix("/")]
    # Whoever gave one seed and mistyped its port must hear that not one page could be fetched.
    assert ending is Ending.SEEDS_FAILED


# ── answers that are none ──


def test_each_failure_has_its_own_outcome(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/reset"): Broken(Fault.RESET_BEFORE_HEAD),
        (SITE, "/closed"): Broken(Fault.CLOSE_BEFORE_HEAD),
        (SITE, "/noise"): Raw(b"this is no HTTP at all\r\n\r\n"),
        (SITE, "/gone"): Fixed(b"", 410),
        (SITE, "/late"): Delayed(0.3, page()),
    }
    pages[SITE, "/"] = page(*(path for _, path in pages))
    pages[SILENT, "/"] = Broken(Fault.STALL_BEFORE_HEAD, stall_s=20)
    pages[STALLED, "/"] = Broken(Fault.STALL_IN_BODY, Fixed(b"x" * 4000), stall_s=20)
    with SimProcess(ONE_PAGE, pages) as sim:
        configs = [
            quick_config(sim, seeds=(sim.web.url(SITE, "/"),), connections_per_host=8),
            quick_config(sim, seeds=(sim.web.url(SILENT, "/"),), response_timeout_s=0.5, ignore_robots=True),
            quick_config(sim, seeds=(sim.web.url(STALLED, "/"),), idle_timeout_s=0.5),
        ]
        crawled = crawl_side_by_side(tmp_path, *configs)
    assert [one.ending for one in crawled] == [Ending.DONE, Ending.SEEDS_FAILED, Ending.SEEDS_FAILED]
    rows = {urlsplit(row.url): row for one in crawled for row in one.files.rows}
    assert {(url.hostname, url.path): row.outcome for url, row in rows.items()} == {
        (SITE, "/"): "response",
        (SITE, "/reset"): "reset",
        (SITE, "/closed"): "closed",
        (SILENT, "/"): "response-timeout",
        (STALLED, "/"): "stalled",
        (SITE, "/noise"): "bad-response",
        (SITE, "/gone"): "response",
        (SITE, "/late"): "response",
    }
    # What had arrived of the stalled one is kept, marked as cut.
    assert crawled[2].files.row(sim.web.url(STALLED, "/")).truncated
    for one in crawled:
        assert_archive_is_consistent(one.files)


def test_a_body_without_end_is_cut_at_the_limit_and_kept(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): page("/endless"),
        (SITE, "/endless"): Stream(None, framing=Framing.CHUNKED),
    }
    with SimProcess(ONE_PAGE, pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_body_bytes=3_000_000)
        ending, files = crawl_all(tmp_path / "crawl", config)
    row = files.row(sim.web.url(SITE, "/endless"))
    assert ending is Ending.DONE
    assert (row.outcome, row.truncated) == ("response", "length")
    assert 2_900_000 < row.body_bytes <= 3_100_000
    assert_archive_is_consistent(files)


def test_a_server_that_fails_for_ever_is_given_up(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): page("/500", "/502"),
        (SITE, "/500"): Fixed(b"", 500),
        (SITE, "/502"): Fixed(b"", 502),
    }
    with SimProcess(ONE_PAGE, pages) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, seeds=(sim.web.url(SITE, "/"),)))
    assert ending is Ending.DONE
    assert sorted(files.responses().values()) == [200, 500, 502]


# ── its files ──


def test_while_index_files_are_written_the_database_makes_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Run._write_index

    def waited(run: Run, is_halted: Callable[[], bool]) -> None:
        give_up_at = time.monotonic() + 20
        while not list((tmp_path / "crawl" / "state" / "db").glob("*.sst")):
            assert time.monotonic() < give_up_at, "no table is made"
            time.sleep(0.01)
        write(run, is_halted)

    monkeypatch.setattr(Run, "_write_index", waited)
    with SimProcess(ONE_PAGE) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim))
    assert ending is Ending.DONE
    assert files.rows


def test_while_index_files_are_written_the_log_reaches_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, write, is_synced = CrawlLog.sync, Run._write_index, Event()

    def synced(log: CrawlLog) -> None:
        sync(log)
        is_synced.set()

    def waited(run: Run, is_halted: Callable[[], bool]) -> None:
        assert is_synced.wait(20), "the log is not synced"
        write(run, is_halted)

    monkeypatch.setattr(CrawlLog, "sync", synced)
    monkeypatch.setattr(Run, "_write_index", waited)
    with SimProcess(ONE_PAGE) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim))
    assert ending is Ending.DONE
    assert files.rows
