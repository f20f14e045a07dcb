"""`weft.get`: one page, with the manners of a guest, and one sentence where there is none."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

import weft
from tests.api.one_page_site import BOMB_BYTES, GREETING, LONG_BYTES, PICTURE, OnePageSite, one_page_site
from tests.api.site import WITHIN_S, workers
from tests.cli.running import closed_port
from weft.errors import BadInput, BadUrl
from weft.types import Kind, Outcome, Refusal

HERE: dict[str, Any] = {"allow_private": True}


@pytest.fixture
def site() -> Iterator[OnePageSite]:
    with one_page_site() as site:
        yield site


def failure_of(url: str, **settings: Any) -> weft.GetFailed:
    with pytest.raises(weft.GetFailed) as raised:
        weft.get_sync(url, **{**HERE, **settings})
    assert "\n" not in str(raised.value)
    return raised.value


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_page_comes_with_all_that_a_page_has_and_leaves_nothing_behind(
    site: OnePageSite, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> weft.Page:
        async with asyncio.timeout(WITHIN_S):
            return await weft.get(site.url("/"), **HERE)

    page = run(main())
    assert (page.url, page.status, page.outcome, page.kind) == (site.url("/"), 200, Outcome.RESPONSE, Kind.SEED)
    assert (page.depth, page.via, page.title, page.charset) == (0, "", "Grüße", "utf-8")
    assert page.html == GREETING
    assert "Grüße aus Köln" in page.markdown()
    assert page.links == [site.url("/next")]
    assert site.asked == ["/robots.txt", "/"]
    assert workers() == []
    assert os.listdir(tmp_path) == []


def test_it_works_where_a_loop_runs_already(site: OnePageSite) -> None:
    async def main() -> weft.Page:
        return weft.get_sync(site.url("/"), **HERE)

    assert asyncio.run(main()).title == "Grüße"

    async def in_vain() -> None:
        weft.get_sync(site.url("/circle"), **HERE)

    with pytest.raises(weft.GetFailed):
        asyncio.run(in_vain())


def test_any_charset_is_read(site: OnePageSite) -> None:
    assert weft.get_sync(site.url("/latin"), **HERE).title == "Grüße"
    page = weft.get_sync(site.url("/shift_jis"), **HERE)
    assert (page.title, page.charset) == ("日本語のページ", "shift_jis")


def test_redirects_are_followed_and_their_end_is_the_page(site: OnePageSite) -> None:
    page = weft.get_sync(site.url("/moved"), **HERE)
    assert (page.url, page.via, page.row.redirects) == (site.url("/?from=far"), site.url("/moved_again"), 2)
    assert site.asked == ["/robots.txt", "/moved", "/moved_again", "/?from=far"]


def test_a_circle_of_redirects_ends(site: OnePageSite) -> None:
    assert failure_of(site.url("/circle")).reason is Refusal.TOO_MANY_REDIRECTS
    assert len(site.asked) == 1 + 11
    assert failure_of(site.url("/moved"), max_redirects=1).reason is Refusal.TOO_MANY_REDIRECTS
    assert failure_of(site.url("/moved"), max_redirects=0).reason is Refusal.TOO_MANY_REDIRECTS


def test_a_redirect_to_what_cannot_be_fetched_is_told(site: OnePageSite) -> None:
    assert failure_of(site.url("/elsewhere")).reason is Refusal.SCHEME


def test_cookies_that_are_set_on_the_way_are_sent_back(site: OnePageSite) -> None:
    assert weft.get_sync(site.url("/cookie"), **HERE).title == "Welcome back"
    assert failure_of(site.url("/cookie"), keep_cookies=False).reason is Refusal.TOO_MANY_REDIRECTS


def test_robots_txt_is_obeyed_also_behind_a_redirect(site: OnePageSite) -> None:
    for path in ("/private/page", "/to_private"):
        error = failure_of(site.url(path))
        assert (error.reason, error.url) == (Refusal.ROBOTS, site.url("/private/page"))
        assert "Disallow: /private/" in str(error)
    assert "/private/page" not in site.asked
    assert weft.get_sync(site.url("/private/page"), ignore_robots=True, **HERE).title == "Secret"
    assert site.asked.count("/robots.txt") == 2


def test_robots_txt_may_address_us_by_name(site: OnePageSite) -> None:
    site.robots = (200, b"User-agent: mybot\nDisallow: /\n", {})
    assert weft.get_sync(site.url("/"), **HERE).status == 200
    assert failure_of(site.url("/"), user_agent="mybot/1.0").reason is Refusal.ROBOTS
    assert failure_of(site.url("/"), robots_agent="mybot").reason is Refusal.ROBOTS


def test_without_a_robots_txt_all_is_allowed_and_while_it_is_broken_nothing_is(site: OnePageSite) -> None:
    site.robots = (404, b"", {})
    assert weft.get_sync(site.url("/private/page"), **HERE).status == 200
    site.robots = (503, b"", {})
    error = failure_of(site.url("/"))
    assert (error.reason, error.url) == (Refusal.ROBOTS, site.url("/"))
    assert "503" in str(error)


def test_a_robots_txt_that_is_elsewhere_is_followed(site: OnePageSite) -> None:
    with one_page_site() as other:
        site.robots = (302, b"", {"Location": other.url("/robots.txt")})
        assert failure_of(site.url("/private/page")).reason is Refusal.ROBOTS
        assert other.asked == ["/robots.txt"]
    site.robots = (302, b"", {"Location": "/robots.txt"})  # a circle: as none
    assert weft.get_sync(site.url("/private/page"), **HERE).status == 200


def test_private_addresses_are_refused_before_anything_is_sent(site: OnePageSite) -> None:
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(weft.GetFailed, match="private-address"):
            weft.get_sync(site.url("/", host))
    assert site.asked == []


def test_nobody_who_listens_is_told_at_once() -> None:
    error = failure_of(f"http://127.0.0.1:{closed_port()}/")
    assert error.reason is Outcome.CONNECT_REFUSED


def test_every_status_is_a_page(site: OnePageSite) -> None:
    page = weft.get_sync(site.url("/nowhere"), **HERE)
    assert (page.status, page.title) == (404, "No")
    assert weft.get_sync(site.url("/error"), **HERE).status == 500
    assert weft.get_sync(site.url("/empty"), **HERE).body == b""


def test_a_server_that_says_nothing_is_waited_for_as_long_as_the_settings_say(site: OnePageSite) -> None:
    assert failure_of(site.url("/silent"), response_timeout=0.1).reason is Outcome.RESPONSE_TIMEOUT
    assert failure_of(site.url("/silent"), max_time="100ms").reason is Outcome.TOO_SLOW


def test_half_an_answer_is_none(site: OnePageSite) -> None:
    assert failure_of(site.url("/half")).reason is Outcome.CLOSED
    assert failure_of(site.url("/garbage")).reason is Outcome.BAD_RESPONSE


def test_a_long_body_is_whole_in_memory_and_cut_where_the_settings_say(site: OnePageSite) -> None:
    page = weft.get_sync(site.url("/long"), **HERE)
    assert (len(page.body), page.row.truncated) == (LONG_BYTES, "")
    page = weft.get_sync(site.url("/long"), max_body="10k", **HERE)
    assert (page.body, page.row.truncated) == (b"begins so" + b"x" * 9991, "length")
    page = weft.get_sync(site.url("/bomb"), **HERE)
    assert (len(page.body), page.row.truncated) == (BOMB_BYTES - 1, "length")


def test_compressed_pages_and_others_are_read(site: OnePageSite) -> None:
    assert weft.get_sync(site.url("/gzip"), **HERE).html == GREETING
    page = weft.get_sync(site.url("/picture"), **HERE)
    assert (page.body, page.html, page.media_type) == (PICTURE, "", "image/png")


def test_who_asks_is_told_to_the_server(site: OnePageSite) -> None:
    weft.get_sync(site.url("/"), user_agent="mybot/1.0 (+https://example.org/bot)", **HERE)
    assert site.agents == {"mybot/1.0 (+https://example.org/bot)"}


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"depth": 2}, "the setting 'depth' is for crawls"),
        ({"workers": 1}, "the setting 'workers' is for crawls"),
        ({"extract": ["a:b"]}, "the setting 'extract' is for crawls"),
        ({"user_agnet": "x"}, "there is no setting 'user_agnet'; did you mean 'user_agent'?"),
        ({"max_body": "much"}, "the setting max_body must be"),
        ({"proxy": "nonsense"}, "proxy"),
        ({"user_agent": "()"}, "robots.txt cannot address"),
    ],
)
def test_settings_that_mean_nothing_for_one_page_are_refused(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=r"^[^\n]+$") as raised:
        weft.get_sync("http://127.0.0.1/", **keywords)
    assert words in str(raised.value)


@pytest.mark.parametrize("url", ["", "example.org", "mailto:me@example.org", "http://", "http://[::1/"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        weft.get_sync(url)


def test_a_url_must_be_a_text() -> None:
    with pytest.raises(BadInput, match="must be a text"):
        weft.get_sync(["http://127.0.0.1/"])  # type: ignore[arg-type]
