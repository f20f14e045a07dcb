"""The made-up pages of the bench: many hosts, each with the same number of pages, made of their numbers alone.

A host is an address of this machine (127.0.1.1, 127.0.1.2, …), so every tool reaches it without DNS. Each page has 40
links: to its eight children in a tree, by which every page of a host is reached from its first one; to pages of its
host and of others, chosen by a hash; and one that robots.txt forbids. They are written in the ways in which sites write
them: relative, from the root, and in full.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec

CHILDREN = 8
TO_OTHER_HOSTS = 5
FORBIDDEN_PREFIX = "/private/"
ROBOTS_TXT = f"User-agent: *\nDisallow: {FORBIDDEN_PREFIX}\n"
_WORDS = """
    archive bridge candle delta engine forest garden harbour island journal kernel ladder meadow needle orchard
    pebble quarry river shuttle thread umbrella valley weaver yarn zenith about after before every little never
    often only other paper quiet seven simple sometimes three under water while wonder
""".split()  # noqa: SIM905
_FILLER_CHARS = 200_000


class Shape(msgspec.Struct, frozen=True):
    """How many pages, and what they are like."""

    hosts: int = 50
    pages_a_host: int = 400
    page_bytes: int = 20_000
    links_a_page: int = 40


def host_address(host: int) -> str:
    """The address of a host, the first one being 127.0.1.1."""
    return f"127.0.{1 + host // 250}.{1 + host % 250}"


def page_path(page: int) -> str:
    """The path of a page; the first one is the host's start."""
    return f"/s{page % 7}/page-{page}.html" if page else "/"


def linked_pages(shape: Shape, host: int, page: int) -> list[tuple[int, int]]:
    """(host, page) of the links on a page, in their order, the forbidden one apart."""
    children = range(CHILDREN * page + 1, min(CHILDREN * page + 1 + CHILDREN, shape.pages_a_host))
    links = [(host, child) for child in children]
    drawn = random.Random(int.from_bytes(hashlib.blake2b(f"{host} {page}".encode(), digest_size=8).digest(), "big"))
    links += [(drawn.randrange(shape.hosts), drawn.randrange(shape.pages_a_host)) for _ in range(TO_OTHER_HOSTS)]
    while len(links) < shape.links_a_page - 1:
        links.append((host, drawn.randrange(shape.pages_a_host)))
    drawn.shuffle(links)
    return links


def page_html(shape: Shape, host: int, page: int, origins: list[str], filler: str) -> bytes:
    """A page: its links spread over its text."""
    links = [_href(origins, host, page, *link) for link in linked_pages(shape, host, page)]
    links.append(f"{FORBIDDEN_PREFIX}{page}.html")
    head = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Page {page} of host {host}</title></head>\n<body>\n<h1>Page {page} of host {host}</h1>\n"
    )
    tail = "</body></html>\n"
    written = [f'<p class="text"><a href="{href}">see {number}</a> ' for number, href in enumerate(links)]
    room = shape.page_bytes - len(head) - len(tail) - sum(map(len, written)) - len("</p>\n") * len(written)
    chars = max(0, room) // len(written)
    start = (host * 7919 + page * 104_729) % (_FILLER_CHARS - chars * len(written) - 1)
    paragraphs = [
        f"{link}{filler[start + number * chars : start + (number + 1) * chars]}</p>\n"
        for number, link in enumerate(written)
    ]
    return "".join([head, *paragraphs, tail]).encode()


def write_pages(shape: Shape, folder: Path, origins: list[str]) -> None:
    """Write every page to `folder`/ADDRESS/PATH; the links in full begin with the hosts' `origins`."""
    filler = _filler()
    for host in range(shape.hosts):
        root = folder / host_address(host)
        for section in range(7):
            (root / f"s{section}").mkdir(parents=True)
        for page in range(shape.pages_a_host):
            name = page_path(page).lstrip("/") or "index.html"
            (root / name).write_bytes(page_html(shape, host, page, origins, filler))


def all_pages(shape: Shape) -> Iterator[tuple[str, str]]:
    """(address, path) of every page: the tree of children reaches them all."""
    paths = [page_path(page) for page in range(shape.pages_a_host)]
    for host in range(shape.hosts):
        address = host_address(host)
        for path in paths:
            yield address, path


def _href(origins: list[str], host: int, page: int, to_host: int, to_page: int) -> str:
    path = page_path(to_page)
    if to_host != host:
        return origins[to_host] + path
    if to_page and (page + to_page) % 3 == 0:
        return f"..{path}" if page else path.lstrip("/")
    return path


def _filler() -> str:
    """Words without end or mark-up: what makes a page long, and no two pages the same."""
    drawn = random.Random(20)
    words: list[str] = []
    length = 0
    while length < _FILLER_CHARS:
        words.append(drawn.choice(_WORDS))
        length += len(words[-1]) + 1
    return " ".join(words)
