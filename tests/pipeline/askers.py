"""A user's own functions that ask for more, by import path."""

from __future__ import annotations

import json
from collections.abc import Iterator

import weft
from weft.page import Page


def search(page: Page) -> Iterator[object]:
    """On the home page: a search, a call with a header, a page that no link leads to, and what is refused."""
    yield {"url": page.url, "title": page.title}
    if page.title == "home":
        yield page.follow("search", data={"q": "tea pot"})
        yield page.follow("search", data={"q": "kettle"})
        yield page.follow("search", data={"q": "kettle"})
        yield page.follow("api", headers={"X-Token": "t1", "Authorization": "Bearer hush"})
        yield weft.Request("/hidden")
        yield page.follow("http://other.test/elsewhere", data="x")
        yield page.follow("mailto.png", method="POST")
        yield page.follow("mailto:someone@example.org")
        yield page.follow("http://[bad")


def pages_of_api(page: Page) -> Iterator[object]:
    """A JSON API with pages, asked for by POST."""
    if page.media_type == "application/json":
        answer = json.loads(page.body)
        yield from ({"quote": quote} for quote in answer["quotes"])
        if answer["next"]:
            yield page.follow(page.url, json={"page": answer["next"]})
    else:
        yield page.follow("/api/quotes", json={"page": 1})


def log_in(page: Page) -> Iterator[object]:
    """As a guest: forms that are answered by redirects of all kinds."""
    yield {"url": page.url, "title": page.title}
    if page.title == "GET / guest":
        for path in ("/login", "/self", "/circle/a", "/round", "/moved", "/on/"):
            yield page.follow(path, data={"x": 1})


CHAINS, LAST = 6, 60


def count_on(page: Page) -> Iterator[object]:
    """Numbers are posted in chains: each page gives its number as an item, and asks for the one CHAINS further on."""
    number = int(page.title) if page.title.isdigit() else -1
    if number >= 0:
        yield {"number": number}
    for following in [number + CHAINS] if number >= 0 else range(CHAINS):
        if following <= LAST:
            yield page.follow("/count", data={"number": following})


SECRET = "correct-horse"


def fill_in(page: Page) -> Iterator[object]:
    """On the home page: forms of all kinds, one with a password, one whose server never answers."""
    yield {"url": page.url}
    if page.title == "home" and not page.row.parts:
        for path in ("/search", "/again", "/dead"):
            yield page.follow(path, data={"x": 1})
        yield page.follow("/search", data={"x": "2" * 400_000})
        yield page.follow("/search", headers={"Authorization": SECRET})
        yield page.follow("/login", data={"password": SECRET}, secret=True)
