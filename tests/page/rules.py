"""Functions and sites of a user, by import path; many of them are not good at it. And pages to call them with."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

import weft

URL = "http://site.test/quotes/1"


def page_of(html: str, url: str = URL) -> weft.Page:
    return weft.Page.from_html(html, url=url)


# ── functions ──────────────────────────────────────────────────────────────────────────────────────────


def leave(page: weft.Page) -> None:
    sys.exit("enough")


def interrupt(page: weft.Page) -> None:
    raise KeyboardInterrupt


def end_generator(page: weft.Page) -> Iterator[int]:
    yield 1
    raise GeneratorExit


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit("not even that")


def raise_unspeakable(page: weft.Page) -> None:
    raise Unspeakable


def raise_long(page: weft.Page) -> None:
    raise ValueError("long " * 100_000)


def recurse(page: weft.Page) -> None:
    recurse(page)


class Liar:
    """Says that it is a request."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return weft.Request


def lie(page: weft.Page) -> Liar:
    return Liar()


def yield_forever(page: weft.Page) -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def yield_long(page: weft.Page) -> Iterator[str]:
    while True:
        yield "x" * 1_000_000


def yield_long_headers(page: weft.Page) -> Iterator[weft.Request]:
    while True:
        yield weft.Request("/", headers={"X-A": "x" * 16_000})


def fork(page: weft.Page) -> Iterator[str]:
    yield "before"
    os.fork()
    yield "after"


def fork_and_raise(page: weft.Page) -> None:
    if os.fork() == 0:
        raise KeyboardInterrupt


def bad_among_good(page: weft.Page) -> Iterator[object]:
    yield 1
    yield object()
    yield object()
    yield 2


def request_changed(page: weft.Page) -> weft.Request:
    request = weft.Request("/next", data={"a": "1"})
    other: Any = request
    other.headers = "none"
    return request


def request_of_no_url(page: weft.Page) -> weft.Request:
    request = weft.Request("/next")
    other: Any = request
    other.url = 7
    return request


class OwnRequest(weft.Request):
    """A class of the user's is as good."""

    parts = "nothing"  # type: ignore[assignment]


def own_request(page: weft.Page) -> weft.Request:
    return OwnRequest("/search", json={"q": "kettle"})


def drop_forever(page: weft.Page) -> Iterator[object]:
    while True:
        yield object()


def both(page: weft.Page) -> Iterator[object]:
    yield {"url": page.url}
    yield weft.Request("/next")
    yield weft.Request("/search", data={"q": "kettle"})


async def no_generator(page: weft.Page) -> None:
    """A worker has no event loop."""


# ── a site ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Quote:
    text: str
    words: int = 0


class Link(TypedDict):
    to: str


class Tag(TypedDict):
    tag: str


site = weft.Site("http://site.test/")
seen: list[str] = []


@site.page("/quotes/*", "/old/*")
def quotes(page: weft.Page) -> Iterator[Quote | Link | weft.Request]:
    for found in page.document.select("q"):
        yield Quote(found.text)
    for link in page.links:
        yield Link(to=link)
        yield weft.Request(link)


@site.page("/quotes/*")
def broken(page: weft.Page) -> None:
    raise LookupError("broken as ever")


@site.page
def everywhere(page: weft.Page) -> Tag:
    return Tag(tag=page.url)


@site.item
def counted(quote: Quote) -> Quote | None:
    quote.words = len(quote.text.split())
    return quote if quote.words else None


@site.item
def upper(tag: Tag) -> Tag:
    return Tag(tag=tag["tag"].upper())


@site.item
def note(item: Quote | Link) -> object:
    seen.append(type(item).__name__)
    return item


empty_site = weft.Site("http://site.test/")
