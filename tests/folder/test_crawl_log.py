"""`crawl.log` has a line for each request: whatever the server saw is there, with the names used everywhere."""

from __future__ import annotations

import errno
import json
import os
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.crawling import crawl_all, quick_config, resume
from tests.pipeline.engine_process import ArchiveWatcher, engine, prepare_folder
from tests.pipeline.small_web import Sites, SmallWeb, page, redirect, text
from weft.errors import DiskFull
from weft.folder.crawl_log import CrawlLog
from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec, RequestLog, SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Broken, Fault, Fixed
from weft.types import Link, Outcome, PageRow, Refusal, Timing, Visit
from weft.url import split

SITE, OTHER = "site.test", "other.test"
FIRST_FIVE = ["time", "status", "outcome", "bytes", "url"]
NAMES = {*map(str, Outcome), *(f"refused:{refusal}" for refusal in Refusal)}


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """All lines; each must be an object of its own."""
    data = (folder / "crawl.log").read_bytes()
    assert data.endswith(b"\n")
    lines = [json.loads(line) for line in data.splitlines()]
    for line in lines:
        assert list(line)[:5] == FIRST_FIVE
        assert line["outcome"] in NAMES
        assert datetime.fromisoformat(line["time"]).utcoffset() is not None
    return lines


def requests_in(lines: list[dict[str, Any]]) -> Counter[str]:
    """How often the log tells that each URL was asked for."""
    asked = [line for line in lines if not line["outcome"].startswith("refused:") and not is_dns(line)]
    return Counter(line["url"] for line in asked)


def is_dns(line: dict[str, Any]) -> bool:
    return str(line["url"]).startswith("dns:")


def requests_seen(log: RequestLog, port: int) -> Counter[str]:
    """How often the server was asked for each URL."""
    by_url = log.requests_by_url(port, robots=True)
    return Counter({url: len(requests) for url, requests in by_url.items()})


def port_of(web: SmallWeb) -> int:
    return split(web.url(SITE)).port


# ── against the server's own log ───────────────────────────────────────────────────────────────────────


def test_each_request_of_a_crawl_with_faults_and_retries_has_its_line(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=10, pages=150, seed=4, reset_share=0.1, robots_share=0.5)) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
        hosts = {host.name for host in sim.web.hosts}
    lines = lines_of(tmp_path / "crawl")
    assert requests_in(lines) == requests_seen(sim.log, sim.http_port)
    assert {line["url"].removeprefix("dns:") for line in lines if is_dns(line)} <= hosts


def test_the_lines_come_in_the_order_in_which_the_requests_ended(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=60, seed=4)) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
    times = [line["time"] for line in lines_of(tmp_path / "crawl")]
    assert times == sorted(times)


def test_a_resumed_crawl_goes_on_in_the_same_log(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=60, seed=4)) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=10))
        before = (tmp_path / "crawl" / "crawl.log").read_bytes()
        resume(tmp_path / "crawl", max_pages=None)
    assert (tmp_path / "crawl" / "crawl.log").read_bytes().startswith(before)
    assert requests_in(lines_of(tmp_path / "crawl")) == requests_seen(sim.log, sim.http_port)


ROBOTS_THAT_FAIL = {
    "broken off": Broken(Fault.RESET_BEFORE_HEAD, attempts=1),
    "no answer": Broken(Fault.CLOSE_BEFORE_HEAD, attempts=1),
    "server error": Broken(Fault.STATUS_503, attempts=1),
}


@pytest.mark.parametrize("robots", ROBOTS_THAT_FAIL.values(), ids=ROBOTS_THAT_FAIL)
def test_a_robots_txt_that_fails_has_its_line_as_any_request(robots: Broken, tmp_path: Path) -> None:
    web = SmallWeb((SITE,), lambda web: {(SITE, "/"): page(), (SITE, "/robots.txt"): robots})
    web.crawl(tmp_path, SITE, max_host_wait_s=30.0)
    assert requests_in(lines_of(tmp_path)) == requests_seen(web.log, port_of(web))


def test_a_robots_txt_behind_redirects_has_a_line_for_each_step(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/"): page(),
            (SITE, "/robots.txt"): redirect(web.url(OTHER, "/robots.txt")),
            (OTHER, "/robots.txt"): text("User-agent: *\nDisallow: /private\n"),
        }

    web = SmallWeb((SITE, OTHER), sites)
    web.crawl(tmp_path, SITE)
    assert requests_in(lines_of(tmp_path)) == requests_seen(web.log, port_of(web))
    by_url = {line["url"]: line for line in lines_of(tmp_path)}
    assert by_url[web.url(SITE, "/robots.txt")]["status"] == 302
    assert by_url[web.url(OTHER, "/robots.txt")]["status"] == 200


# ── what a line says ───────────────────────────────────────────────────────────────────────────────────


def test_the_line_of_a_page_has_all_of_heritrix_fields(tmp_path: Path) -> None:
    body = b'<!DOCTYPE html><title>x</title><a href="/">x</a>'
    web = SmallWeb((SITE,), lambda web: {(SITE, "/"): page("/a"), (SITE, "/a"): Fixed(body)})
    web.crawl(tmp_path, SITE)
    lines = {line["url"]: line for line in lines_of(tmp_path)}
    rows = {row["url"]: row for row in map(json.loads, (tmp_path / "pages.jsonl").read_bytes().splitlines())}
    home, line = lines[web.url(SITE)], lines[web.url(SITE, "/a")]
    row = rows[web.url(SITE, "/a")]
    assert (line["status"], line["outcome"], line["bytes"]) == (200, "response", len(body))
    assert (line["hops"], line["via"], line["depth"]) == ("L", web.url(SITE), 1)
    assert (line["mime"], line["worker"], line["source"]) == ("text/html", 0, web.url(SITE))
    assert line["digest"] == row["digest"]
    assert (line["file"], line["offset"], line["address"]) == (row["file"], row["offset"], row["address"])
    started, ended = (datetime.fromisoformat(line[name]) for name in ("started", "time"))
    assert 0 <= (ended - started).total_seconds() < 60
    assert line["duration_ms"] > 0
    assert "hops" not in home
    assert "via" not in home
    assert (home["kind"], home["source"]) == ("seed", web.url(SITE))
    assert lines[web.url(SITE, "/robots.txt")]["status"] == 404


def test_what_robots_txt_forbids_is_in_the_log_by_that_name(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        robots = text("User-agent: *\nDisallow: /private\n")
        home = page("/private/1", "/private/2", "/open")
        return {(SITE, "/"): home, (SITE, "/open"): page(), (SITE, "/robots.txt"): robots}

    web = SmallWeb((SITE,), sites)
    web.crawl(tmp_path, SITE)
    refused = [line for line in lines_of(tmp_path) if line["outcome"] == "refused:robots"]
    assert sorted(line["url"] for line in refused) == [web.url(SITE, f"/private/{number}") for number in (1, 2)]
    for line in refused:
        assert (line["status"], line["bytes"], line["depth"], line["via"]) == (None, 0, 1, web.url(SITE))


def test_a_try_that_failed_and_the_one_that_did_not_have_a_line_each(tmp_path: Path) -> None:
    web = SmallWeb(
        (SITE,),
        lambda web: {
            (SITE, "/"): page("/reset", "/busy", "/never"),
            (SITE, "/reset"): Broken(Fault.RESET_IN_BODY, page(), attempts=2),
            (SITE, "/busy"): Broken(Fault.STATUS_500, page(), attempts=1),
            (SITE, "/never"): Broken(Fault.CLOSE_IN_BODY, page("/x")),
        },
    )
    web.crawl(tmp_path, SITE)
    lines = lines_of(tmp_path)

    def told(path: str) -> list[tuple[int | None, str]]:
        return [(line["status"], line["outcome"]) for line in lines if line["url"] == web.url(SITE, path)]

    assert told("/reset") == [(None, "reset"), (None, "reset"), (200, "response")]
    assert told("/busy") == [(500, "response"), (200, "response")]
    *tries, last = told("/never")
    assert set(tries) == {(None, "closed")}
    assert last == (200, "closed"), "what came last is kept"
    assert requests_in(lines) == requests_seen(web.log, port_of(web))
    by_path = [line.get("annotations", []) for line in lines if line["url"] == web.url(SITE, "/reset")]
    assert all(notes[0].startswith("retry in ") for notes in by_path[:2])
    assert by_path[2] == ["attempt:3"]


def test_a_host_without_an_address_is_told(tmp_path: Path) -> None:
    web = SmallWeb((SITE,), lambda web: {(SITE, "/"): page("http://nowhere.test/")}, dns=DnsSpec())
    web.crawl(tmp_path, SITE)
    (line,) = [line for line in lines_of(tmp_path) if line["url"] == "http://nowhere.test/"]
    assert (line["status"], line["outcome"]) == (None, "dns-not-found")


def test_a_body_that_was_cut_off_says_so(tmp_path: Path) -> None:
    web = SmallWeb((SITE,), lambda web: {(SITE, "/"): Fixed(b"<!DOCTYPE html>" + b"x" * 5000)})
    web.crawl(tmp_path, SITE, max_body_bytes=1000)
    (line,) = [line for line in lines_of(tmp_path) if line["url"] == web.url(SITE)]
    assert line["annotations"] == ["truncated:length"]
    assert line["bytes"] == 1000


# ── the file ───────────────────────────────────────────────────────────────────────────────────────────

ROW = PageRow("http://a.example/", 200, 1_800_000_000.0, 1, timing=Timing(0.0, 0.001, 0.002))
VISIT = Visit(b"key", b"id", "a.example", Link("http://a.example/x", 1), ("192.0.2.1",))


@pytest.mark.parametrize("torn", [b'{"time":"2027', b"{", b"\xff\xfe", b'{"url": "' + b"x" * 30_000])
def test_a_torn_last_line_is_cut_and_the_log_goes_on(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "crawl.log"
    log = CrawlLog(path, ())
    log.page(ROW, 1_800_000_001.0)
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    log = CrawlLog(path, ())
    log.refused(VISIT.link, Refusal.ROBOTS, 1_800_000_002.0)
    log.close()
    assert path.read_bytes().startswith(whole + b'{"time"')
    assert [line["outcome"] for line in lines_of(tmp_path)] == ["response", "refused:robots"]


def test_a_log_that_is_a_torn_line_only_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "crawl.log").write_bytes(b'{"time')
    log = CrawlLog(tmp_path / "crawl.log", ())
    log.tried(VISIT, Outcome.RESET, 0, 1_800_000_002.0, "retry in 1.0 s")
    log.close()
    assert [line["outcome"] for line in lines_of(tmp_path)] == ["reset"]


def test_whatever_is_in_a_url_or_a_title_a_line_stays_a_line(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path / "crawl.log", ("http://seed.example/\u2028",))
    strange = 'http://a.example/\n\r\u2028\u0085"\\\0é\U0001f600'
    log.page(PageRow(strange, 200, 1_800_000_000.0, 1, mime='text/"\n', seed=0), 1_800_000_001.0)
    log.close()
    data = (tmp_path / "crawl.log").read_bytes()
    assert data.count(b"\n") == 1
    assert json.loads(data)["url"] == strange


def test_a_full_disk_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    log = CrawlLog(tmp_path / "crawl.log", ())
    log.page(ROW, 1_800_000_001.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", no_room)
        with pytest.raises(DiskFull):
            log.flush()
    log.close()


def test_after_kills_every_line_is_whole_and_none_of_an_earlier_second_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WebSpec(hosts=20, pages=400, seed=3, latency_ms=(5, 50), page_bytes=3000)) as sim:
        prepare_folder(folder, quick_config(sim))
        kills = []
        for _ in range(2):
            watcher = ArchiveWatcher(folder)
            with engine(folder) as process:
                assert watcher.wait_for_writes(15, lambda: not process.is_running())
                before = time.monotonic()
                process.kill_group()
                kills.append((before, time.monotonic()))
        ending, _ = resume(folder)
    assert ending is Ending.DONE
    told = requests_in(lines_of(folder))
    seen = requests_seen(sim.log, sim.http_port)
    assert not told - seen, "nothing is told that was not asked for"
    lost = seen - told
    # It lived when it last asked for something; when it was killed it may have stood still for a while.
    lived = [(max(one.started_at for one in sim.log if one.started_at < before), after) for before, after in kills]
    last_moments = [one for one in sim.log if any(at - 3.0 < one.started_at < after for at, after in lived)]
    assert sum(lost.values()) <= len(last_moments)
    assert not lost.keys() - requests_seen(RequestLog(last_moments), sim.http_port).keys()
