"""Redirects that set a cookie and lead back: the page behind them is fetched, once cookies are kept."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.repeats import Repeats
from weft.state import State
from weft.types import FoundLink, Link, PageRow, Visit
from weft.url import url_id

from .crawling import CRAWL_WITHIN_S, resume
from .live_site import Answer, Handler, html, links, redirect, served
from .test_relax import answer


def to_itself(path: str, headers: Mapping[str, str]) -> Answer:
    """Every page wants a cookie, and sets it."""
    if "seen=1" not in headers.get("Cookie", ""):
        return redirect(path, Set_Cookie="seen=1; Path=/")
    return html(links("/a", "/b") if path == "/" else path)


def through_a_check(path: str, headers: Mapping[str, str]) -> Answer:
    """Every page wants a cookie that is set elsewhere."""
    if path.startswith("/check?back="):
        return redirect(path.removeprefix("/check?back="), Set_Cookie="seen=1; Path=/")
    if "seen=1" not in headers.get("Cookie", ""):
        return redirect(f"/check?back={path}")
    return html(links("/a", "/b") if path == "/" else path)


def each_its_own(path: str, headers: Mapping[str, str]) -> Answer:
    """Each page wants a cookie of its own, so that links are met by it as seeds are."""
    if path != "/" and "seen=1" not in headers.get("Cookie", ""):
        return redirect(path, Set_Cookie=f"seen=1; Path={path}")
    return html(links("/a", "/b") if path == "/" else path)


@pytest.mark.parametrize("site_of", [to_itself, through_a_check, each_its_own])
def test_the_page_behind_a_cookie_is_fetched(site_of: Handler, tmp_path: Path) -> None:
    with served(site_of) as site:
        files = site.crawl(tmp_path / "crawl", cookies=True)
    assert site.pages(files) == {"/", "/a", "/b"}
    assert max(Counter(site.asked).values()) == 2
    assert not [line for line in pages_jsonl(tmp_path) if line.get("leads_back")]


def test_both_answers_are_in_the_archive_and_its_index(tmp_path: Path) -> None:
    with served(to_itself) as site:
        files = site.crawl(tmp_path / "crawl", cookies=True)
    assert files.records()["response"][f"{site.origin}/"] == 2
    statuses = [json.loads(line.split(b" ", 2)[2])["status"] for line in files.cdxj_lines if b'/"' in line]
    assert sorted(statuses)[:2] == ["200", "302"]


def test_a_server_that_sets_a_new_cookie_each_time_is_asked_once_more_and_no_further(tmp_path: Path) -> None:
    numbers = count()
    with served(lambda path, headers: redirect(path, Set_Cookie=f"n={next(numbers)}")) as site:
        site.crawl(tmp_path / "crawl", cookies=True)
    assert site.asked == ["/", "/"]
    assert [line["leads_back"] for line in pages_jsonl(tmp_path)] == [True]


@pytest.mark.parametrize(("sets_more", "times"), [(False, 1), (True, 2)])
def test_a_redirect_that_leads_back_with_a_cookie_there_already_is_asked_again_for_a_new_one_only(
    sets_more: bool, times: int, tmp_path: Path
) -> None:
    numbers = count()

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/":
            status, head, body = html(links("/loop"))
            return status, {**head, "Set-Cookie": "seen=1"}, body
        return redirect(path, **({"Set_Cookie": f"n={next(numbers)}"} if sets_more else {}))

    with served(site_of) as site:
        files = site.crawl(tmp_path / "crawl", cookies=True)
    assert site.asked == ["/", *["/loop"] * times]
    assert files.records()["response"][f"{site.origin}/loop"] == times


@pytest.mark.parametrize("site_of", [to_itself, through_a_check])
def test_without_cookies_it_is_written_down_that_a_redirect_leads_back(site_of: Handler, tmp_path: Path) -> None:
    with served(site_of) as site:
        files = site.crawl(tmp_path / "crawl")
    assert site.pages(files) == set()
    assert len(site.asked) == len(set(site.asked)) <= 2
    assert [line["url"] for line in pages_jsonl(tmp_path) if line.get("leads_back")] == [site.origin + site.asked[-1]]
    with CrawlReader(tmp_path / "crawl") as reader:
        assert sum(row.leads_back for row in reader.rows()) == 1


def test_a_redirect_to_a_known_page_does_not_lead_back(tmp_path: Path) -> None:
    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path in ("/old", "/older"):
            return redirect("/old" if path == "/older" else "/")
        return html(links("/old", "/older"))

    with served(site_of) as site:
        site.crawl(tmp_path / "crawl", cookies=True)
    assert sorted(site.asked) == ["/", "/old", "/older"]
    assert not [line for line in pages_jsonl(tmp_path) if line.get("leads_back")]


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_redirect_back_to_a_host_of_another_engine_is_not_asked_for_here(tmp_path: Path, is_ours: bool) -> None:
    """All engines have the cookies of a file, but only the one that has a host knows with which it was asked."""
    page, check = "http://page.test/", "http://check.test/"
    row = PageRow(page, 302, 0.0, 0)
    visit = Visit(b"", url_id(check), "check.test", Link(check, 0, via=page, redirects=1), ())
    target = FoundLink(url_id(page), "page.test", Link(page, 0))
    with closing(State(tmp_path / "db")) as state:
        repeats = Repeats(state, lambda _: b"from=file")
        page_of = {target.id: row}.get if is_ours else lambda _: None
        came, is_repeated = repeats.follow(
            state.batch(), visit, PageRow(check, 302, 0.0, 0), answer(302), target, page_of
        )
    assert (is_repeated, came.leads_back) == (is_ours, not is_ours)


def test_a_repeat_that_a_stop_put_off_is_made_with_its_cookie(tmp_path: Path) -> None:
    """It is queued when the crawl is stopped; the next run has the cookie, and gets the page."""
    stops: list[Callable[[], object]] = []

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if stops:
            stops.pop()()  # before the answer: the repeat is not begun
        return each_its_own(path, headers)

    async def run_until_asked(crawl: Crawl) -> None:
        loop = asyncio.get_running_loop()
        stops.append(lambda: loop.call_soon_threadsafe(crawl.stop))
        await asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S)

    with served(site_of) as site:
        asyncio.run(run_until_asked(Crawl.create(tmp_path / "crawl", site.config("/a", cookies=True))))
        assert site.asked == ["/a"]
        _, files = resume(tmp_path / "crawl")
    assert site.pages(files) == {"/a"}
    assert site.asked == ["/a", "/a"]


def test_robots_txt_behind_a_cookie_is_obeyed(tmp_path: Path) -> None:
    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/robots.txt":
            if "seen=1" not in headers.get("Cookie", ""):
                return redirect("/robots.txt", Set_Cookie="seen=1; Path=/")
            return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /secret\n"
        return html(links("/secret", "/open"))

    with served(site_of, has_robots=True) as site:
        files = site.crawl(tmp_path / "crawl", cookies=True)
    assert site.pages(files) == {"/", "/open"}


def pages_jsonl(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "crawl" / "pages.jsonl").read_bytes().splitlines()]
