"""Hooks of users in a crawl: headers changed, answers thrown away; and what bad ones cost, which is nothing."""

from __future__ import annotations

import asyncio
import gzip
import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from weft.cli.exits import Exit
from weft.errors import BadInput
from weft.folder.layout import load_config
from weft.folder.reading import CrawlReader
from weft.page.hooks import MAX_REASON_CHARS, HookHeaders
from weft.pipeline.crawl import Crawl
from weft.pipeline.hook_calls import MAX_HANGS, MAX_THREADS
from weft.pipeline.progress import Progress
from weft.types import Link

from . import user_hooks
from .crawling import CRAWL_WITHIN_S, CrawlFiles, is_clean_for_warcio, run, until
from .engine_process import WITHIN_S, prepare_folder, start_weft, weft_environment
from .live_site import Answer, LiveSite, html, links, redirect, served
from .named_sites import named_sites
from .test_secrets_on_disk import requests_in
from .user_hooks import named

PATHS = ("/", "/a", "/b")


def plain(path: str, headers: Mapping[str, str]) -> Answer:
    return html(links("/a", "/b") if path == "/" else path)


class Captcha:
    """Each page is behind a captcha, which the second visitor has solved."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.solved: list[str | None] = []

    def __call__(self, path: str, headers: Mapping[str, str]) -> Answer:
        self.asked[path] += 1
        if self.asked[path] == 1:
            return html("solve this captcha")
        self.solved.append(headers.get("X-Solved"))
        return plain(path, headers)


def crawled(site: LiveSite, folder: Path, **changes: Any) -> tuple[Crawl, CrawlFiles]:
    crawl = Crawl.create(folder, site.config(**changes))
    run(crawl)
    return crawl, CrawlFiles(folder)


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "crawl.log").read_text().splitlines()]


def assert_secret_in_no_file(folder: Path) -> None:
    """That others may read."""
    for file in folder.rglob("*"):
        if file.is_file() and "state" not in file.relative_to(folder).parts:
            data = file.read_bytes()
            assert b"sesame" not in (gzip.decompress(data) if file.suffix == ".gz" else data), file


# ── headers ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("hook", [user_hooks.change_headers, user_hooks.change_headers_async])
def test_a_hook_changes_the_headers_of_pages_and_secrets_stay_out_of_the_archive(
    hook: Callable[..., object], tmp_path: Path
) -> None:
    got: dict[str, Mapping[str, str]] = {}

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        got[path] = headers
        return plain(path, headers) if path != "/robots.txt" else (404, {}, "")

    with served(site_of, has_robots=True) as site:
        crawl, files = crawled(site, tmp_path / "crawl", before_request=named(hook))
    assert site.pages(files) == set(PATHS)
    assert crawl.counters.hooks_failed == 0
    for path in PATHS:
        assert got[path]["User-Agent"] == "another one"
        assert got[path]["Authorization"] == "Bearer sesame"
        assert got[path]["X-Path"] == f"{path} {path != '/':d} 1"
        assert "Accept" not in got[path]
        assert got[path]["Accept-Encoding"]
    assert "X-Path" not in got["/robots.txt"]
    archived = [lines for lines in requests_in(tmp_path / "crawl") if b"User-Agent: another one" in lines]
    assert len(archived) == 3
    assert all(b"Authorization: [removed]" in lines for lines in archived)
    assert_secret_in_no_file(tmp_path / "crawl")


# ── answers thrown away ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("hook", [user_hooks.no_captcha, user_hooks.no_captcha_async])
def test_an_answer_that_is_thrown_away_is_archived_and_costs_no_page(
    hook: Callable[..., object], tmp_path: Path
) -> None:
    captcha = Captcha()
    with served(captcha) as site:
        crawl, files = crawled(site, tmp_path / "crawl", after_response=named(hook), max_pages=3)
    assert site.pages(files) == set(PATHS)
    assert captcha.asked == dict.fromkeys(PATHS, 2)
    assert captcha.solved == ["4"] * 3
    counters = crawl.counters
    assert (counters.pages, counters.retries, counters.hooks_failed) == (3, 3, 0)
    assert is_clean_for_warcio(files)
    records = files.records()
    assert records["response"] == {f"{site.origin}{path}": 2 for path in PATHS}
    assert records["request"] == records["response"]
    assert records["metadata"] == {f"{site.origin}{path}": 1 for path in PATHS}
    index = Counter(json.loads(line.split(b" ", 2)[2])["url"] for line in files.cdxj_lines if b"robots" not in line)
    assert index == records["response"]
    tried = [line for line in log_of(tmp_path / "crawl") if "retry in 0.0 s: captcha captcha captcha" in str(line)]
    assert len(tried) == 3
    pages = [
        line
        for line in log_of(tmp_path / "crawl")
        if line["url"].startswith(site.origin) and "robots" not in line["url"]
    ]
    assert len(pages) == 6, "one line a request"
    with CrawlReader(tmp_path / "crawl") as reader:
        assert {row.attempts for row in reader.rows()} == {2}


def test_a_hook_that_always_asks_for_another_try_is_heard_three_times_and_the_last_answer_is_kept(
    tmp_path: Path,
) -> None:
    with served(plain) as site:
        crawl, files = crawled(site, tmp_path / "crawl", after_response=named(user_hooks.always_again))
    assert site.pages(files) == set(PATHS)
    assert Counter(site.asked) == dict.fromkeys(PATHS, 4)
    assert crawl.counters.pages == 3


def test_what_weft_tries_again_by_itself_is_not_shown_to_the_hook(tmp_path: Path) -> None:
    """It fails on whatever is not 200."""
    statuses = iter((503, 500, 200))

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        return next(statuses), {}, "x"

    with served(site_of) as site:
        crawl, _ = crawled(site, tmp_path / "crawl", after_response=named(user_hooks.only_good))
    assert crawl.counters.statuses == {404: 1, 503: 1, 500: 1}
    assert crawl.counters.hooks_failed == 1, "of the 500, which was the second try and is kept"


def test_a_try_waits_in_the_queue_with_its_headers_and_takes_no_slot(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"

    async def stop_while_it_waits(crawl: Crawl) -> Progress:
        running = asyncio.create_task(crawl.run())
        await until(lambda: crawl.counters.retries == 1)
        progress = crawl.progress()
        assert progress is not None
        crawl.stop()
        await asyncio.wait_for(running, CRAWL_WITHIN_S)
        return progress

    with served(plain) as site:
        config = site.config(after_response=named(user_hooks.much_later))
        progress = asyncio.run(stop_while_it_waits(Crawl.create(folder, config)))
        assert site.asked == ["/"]
    assert (progress.visiting, progress.parsing) == (0, 0)
    with CrawlReader(folder) as reader:
        ((_, row),) = reader.state.scan("queue")
        assert load_config(folder).after_response == named(user_hooks.much_later)
    link = msgspec.msgpack.decode(row, type=Link)
    assert link.attempts == 1
    assert link.not_before > time.time() + 1000
    assert link.parts is not None
    assert link.parts.headers == (("X-Mine", "1"),)


@pytest.mark.parametrize("point", ["commit-written", "record-written", pytest.param("commit", marks=pytest.mark.large)])
def test_a_killed_crawl_has_no_answer_that_was_thrown_away(point: str, tmp_path: Path) -> None:
    captcha, folder = Captcha(), tmp_path / "crawl"
    with served(captcha) as site:
        prepare_folder(folder, site.config(after_response=named(user_hooks.no_captcha)))
        code = None
        for number in range(1, 20):
            environment = weft_environment() | {"WEFT_CRASH_AT": f"{point}:{2 + number % 5}"}
            if point == "record-written" and number > 3:
                environment = weft_environment()
            process = start_weft("resume", str(folder), "--quiet", environment=environment)
            process.communicate(timeout=WITHIN_S)
            if (code := process.returncode) != -signal.SIGKILL:
                break
    assert code == Exit.DONE
    with CrawlReader(folder) as reader:
        bodies = {page.url.removeprefix(site.origin): page.html for page in weft.read(folder)}
        assert reader.counters.pages == 3
    assert set(bodies) == set(PATHS)
    assert not [path for path, body in bodies.items() if "captcha" in body]


def test_a_login_for_the_next_try_does_not_go_along_to_another_host(tmp_path: Path) -> None:
    got: list[tuple[str, str | None, str | None]] = []
    origin = ""

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        got.append((f"{headers['Host'].partition(':')[0]}{path}", headers.get("Authorization"), headers.get("X-Mine")))
        if path == "/" and "Authorization" not in headers:
            return 401, {}, "who are you?"
        if path == "/":
            return redirect("/near")
        return redirect(origin.replace("127.0.0.1", "localhost") + "/far") if path == "/near" else html("far")

    with served(site_of) as site:
        origin = site.origin
        site.crawl(tmp_path / "crawl", after_response=named(user_hooks.again_with_login), scope="any")
    assert got == [
        ("127.0.0.1/", None, None),
        ("127.0.0.1/", "Bearer sesame", "1"),
        ("127.0.0.1/near", "Bearer sesame", "1"),
        ("localhost/far", None, "1"),
    ]
    assert_secret_in_no_file(tmp_path / "crawl")


# ── bad ones ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("setting", ["before_request", "after_response"])
def test_bad_hooks_cost_nothing_and_are_named_with_url_and_traceback(setting: str, tmp_path: Path) -> None:
    """Each page meets another bad one."""
    hook = user_hooks.bad_before if setting == "before_request" else user_hooks.bad_after
    paths = [f"/{name}" for name in hook.others]
    got: list[Mapping[str, str]] = []

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        got.append(headers)
        return html(links(*paths) if path == "/" else path)

    with served(site_of) as site:
        crawl, files = crawled(site, tmp_path / "crawl", **{setting: hook.path})
    assert site.pages(files) == {"/", *paths}
    assert sorted(site.asked) == sorted(("/", *paths))
    told = (tmp_path / "crawl" / "state" / "hooks.log").read_text()
    for path in paths:
        assert f"{setting} '{hook.path}' failed on {site.origin}{path}:\n" in told
    assert "Traceback" in told
    assert crawl.counters.hooks_failed == weft.report(tmp_path / "crawl").items.hooks_failed == len(paths)
    assert not [headers for headers in got if any(name.startswith("X-") for name in headers)]


@pytest.mark.parametrize("hook", [user_hooks.hang, user_hooks.hang_async])
def test_a_hook_that_hangs_is_switched_off_and_the_crawl_goes_on(
    hook: Callable[..., object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [f"/{number}" for number in range(40)]
    with served(lambda path, headers: html(links(*paths) if path == "/" else path)) as site:
        crawl, files = crawled(site, tmp_path / "crawl", before_request=named(hook), handler_time_s=0.02)
    user_hooks.never.set()
    assert site.pages(files) == {"/", *paths}
    assert sorted(site.asked) == sorted(("/", *paths))
    assert MAX_HANGS <= crawl.counters.hooks_failed < MAX_HANGS + MAX_THREADS
    assert "it took longer than 0.02 s" in (tmp_path / "crawl" / "state" / "hooks.log").read_text()
    assert [record for record in caplog.records if "is not called any more" in record.getMessage()]


def test_a_hook_that_cannot_be_found_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the hook 'nowhere:hook' cannot be imported"):
        Crawl.create(tmp_path / "crawl", weft.CrawlConfig(seeds=("http://127.0.0.1/",), after_response="nowhere:hook"))
    assert not (tmp_path / "crawl").exists()


# ── what they are given and return ─────────────────────────────────────────────────────────────────────


def test_headers_know_what_was_changed() -> None:
    headers = HookHeaders("http://a.test/", [("User-Agent", "weft"), ("Accept", "*/*"), ("Cookie", "a=b")])
    assert headers["ACCEPT"] == "*/*"
    assert list(headers) == ["User-Agent", "Accept", "Cookie"]
    headers["accept"] = "text/html"
    headers["X-A"] = " 1 "
    headers["User-Agent"] = "weft"
    del headers["cookie"]
    assert headers.changes() == (("accept", "text/html"), ("X-A", "1"), ("Cookie", ""))
    with pytest.raises(KeyError):
        del headers["cookie"]


@pytest.mark.parametrize("after", [-1, float("nan"), float("inf"), "5", True, object()])
def test_a_retry_is_made_after_a_number_of_seconds(after: Any) -> None:
    with pytest.raises(BadInput, match="number of seconds"):
        weft.Retry(after)


def test_a_retry_has_a_reason_of_one_line_and_headers_that_can_be_sent() -> None:
    retry = weft.Retry(5, reason="a\r\nb  c" + "x" * 1000, headers={"X-A": "1"})
    assert retry.after == 5.0
    assert retry.reason.startswith("a b cx")
    assert len(retry.reason) == MAX_REASON_CHARS
    assert retry.headers == (("X-A", "1"),)
    assert weft.Retry(reason="half a \ud83d").reason == "half a ?"
    for headers in ({"Host": "x"}, {"X": "a\nb"}, {"X": "\ud800"}, {"X Y": "1"}, {"Content-Length": "5"}):
        with pytest.raises(BadInput):
            weft.Retry(headers=headers)
    with pytest.raises(BadInput, match="reason"):
        weft.Retry(reason=5)  # type: ignore[arg-type]


# ── a host that has had enough ──

REFUSING, OTHER = "refusing.example", "other.example"
LAST_TRY = 4
PAGES_AFTER = 10


class OneThatRefuses:
    """A site that refuses, with a wait at last; and another one, whose pages lead to it then, and on for a while."""

    def __init__(self) -> None:
        self.tries = self.pages_after = 0

    def answer(self, host: str, path: str, port: int) -> tuple[int, dict[str, str], str]:
        if path == "/robots.txt":
            return 404, {}, ""
        if host == REFUSING:
            self.tries += 1
            return 429, {"Retry-After": "600"} if self.tries == LAST_TRY else {}, ""
        is_refused = self.tries >= LAST_TRY
        self.pages_after += is_refused
        after = f'<a href="http://{REFUSING}:{port}/second">x</a>' if is_refused else ""
        return 200, {}, f'{after}<a href="{path}x">next</a>' if self.pages_after < PAGES_AFTER else ""


def test_a_host_rests_as_it_asked_for_while_a_hook_thinks_about_its_answer(tmp_path: Path) -> None:
    web = OneThatRefuses()

    async def stopped_when_the_other_site_is_done(crawl: Crawl) -> None:
        running = asyncio.create_task(crawl.run())
        # No host has a delay, so the second page would be asked for before the other site's last ones.
        await until(lambda: web.pages_after == PAGES_AFTER)
        crawl.stop()
        user_hooks.has_thought.set()
        await asyncio.wait_for(running, CRAWL_WITHIN_S)

    with named_sites((REFUSING, OTHER), web.answer) as sites:
        hook = named(user_hooks.think_about_refusals)
        config = sites.config(REFUSING, OTHER, after_response=hook, retry_wait_scale=0.001)
        asyncio.run(stopped_when_the_other_site_is_done(Crawl.create(tmp_path / "crawl", config)))
        assert sites.pages(REFUSING) == {"/"}
