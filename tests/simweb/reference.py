"""Small crawlers that know nothing of the model's graph: some ask the model, some the server.

What they take for a page, a link and a permission is written here again, so that the truth is checked by a
second opinion; only the reading of robots.txt is weft's own, which has tests of its own.
"""

from __future__ import annotations

import asyncio
import gzip
import heapq
import html
import re
import zlib
from collections import deque
from collections.abc import Callable
from urllib.parse import quote, urljoin

import ada_url
import brotli  # type: ignore[import-untyped]
import zstandard

from weft.robots import ALLOW_ALL, FORBID_ALL, Access, Rules, access_for, parse_robots
from weft.simweb import SimWeb
from weft.simweb.behaviour import Broken, Delayed, Fixed, Stream

AGENT = "weft"

_ANCHOR = re.compile(r'<a href="([^"]*)"( rel="nofollow")?>')
_META = re.compile(r'<meta name="([^"]*)" content="([^"]*)">')
_META_CHARSET = re.compile(rb'<meta charset="([^"]*)">')
_HEADER_CHARSET = re.compile(r"charset=([^;]*)", re.IGNORECASE)
_CODECS = {
    "utf-8": "utf-8",
    "gbk": "gbk",
    "shift_jis": "cp932",
    "windows-1251": "cp1251",
    "euc-kr": "cp949",
    "windows-1252": "cp1252",
}
_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": zstandard.ZstdDecompressor().decompress,
}


class Response:
    """A whole response."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        coding = headers.get("content-encoding")
        self.body = _DECODERS[coding](body) if coding else body

    def targets(self, url: str, *, obeys_rel_nofollow: bool = False) -> tuple[list[str], int]:
        """Where the response leads, and by how much deeper that is."""
        if "location" in self.headers:
            return [canonical(self.headers["location"], url)], 0
        if self.status != 200 or not self.is_page or "nofollow" in self.directives():
            return [], 1
        return [
            canonical(html.unescape(href), url, self.codec)
            for href, rel in _ANCHOR.findall(self.text)
            if not (rel and obeys_rel_nofollow)
        ], 1

    @property
    def is_page(self) -> bool:
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind in ("", "text/html", "unknown/unknown")

    @property
    def codec(self) -> str:
        if self.body.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "utf-16"
        by_header = _HEADER_CHARSET.search(self.headers.get("content-type", ""))
        by_page = _META_CHARSET.search(self.body)
        labels = [by_header[1].lower() if by_header else "", by_page[1].decode() if by_page else ""]
        return next((_CODECS[label] for label in labels if label in _CODECS), "utf-8")

    @property
    def text(self) -> str:
        return self.body.decode(self.codec)

    def directives(self) -> set[str]:
        """What the page asks of this crawler."""
        asked = [content for name, content in _META.findall(self.text) if name.lower() in ("robots", AGENT)]
        agent, colon, rest = self.headers.get("x-robots-tag", "").partition(":")
        if not colon:
            asked.append(agent)
        elif agent == AGENT:
            asked.append(rest)
        words = {word.strip().lower() for content in asked for word in content.split(",")}
        return words | {"nofollow", "noindex"} if "none" in words else words


def canonical(href: str, base: str, codec: str = "utf-8") -> str:
    """The URL that a browser would ask for: letters in a query go in the charset of the page."""
    before, question_mark, query = href.strip().partition("?")
    if not query.isascii():
        query = quote(query, safe="%&=#/", encoding="utf-8" if codec == "utf-16" else codec)
    parsed = ada_url.URL(before + question_mark + query, base=base)
    parsed.hash = ""
    return str(parsed.href)


def host_and_path(url: str) -> tuple[str, str]:
    parsed = ada_url.URL(url)
    return parsed.hostname, parsed.pathname + parsed.search


def is_https(url: str) -> bool:
    return url.startswith("https:")


# ── the model as a server ──


def ask_model(web: SimWeb, url: str) -> Response:
    """What the model's server ends up answering."""
    response = try_model(web, url)
    assert response
    return response


def try_model(web: SimWeb, url: str) -> Response | None:
    """The same; None when no answer ever comes."""
    host, path = host_and_path(url)
    if is_https(url) and host in web.tls_faults:
        return None
    answer = web.answer(host, path, tls=is_https(url))
    if isinstance(answer, Delayed):
        answer = answer.then
    if isinstance(answer, Broken):
        if answer.attempts is None:
            return None
        answer = answer.then
    if isinstance(answer, Stream):
        answer = Fixed(answer.prefix, content_type=answer.content_type)
    assert isinstance(answer, Fixed)
    headers = {name.lower(): value for name, value in answer.headers}
    if answer.content_type:
        headers["content-type"] = answer.content_type
    return Response(answer.status, headers, answer.body)


class Permissions:
    """What robots.txt allows, for each authority asked for once."""

    def __init__(self, ask: Callable[[str], Response | None]) -> None:
        self._ask = ask
        self._rules: dict[str, Rules] = {}

    def allow(self, url: str) -> bool:
        authority = urljoin(url, "/")
        if authority not in self._rules:
            self._rules[authority] = self._rules_of(authority + "robots.txt")
        _, path = host_and_path(url)
        return self._rules[authority].allows(path)

    def _rules_of(self, url: str) -> Rules:
        redirects = 0
        while response := self._ask(url):
            location = response.headers.get("location")
            access = access_for(response.status, has_location=location is not None, redirects=redirects)
            if access is Access.FOLLOW:
                assert location
                url = canonical(location, url)
                redirects += 1
            elif access is Access.RULES:
                return parse_robots(response.body[: 500 * 1024], AGENT)
            else:
                return ALLOW_ALL if access is Access.ALLOW_ALL else FORBID_ALL
        return FORBID_ALL


def permissions_of_model(web: SimWeb) -> Permissions:
    return Permissions(lambda url: try_model(web, url))


def crawl_model(web: SimWeb, max_depth: int, *, lowers_depth: bool, obeys_rel_nofollow: bool = False) -> set[str]:
    """A crawl in simulated time: one request at a time to each host, which takes the host's latency.

    With `lowers_depth` a URL found again on a shorter way has its links looked at again, without a request.
    """
    latency_s = {host.name: host.latency_s for host in web.hosts}
    permissions = permissions_of_model(web)
    depths = dict.fromkeys(web.seeds(), 0)
    fetched: dict[str, Response] = {}
    free_at: dict[str, float] = {}
    under_way = [(0.0, number, url) for number, url in enumerate(depths)]
    while under_way:
        now, _, url = heapq.heappop(under_way)
        fetched[url] = ask_model(web, url)
        looked_at = deque([url])
        while looked_at:
            source = looked_at.popleft()
            targets, deeper = fetched[source].targets(source, obeys_rel_nofollow=obeys_rel_nofollow)
            for target in targets:
                depth = depths[source] + deeper
                if depth > max_depth or not permissions.allow(target):
                    continue
                if target not in depths:
                    depths[target] = depth
                    host = host_and_path(target)[0]
                    free_at[host] = max(free_at.get(host, 0.0), now) + latency_s.get(host, 0.0)
                    heapq.heappush(under_way, (free_at[host], len(depths), target))
                elif lowers_depth and depth < depths[target]:
                    depths[target] = depth
                    if target in fetched:
                        looked_at.append(target)
    return set(fetched)


# ── over the network ──


async def crawl_server(web: SimWeb, max_depth: int | None = None) -> dict[str, int]:
    """A crawl over HTTP, one request after the other, nearest first. Gives the status of every URL."""
    permissions = permissions_of_model(web)
    status: dict[str, int] = {}
    waiting = deque((url, 0) for url in web.seeds())
    while waiting:
        url, depth = waiting.popleft()
        if url in status or not permissions.allow(url):
            continue
        response = await fetch_with_retries(web, url)
        status[url] = response.status
        targets, deeper = response.targets(url)
        if deeper == 0:
            waiting.extendleft((target, depth) for target in targets)
        elif max_depth is None or depth < max_depth:
            waiting.extend((target, depth + 1) for target in targets)
    return status


async def fetch_with_retries(web: SimWeb, url: str, tries: int = 5) -> Response:
    for _ in range(tries):
        try:
            return await fetch(web, url)
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            continue
    raise AssertionError(f"{url} failed {tries} times")


async def fetch(web: SimWeb, url: str, timeout_s: float = 60.0) -> Response:
    """One request on a connection of its own."""
    host, path = host_and_path(url)
    async with asyncio.timeout(timeout_s):
        reader, writer = await asyncio.open_connection(web.address_of(host) or "127.0.0.1", web.port)
        try:
            writer.write(request_for(host, path))
            return await read_response(reader)
        finally:
            writer.close()


def request_for(host: str, path: str, method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: {host}:1\r\nAccept: */*\r\n\r\n".encode()


async def read_response(reader: asyncio.StreamReader) -> Response:
    """A response that tells its length."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    body = await reader.readexactly(int(headers["content-length"]))
    return Response(int(head[0].split(" ")[1]), headers, body)
