"""The sites that are mirrored, and what there is to be found on each.

    docs    real documentation on one host, with the images and scripts of its pages
    late    a part of it, each response 100 ms late
    grown   small made-up pages, as many as wanted: only memory is looked at

The part is made by robots.txt, which all tools obey: so it is the same for all, and nothing is told by flags that mean
something else for each of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from bench.corpus import LATE
from bench.pages import FORBIDDEN_PREFIX, ROBOTS_TXT, Shape, all_pages, host_address, write_pages
from bench.server import Manner, Server, Weather, free_port, served
from bench.site import START_PATH, find_site
from bench.tally import page_key
from bench.truth import all_links, walk

# About 1,500 files are left, for which wget, one by one, takes less than three minutes. Without the largest pages, too:
# for these 27 alone wget took 41 s of CPU, for all others 3.
LEFT_OUT = ("/index-files/", "/java.base/", "/java.desktop/", "/java.compiler/", "/java.management", "/jdk.")
SMALL_PAGE_BYTES, SMALL_PAGE_LINKS = 2_000, 14
HOST = host_address(0)


class Site(msgspec.Struct, frozen=True):
    """A site that is being served."""

    name: str
    title: str
    start_url: str
    truth: frozenset[str]  # page keys
    links: dict[str, list[str]]  # of each file, by its URL; empty: the files are not judged
    forbidden: tuple[str, ...]
    server: Server


@contextmanager
def docs(scratch: Path, left_out: tuple[str, ...] = ()) -> Iterator[Site]:
    """The documentation; without what begins so."""
    with _documentation("docs", "real documentation", scratch, left_out, None) as site:
        yield site


@contextmanager
def late(scratch: Path, left_out: tuple[str, ...] = LEFT_OUT) -> Iterator[Site]:
    """A part of it, late."""
    title = f"a part of it, each response {LATE.latency_ms} ms late"
    with _documentation("late", title, scratch, left_out, LATE) as site:
        yield site


@contextmanager
def _documentation(
    name: str, title: str, scratch: Path, left_out: tuple[str, ...], weather: Weather | None
) -> Iterator[Site]:
    root, port = find_site(), free_port()
    start_url = f"http://{HOST}:{port}{START_PATH}"
    forbidden = (FORBIDDEN_PREFIX, *left_out)
    # Also brings every file into the page cache, so that no tool pays for the disk.
    links = dict(walk(root, start_url, all_links, forbidden))
    truth = frozenset(key_of(url) for url in links)
    manner = Manner(weather=weather, robots_txt=_robots_txt(forbidden))
    with served(str(root), [HOST], port, scratch, manner) as server:
        yield Site(name, title, start_url, truth, links, forbidden, server)


@contextmanager
def grown(pages: int, scratch: Path, weather: Weather | None = None) -> Iterator[Site]:
    """So many small pages; each answer as late as the weather says."""
    port = free_port()
    shape = Shape(hosts=1, pages_a_host=pages, page_bytes=SMALL_PAGE_BYTES, links_a_page=SMALL_PAGE_LINKS)
    folder = Path(tempfile.mkdtemp(prefix=f"pages-{pages}-", dir=scratch))
    write_pages(shape, folder, [f"http://{HOST}:{port}"])
    truth = frozenset(page_key(address, path) for address, path in all_pages(shape))
    with served(
        f"{folder}/$server_addr", [HOST], port, scratch, Manner(weather=weather, robots_txt=ROBOTS_TXT)
    ) as server:
        title = f"{pages:,} small pages"
        yield Site(f"grown {pages}", title, f"http://{HOST}:{port}/", truth, {}, (FORBIDDEN_PREFIX,), server)


def key_of(url: str) -> str:
    """By which the server's log knows a URL."""
    parts = urlsplit(url)
    return page_key(parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else ""))


def _robots_txt(forbidden: tuple[str, ...]) -> str:
    return "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in forbidden)
