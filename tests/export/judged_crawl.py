"""One crawl for other people's tools to judge: a bit of everything that an archive can hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import brotli  # type: ignore[import-untyped]

from tests.pipeline.crawling import resume
from tests.pipeline.small_web import Sites, SmallWeb, page, redirect, text
from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour, Fixed, Framing

HOSTS = ("www.judged.example", "other.example")
HOME, OTHER = HOSTS

PROSE = b"<!DOCTYPE html><html lang=de><title>Zwei Kopien</title><p>" + b"Das steht an zwei Stellen. " * 40
PACKED = gzip.compress(b"<!DOCTYPE html><title>Packed</title><p>" + b"gzip on the wire " * 50, mtime=0)
BROTLI = brotli.compress(b"<!DOCTYPE html><title>Brotli</title><p>" + b"br on the wire " * 50)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
LARGE = b"".join(b"%d " % number for number in range(230_000))  # over 1 MB a body goes through a file
CHUNKED = Fixed(PROSE + b"in chunks", framing=Framing.CHUNKED)

COPIES = {"/copy?of=first": "/first", "/Copy/of/chunks": "/chunks"}
REDIRECTS = {"/moved": (HOME, "/first"), "/away": (OTHER, "/landed")}
FORBIDDEN = "/secret"


def sites(web: SimWeb) -> Sites:
    """What each URL answers."""
    home: dict[str, Behaviour] = {
        "/": page(
            "/first", "/chunks", "/packed", "/brotli", "/picture.png", "/large", "/moved", "/away", "/gone",
            "/until-the-end", "/untyped", "/Straße?q=Ä&b=%20c", "/late", FORBIDDEN, "/empty",
            head="<meta charset=utf-8>",
        ),
        "/robots.txt": text(f"User-agent: *\nDisallow: {FORBIDDEN}\n"),
        "/first": Fixed(PROSE),
        "/chunks": CHUNKED,
        "/packed": Fixed(PACKED, headers=(("Content-Encoding", "gzip"),)),
        "/brotli": Fixed(BROTLI, content_type="Text/HTML", headers=(("Content-Encoding", "br"),)),
        "/picture.png": Fixed(PICTURE, content_type="image/png"),
        "/large": Fixed(LARGE, content_type="application/octet-stream"),
        "/moved": redirect(web.url(*REDIRECTS["/moved"]), 301),
        "/away": Fixed(PROSE + b"moved", 302, headers=(("Location", web.url(*REDIRECTS["/away"])),)),
        "/gone": Fixed(b"<title>404</title>nothing here", 404),
        "/until-the-end": Fixed(PROSE + b"1.0", framing=Framing.CLOSE, http10=True),
        "/untyped": Fixed(b"<title>x</title>no type at all", content_type=""),
        "/Stra%C3%9Fe?q=%C3%84&b=%20c": Fixed("<title>Ä</title>Umlaute".encode()),
        "/late": page(*COPIES),
        FORBIDDEN: page(),
        "/empty": Fixed(b""),
        "/copy?of=first": Fixed(PROSE, headers=(("X-Copy", "second"),)),
        "/Copy/of/chunks": CHUNKED,
    }  # fmt: skip
    return {(HOME, path): behaviour for path, behaviour in home.items()} | {(OTHER, "/landed"): page()}


class Line(NamedTuple):
    """A line of a CDXJ index."""

    key: str
    timestamp: str
    fields: dict[str, Any]


def cdxj_lines(data: str) -> list[Line]:
    """The lines of an index."""
    split = (line.split(" ", 2) for line in data.splitlines())
    return [Line(key, timestamp, json.loads(fields)) for key, timestamp, fields in split]


class JudgedCrawl:
    """The crawl, and what the servers had sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._web = SmallWeb(HOSTS, sites)
        # Records may be referred to once they are synced, as all are at the end of a run: /late leads on in the next.
        ending, self.files = self._web.crawl_then(folder, HOME, lambda: resume(folder, depth=None), depth=1, workers=2)
        assert ending is Ending.DONE
        self.index = folder / "index.cdxj"
        self.lines = cdxj_lines(self.index.read_text())
        self.copies = {self.url(copy): self.url(first) for copy, first in COPIES.items()}
        self.redirects = {self.url(path): self._web.url(*target) for path, target in REDIRECTS.items()}
        self.robots = {self.url("/robots.txt"), self.url("/robots.txt", OTHER)}

    def url(self, path: str, host: str = HOME) -> str:
        """A URL of the crawl."""
        return self._web.url(host, path)

    def timestamp(self, url: str) -> str:
        """When a URL was fetched, as the index has it."""
        (line,) = [line for line in self.lines if line.fields["url"] == url]
        return line.timestamp

    def sent(self) -> dict[str, Fixed]:
        """The URLs that answer with a fixed response and may be fetched."""
        answers = {self.url(path, host): answer for (host, path), answer in sites(self._web.web).items()}
        return {url: one for url, one in answers.items() if isinstance(one, Fixed) and url != self.url(FORBIDDEN)}


def ignore(_amount: int) -> None:
    """Who wants to know how far an export is?"""
