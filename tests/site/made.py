"""Crawl folders of small sites, made row by row through the classes that a crawl uses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from weft.config import CrawlConfig
from weft.folder.belonging import NODE_FILE, Belonging
from weft.folder.layout import CrawlFolder, database_of
from weft.folder.refused_rows import forbid
from weft.graph.rows import NODE_BYTES, edges_of, row
from weft.page.link_marks import Place
from weft.state import State
from weft.types import Kind, Link, LinkNotes, Outcome, OutsideLink, PageFacts, PageRow, Timing
from weft.url import canonicalize, host_of, url_id

HOME = "https://site.test/"
SITEMAP = HOME + "sitemap.xml"

_encode = msgspec.msgpack.Encoder().encode


class Page(msgspec.Struct, kw_only=True):
    """What of a page a test says; all else is as an owner wants it."""

    links: list[str] = []
    status: int = 200
    outcome: Outcome = Outcome.RESPONSE
    title: str | None = None  # None: one of its own
    mime: str = "text/html"
    bytes: int = 5_000
    wait_s: float = 0.1
    noindex: bool = False
    kind: Kind = Kind.LINK
    place: Place = Place.ANCHOR
    anchors: dict[str, str] = {}
    marks: dict[str, int] = {}
    outside: list[str] = []
    facts: dict[str, Any] = {}


def page(*links: str, **told: Any) -> Page:
    """A page with links to these paths or URLs."""
    return Page(links=[full(link) for link in links], **told)


def redirect(target: str, status: int = 301) -> Page:
    """A redirect to a path or URL."""
    return page(target, status=status, place=Place.REDIRECT, title="", mime="")


def missing(status: int = 404) -> Page:
    """What is not there."""
    return Page(status=status, title="Not found")


def sitemap(*links: str) -> Page:
    """A sitemap of these."""
    return page(*links, kind=Kind.SITEMAP, place=Place.SITEMAP, mime="application/xml", title="")


def full(link: str) -> str:
    """The URL of a path on the site."""
    url = canonicalize(link if "://" in link else HOME + link.lstrip("/"))
    assert url is not None
    return url


def make_site(
    path: Path, site: dict[str, Page], *, seeds: Iterable[str] = ("/",), forbidden: Iterable[str] = (), node: str = ""
) -> Path:
    """A crawl folder in which these were visited; with a name, that of a node of a cluster."""
    folder = CrawlFolder(path, must_exist=False)
    folder.save_config(CrawlConfig(seeds=tuple(map(full, seeds))))
    folder.close()
    if node:
        whose = Belonging("crawl", "crawl id", node, f"folder of {node}")
        (path / "state" / NODE_FILE).write_bytes(msgspec.json.encode(whose))
    state = State(database_of(path))
    batch = state.batch()
    for number, (name, one) in enumerate(site.items()):
        url = full(name)
        kind = Kind.SEED if url in map(full, seeds) else one.kind
        batch.put("page", url_id(url), _encode(page_row(url, number, one, kind)))
        batch.put("graph", url_id(url)[:NODE_BYTES], row(0.0, edges_of(b"".join(map(url_id, one.links)))))
        batch.put("links", url_id(url)[:NODE_BYTES], _encode(page_links(url, number, one)))
    for name in forbidden:
        forbid(batch, url_id(full(name)), Link(full(name), 1), "Disallow: /")
    state.write(batch)
    state.close()
    return path


def page_row(url: str, number: int, one: Page, kind: Kind) -> PageRow:
    """The row of a visit."""
    answered = one.outcome is Outcome.RESPONSE
    return PageRow(
        url=url,
        status=one.status if answered else 0,
        fetched_at=1_700_000_000.0 + number,
        depth=0,
        outcome=one.outcome,
        mime=one.mime,
        body_bytes=one.bytes,
        title=f"The page {url}" if one.title is None else one.title,
        kind=kind,
        noindex=one.noindex,
        timing=Timing(0.0, one.wait_s, 0.0),
    )


def page_links(url: str, number: int, one: Page) -> LinkNotes:
    """Its row of links."""
    ordered = sorted(set(one.links), key=lambda link: url_id(link)[:NODE_BYTES])
    facts: dict[str, Any] = {"description": f"About {url}", "h1": f"Heading of {url}", "h1s": 1, "words": 300}
    return LinkNotes(
        marks=bytes(one.marks.get(link, one.place) for link in ordered),
        anchors="\n".join(one.anchors.get(link, f"to {link}") for link in ordered),
        outside=[OutsideLink(link, one.place, f"to {host_of(link)}") for link in one.outside],
        facts=PageFacts(**(facts | one.facts)),
    )
