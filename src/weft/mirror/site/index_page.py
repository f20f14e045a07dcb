"""`--index`: a page about the mirror itself, that opens first: hosts, pages, sizes, what failed, a search over titles.

One file without anything from elsewhere; a short script in it hides what a search does not mean. Nothing in it depends
on when it was made: a mirror that was killed has the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from weft.config import CrawlConfig
from weft.folder.history import has_content
from weft.folder.page_rows import decode_page
from weft.folder.refused_list import left_out_in
from weft.media.types import HTML_TYPES
from weft.mirror.paths import INDEX, relative_link
from weft.mirror.site.known import file_of, files_by_path
from weft.state import State
from weft.stats.verdict import counted
from weft.types import STOPPED, Kind, Outcome, PageRow
from weft.url import host_of, is_own_request, url_id

MOST_PAGES: Final = 20_000  # in the list; the figures count all
MOST_FAILED: Final = 1_000
MOST_RULES: Final = 100

_SCRIPT: Final = """
const box = document.querySelector("input"), rows = [...document.querySelectorAll("#pages li")];
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/);
  for (const row of rows) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
});
"""
_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
input { font: inherit; width: 100%; padding: .4em; box-sizing: border-box }
td, th { text-align: left; padding: 0 1.5em 0 0 } td.n { text-align: right }
small { opacity: .7; overflow-wrap: anywhere } ul { padding-left: 1.2em }
"""


def index_page(state: State, config: CrawlConfig, root: Path) -> bytes:
    """The page, from the rows of a crawl and the files that were made of it."""
    return "".join(_parts(state, config, root)).encode()


def _parts(state: State, config: CrawlConfig, root: Path) -> Iterator[str]:
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    pages: list[str] = []
    more_pages = 0
    for url in files_by_path(state):
        path = file_of(state, url_id(url))
        row = state.get("page", url_id(url))
        if path is None or row is None:
            continue
        size = _size(root / path)
        files[host_of(url)] += 1
        sizes[host_of(url)] += size
        page = decode_page(row)
        if page.mime in HTML_TYPES:
            if len(pages) < MOST_PAGES:
                pages.append(_page_line(page, path, size))
            else:
                more_pages += 1
    title = escape(f"Mirror of {', '.join(config.seeds[:3])}{' …' * (len(config.seeds) > 3)}")
    yield f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>\n"
    yield f"<h1>{title}</h1>\n"
    yield f"<p>{counted(files.total(), 'file')}, {_written(sizes.total())}.\n"
    yield "<table><tr><th>host<th>files<th>size\n"
    for host, count in sorted(files.items(), key=lambda one: (-one[1], one[0])):
        yield f"<tr><td>{escape(host)}<td class=n>{count:,}<td class=n>{_written(sizes[host])}\n"
    yield "</table>\n<h2>Pages</h2>\n"
    yield f'<p><input type=search placeholder="search in {len(pages):,} titles" autofocus>\n<ul id=pages>\n'
    yield from pages
    yield f"</ul>\n{f'<p>and {more_pages:,} more' * bool(more_pages)}\n"
    yield from _failed(state)
    yield from _left_out(state, config)
    yield f"<script>{_SCRIPT}</script>\n"


def _page_line(page: PageRow, path: str, size: int) -> str:
    shown = escape(page.title or page.url, quote=False)
    return (
        f'<li><a href="{relative_link(INDEX, path)}">{shown}</a> <small>{escape(page.url)} {_written(size)}</small>\n'
    )


def _failed(state: State) -> Iterator[str]:
    """What was asked for and is no file, but for redirects, what a rule stopped, and what was only a guess."""
    count = 0
    for _, row in state.scan("page"):
        page = decode_page(row)
        is_redirect = page.outcome is Outcome.RESPONSE and 300 <= page.status < 400
        is_expected = is_redirect or page.truncated == STOPPED or page.kind is Kind.GUESS
        if has_content(page) or is_expected or is_own_request(page.parts):
            continue
        count += 1
        if count == 1:
            yield "<h2>Failed</h2>\n<ul>\n"
        if count <= MOST_FAILED:
            why = page.outcome if page.outcome is not Outcome.RESPONSE else page.truncated or f"status {page.status}"
            yield f"<li>{escape(page.url)} <small>{escape(why)}</small>\n"
    if count:
        yield f"</ul>\n{f'<p>and {count - MOST_FAILED:,} more' * (count > MOST_FAILED)}\n"


def _left_out(state: State, config: CrawlConfig) -> Iterator[str]:
    """By which rules URLs were not asked for."""
    rules = left_out_in(state, config.max_pages_per_host)
    if rules:
        yield "<h2>Left out</h2>\n<table><tr><th>why<th>rule<th>URLs<th>as\n"
        for one in rules[:MOST_RULES]:
            example = f"<small>{escape(one.example)}</small>"
            yield f"<tr><td>{escape(one.reason)}<td>{escape(one.rule)}<td class=n>{one.count:,}<td>{example}\n"
        yield "</table>\n"


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _written(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return counted(size, "byte")
