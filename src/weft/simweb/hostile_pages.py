"""Whole, well-sent responses whose content is made to hurt whoever reads it: pages, headers, robots.txt.

    SimProcess(spec, site("hostile.test", hostile_pages()))     every such page, at /<name>
    SimProcess(spec, {("a.test", "/robots.txt"): hostile_robots()["patterns"]})

What is wrong with how bytes are sent is in `hostile`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable

from weft.simweb.behaviour import Behaviour, Drip, Fixed, Framing, Raw, Stream

MIB = 1024 * 1024
LARGEST_PAGE_BYTES = 10 * MIB  # weft reads no larger one
NESTED_ELEMENTS = 200_000

_PAGE = b"<!DOCTYPE html>"
_JUNK = b"\x00\xff\xfe\x80\xed\xa0\x80\xc0\xaf\xf5"  # NUL, no UTF-8, a surrogate, an overlong slash
_AGENT = b"User-agent: *\n"
_ROBOTS_BYTES = 500 * 1024
_TEXT = "text/plain"


def hostile_pages() -> dict[str, Behaviour]:
    """Every hostile page, by name; none of them leads anywhere but to itself or out of the web."""
    return {name: make() for name, make in _PAGES.items()}


def many_links(page_bytes: int = LARGEST_PAGE_BYTES) -> Fixed:
    """A page of nothing but links, each to another page of its host: packed small, as it would be sent."""
    links = b"".join(b"<a href=%x>" % number for number in range(page_bytes // 12))
    packed = gzip.compress(_PAGE + links[: page_bytes - len(_PAGE)], 1, mtime=0)
    return Fixed(packed, headers=(("Content-Encoding", "gzip"),))


def many_sitemap_entries(entries: int = 250_000) -> Fixed:
    """A sitemap as long as one may be."""
    urls = b"".join(b"<url><loc>http://nowhere.test/%x</loc></url>" % number for number in range(entries))
    body = gzip.compress(b"<urlset>" + urls + b"</urlset>", 1, mtime=0)
    return Fixed(body, content_type="application/xml", headers=(("Content-Encoding", "gzip"),))


def dense(unit: bytes, page_bytes: int = LARGEST_PAGE_BYTES) -> Fixed:
    """As many elements, or whatever else takes more memory than it has bytes, as a page can hold; packed."""
    packed = gzip.compress(_PAGE + unit * ((page_bytes - len(_PAGE)) // len(unit)), 1, mtime=0)
    return Fixed(packed, headers=(("Content-Encoding", "gzip"),))


def nested(tag: bytes, times: int = NESTED_ELEMENTS) -> Fixed:
    """Elements in elements in elements, and a link within them all."""
    return Fixed(_PAGE + b"<%b>" % tag * times + b"<a href=deep>x</a>")


def cookie_bomb(cookies: int = 1_900, value_bytes: int = 100) -> Fixed:
    """As many cookies as fit into a head, and a link to where they would be sent back."""
    headers = tuple(("Set-Cookie", f"c{number}={'x' * value_bytes}; Path=/") for number in range(cookies))
    return Fixed(_PAGE + b"<a href=/next>x</a>", headers=headers)


def hostile_robots() -> dict[str, Behaviour]:
    """Every hostile robots.txt, by name. All of them allow / and, where they can be read, forbid /private."""
    rules = _AGENT + b"Disallow: /private\n"
    return {
        "huge": Fixed(rules + b"# nothing\n" * 500_000, content_type=_TEXT),
        "endless": Stream(None, Framing.CHUNKED, prefix=rules, content_type=_TEXT),
        "patterns": Fixed(rules + _many(b"Disallow: *a%x*\n"), content_type=_TEXT),
        "wildcards": Fixed(rules + _many(b"Disallow: /x" + b"*a" * 500 + b"*%x\n"), content_type=_TEXT),
        "rules": Fixed(rules + _many(b"Disallow:/%x\n"), content_type=_TEXT),
        "long-lines": Fixed(rules + b"Disallow: /y" + b"y" * MIB + b"\n", content_type=_TEXT),
        "junk": Fixed(_JUNK + b"\n" + rules + _JUNK * 100 + b": " + _JUNK, content_type=_TEXT),
        "crawl-delay": Fixed(rules + b"Crawl-delay: -1\nCrawl-delay: nan\nCrawl-delay: 0x9\n", content_type=_TEXT),
        "bomb": Fixed(
            gzip.compress(rules + b"#" * 64 * MIB, mtime=0), content_type=_TEXT, headers=(("Content-Encoding", "gzip"),)
        ),
        "dripping": Drip(b"HTTP/1.1 200 OK\r\n\r\n" + rules * 1_000, interval_s=0.02),
    }


def _many(line: bytes) -> bytes:
    """As many of these lines, each with a number of its own, as are read."""
    lines: list[bytes] = []
    size_bytes = 0
    while size_bytes < _ROBOTS_BYTES:
        lines.append(line % len(lines))
        size_bytes += len(lines[-1])
    return b"".join(lines[:-1])


def _long_links() -> Fixed:
    """Each of a megabyte, in every way a page has to name one."""
    long = b"x" * MIB
    links = b'<a href="/%b"><a href="http://%b.test/"><a href="?%b">' % (long, long, long)
    climbs = b'<a href="' + b"../" * 300_000 + b'"><a href="%b">' % (b"%41" * 300_000)
    return Fixed(_PAGE + links + climbs + b'<meta http-equiv=refresh content="0;url=%b">' % long)


def _junk_everywhere() -> Fixed:
    title = b"<title>" + _JUNK + b"</title><base href='" + _JUNK + b"'>"
    links = b"".join(b"<a href='/%b%d?q=%b'>%b</a>" % (_JUNK, number, _JUNK, _JUNK) for number in range(20))
    junk = _JUNK.decode("latin-1")
    headers = (
        ("Content-Language", junk),
        ("X-Robots-Tag", junk),
        ("Refresh", f"0;url={junk}"),
        ("Set-Cookie", f"{junk}={junk}"),
        ("Link", f"<{junk}>; rel=next"),
    )
    return Fixed(_PAGE + title + links + _JUNK * 5_000, content_type=f"text/html; charset={junk}", headers=headers)


def _junk_status() -> Raw:
    return Raw(b"HTTP/1.1 200 " + _JUNK + b"\r\n" + _JUNK + b": " + _JUNK + b"\r\nContent-Length: 2\r\n\r\nok")


def _junk_redirect() -> Fixed:
    return Fixed(b"", 302, headers=(("Location", "/\xff\x00" + _JUNK.decode("latin-1")),))


_PAGES: dict[str, Callable[[], Behaviour]] = {
    "dense-elements": lambda: dense(b"<p>x"),
    "dense-formatting": lambda: dense(b"<b>"),
    "dense-text": lambda: dense(b"x"),
    "dense-zeros": lambda: dense(b"\0"),
    "nested-div": lambda: nested(b"div"),
    "nested-table": lambda: nested(b"table"),
    "nested-b": lambda: nested(b"b"),
    "nested-svg": lambda: nested(b"svg"),
    "nested-iframe": lambda: nested(b"iframe srcdoc='<p>'"),
    "unclosed-tags": lambda: Fixed(_PAGE + b"<a b=c" * 1_000_000),
    "one-element": lambda: Fixed(_PAGE + b"<p" + b" a=b" * 1_500_000 + b">"),
    "open-comments": lambda: Fixed(_PAGE + b"<!--" * 1_500_000),
    "entities": lambda: Fixed(_PAGE + b"&notit;&#x110000;" * 300_000),
    "json-ld": lambda: Fixed(_PAGE + b"<script type=application/ld+json>" + b'{"url":' * 500_000),
    "style": lambda: Fixed(_PAGE + b"<style>" + b"@import url(" * 300_000),
    "srcdocs": lambda: Fixed(_PAGE + b"<iframe srcdoc='<iframe srcdoc=x>'></iframe>" * 100_000),
    "srcset": lambda: Fixed(_PAGE + b"<img srcset='" + b"a 1x," * 1_000_000 + b"'>"),
    "xml-entities": lambda: Fixed(
        b"<?xml version='1.0'?><!DOCTYPE rss ["
        + b"".join(b"<!ENTITY e%d '%b'>" % (level + 1, b"&e%d;" % level * 10) for level in range(30))
        + b"]><rss><channel><item><link>&e30;</link></item></channel></rss>",
        content_type="application/rss+xml",
    ),
    "long-links": _long_links,
    "junk-everywhere": _junk_everywhere,
    "junk-status": _junk_status,
    "junk-redirect": _junk_redirect,
    "zeros": lambda: Fixed(bytes(5 * MIB)),
    "half-utf-16": lambda: Fixed(b"\xff\xfe" + "<a href=x>".encode("utf-16le") * 100_000 + b"<"),
    "high-bytes": lambda: Fixed(bytes(range(128, 256)) * 40_000),
}
