"""The pages of example.org: a small shop with a calendar."""

from __future__ import annotations

import json
from typing import NamedTuple


class Answer(NamedTuple):
    """What a path of the site gives."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"


def _page(title: str, body: str, *hrefs: str) -> Answer:
    links = "".join(f'<li><a href="{href}">{href}</a></li>' for href in hrefs)
    return Answer(
        f'<!DOCTYPE html><html lang="en"><title>{title}</title><h1>{title}</h1><p>{body}</p><ul>{links}</ul>'.encode()
    )


def _product(name: str, price: str) -> Answer:
    data = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": {"price": price}}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    return _page(name, f"A {name.lower()} for daily use.{script}")


ROBOTS = "/robots.txt"
SITE = {
    ROBOTS: Answer(b"User-agent: *\nDisallow: /private/\n", "text/plain"),
    "/": _page("Example", "Welcome.", "/products", "/about", "/calendar/2026/01", "/private/"),
    "/products": _page("Products", "What we have.", "/products/teapot", "/products/kettle"),
    "/products/teapot": _product("Teapot", "25.00"),
    "/products/kettle": _product("Kettle", "40.00"),
    "/about": _page("About us", "We sell things for tea. " * 20, "/"),
    "/calendar/2026/01": _page("January", "Nothing happens.", "/calendar/2026/02"),
    "/calendar/2026/02": _page("February", "Nothing happens either."),
    "/private/": _page("Private", "Not for robots."),
}
PAGES = {f"https://example.org{path}" for path in SITE if path not in (ROBOTS, "/private/")}
