"""Redirects that answer a POST: a GET of its own, or the same once more. None goes round for ever."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from weft.pipeline.answers import MAX_ANSWERS, is_same_place, parts_after
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.types import Link, Refusal, RequestParts
from weft.url import id_of

from .crawling import CrawlFiles, is_clean_for_warcio, run
from .live_site import Answer, html
from .posting_site import Asked, PostingSite, posting

HERE = f"{__package__}.askers"


def login(asked: Asked) -> Answer:
    """A form on /; who posts it gets a cookie and is sent back to /, or round in circles."""
    if asked.method == "POST":
        match asked.path:
            case "/login":
                return 302, {"Location": "/", "Set-Cookie": "session=1; Path=/"}, ""
            case "/self":
                return 303, {"Location": "/self"}, ""
            case "/circle/a":
                return 307, {"Location": "/circle/b"}, ""
            case "/circle/b":
                return 307, {"Location": "/circle/a"}, ""
            case "/round":
                return 307, {"Location": "/round"}, ""
            case "/moved":
                return 308, {"Location": "/taken"}, ""
        if asked.path.startswith("/on/"):
            return 307, {"Location": f"{asked.path}x"}, ""
    elif asked.path.startswith("/get-on"):
        return 302, {"Location": f"{asked.path}x"}, ""
    elif asked.path == "/get-circle":
        return 302, {"Location": "/get-circle-2"}, ""
    elif asked.path == "/get-circle-2":
        return 302, {"Location": "/get-circle"}, ""
    who = "member" if "session=1" in asked.headers.get("Cookie", "") else "guest"
    return html(f"{who}", f"{asked.method} {asked.path} {who}")


def crawled(site: PostingSite, folder: Path, **changes: Any) -> Crawl:
    crawl = Crawl.create(folder, site.config(extractors=(f"{HERE}:log_in",), cookies=True, **changes))
    assert run(crawl) is Ending.DONE
    return crawl


def test_redirected_posts_get_their_answers_and_all_circles_end(tmp_path: Path) -> None:
    with posting(login) as site:
        crawl = crawled(site, tmp_path / "crawl")
    asked = Counter((one.method, one.path) for one in site.asked)
    assert asked["POST", "/login"] == 1
    assert asked["GET", "/"] == 2, "as a guest, and as the answer of the login"
    assert asked["POST", "/self"] == asked["GET", "/self"] == 1, "the answer is a GET of the same URL"
    assert (asked["POST", "/circle/a"], asked["POST", "/circle/b"]) == (1, 1)
    assert asked["POST", "/round"] == 1
    assert (asked["POST", "/moved"], asked["POST", "/taken"]) == (1, 1)
    assert [one.body for one in site.asked if one.path in ("/moved", "/taken")] == [b"x=1", b"x=1"]
    assert sum(path.startswith("/on/") for _, path in asked) == MAX_ANSWERS + 1
    assert crawl.counters.refused == {Refusal.TOO_MANY_REDIRECTS: 1}
    files = CrawlFiles(tmp_path / "crawl")
    assert is_clean_for_warcio(files)
    items = [json.loads(line) for line in (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()]
    assert {item["title"] for item in items} >= {"GET / guest", "GET / member"}


HEADERS = (("Content-Type", "text/plain"), ("Authorization", "hush"), ("X-A", "b"))
POST = RequestParts(b"digest", "POST", b"body", HEADERS)
SECRET = RequestParts(b"digest", "POST", b"body", HEADERS, is_secret=True)
GET = RequestParts(b"", headers=HEADERS)
HTTP, HTTPS, OTHER_PORT, ELSEWHERE = "http://a.test/", "https://a.test/", "http://a.test:81/", "http://b.test/"
TOLD = (HEADERS[0], HEADERS[2])


@pytest.mark.parametrize(
    ("parts", "status", "to", "after"),
    [
        (POST, 307, "http://a.test/2", POST),
        (POST, 308, HTTPS, POST),
        (POST, 307, ELSEWHERE, RequestParts(b"digest", "POST", b"body", TOLD)),
        (POST, 307, OTHER_PORT, RequestParts(b"digest", "POST", b"body", TOLD)),
        (SECRET, 307, "http://a.test/2", SECRET),
        (SECRET, 307, OTHER_PORT, Refusal.SCOPE),
        (SECRET, 308, ELSEWHERE, Refusal.SCOPE),
        (GET, 301, ELSEWHERE, RequestParts(b"", headers=TOLD)),
        (RequestParts(b"", headers=HEADERS[1:2]), 301, ELSEWHERE, None),
        (RequestParts(b"answer"), 302, ELSEWHERE, RequestParts(b"answer")),
    ],
)
def test_what_follows_a_redirect_is_told_no_more_than_it_may_be(
    parts: RequestParts, status: int, to: str, after: RequestParts | Refusal | None
) -> None:
    link = Link(HTTP, 0, parts=parts)
    assert parts_after(id_of(link), link, status, to) == after


@pytest.mark.parametrize("status", [301, 302, 303])
def test_what_becomes_a_get_sends_nothing_and_is_of_this_post_alone(status: int) -> None:
    def answer(url: str, parts: RequestParts) -> RequestParts:
        link = Link(url, 0, parts=parts)
        after = parts_after(id_of(link), link, status, "http://a.test/done")
        assert isinstance(after, RequestParts)
        return after

    one = answer(HTTP, POST)
    assert (one.method, one.body, one.headers) == ("GET", b"", HEADERS[1:])
    assert one.digest not in (b"", POST.digest)
    assert answer(HTTP, POST) == one
    assert answer("http://a.test/other", POST).digest != one.digest
    assert answer(HTTP, SECRET).is_secret


def test_a_login_that_leads_to_https_stays_and_the_way_back_does_not() -> None:
    assert is_same_place("http://a.test/x", "https://a.test/y")
    assert not is_same_place("https://a.test/x", "http://a.test/y")
    assert not is_same_place("http://a.test:81/x", "https://a.test/y")
    assert is_same_place("http://[::1]/x", "https://[::1]/y")
