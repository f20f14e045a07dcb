# mypy: disable-error-code="import-untyped, import-not-found"
"""What can be reached on the real site: a walk over the files on disk, with neither weft nor a server.

The parser is libxml2's, which weft does not use, so that one mistake cannot hide on both sides.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from lxml import etree

# (element, attribute) of links to other pages; images, scripts and style sheets are not pages.
_LINK_PLACES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
# And of what a page needs to look right.
_NEEDED_PLACES = {"img": "src", "script": "src", "link": "href", "source": "src"}
_REFRESH = "refresh"
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_URL = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])([^"'()\s]+)""")
_REMEMBERED = 500_000  # pages of a folder have most links in common

Links = Callable[[Path], list[str]]


def reachable(site: Path, start_url: str) -> set[str]:
    """The URLs of all files that the links lead to from the start, as a server of the folder would answer them."""
    return {url for url, _ in walk(site, start_url, page_links)}


def walk(
    site: Path, start_url: str, links_of: Links, forbidden: tuple[str, ...] = ()
) -> Iterator[tuple[str, list[str]]]:
    """Every file once, with where its links lead, in their order; paths that begin so are left out."""
    origin = start_url[: start_url.index("/", len("http://"))]
    not_here = tuple(origin + path for path in forbidden)
    known = {start_url: start_url}
    to_visit = deque([start_url])
    resolve = lru_cache(_REMEMBERED)(urljoin)

    def add(url: str) -> None:
        if url not in known and url.startswith(origin + "/") and not url.startswith(not_here):
            known[url] = url
            to_visit.append(url)

    while to_visit:
        url = to_visit.popleft()
        file = site / unquote(urlsplit(url).path).lstrip("/")
        if file.is_dir():
            if not url.endswith("/"):  # a server redirects to the folder
                add(url + "/")
                continue
            file = file / "index.html"
        if not file.is_file():
            continue
        folder = url[: url.rindex("/") + 1]
        leads_to = [resolve(folder, path) if (path := urldefrag(href).url) else url for href in links_of(file)]
        for found in leads_to:
            add(found)
        yield url, [known.get(found, found) for found in leads_to]


def page_links(file: Path) -> list[str]:
    """The links of a page to other pages, as they are written."""
    return _links_at(file, _LINK_PLACES) if file.suffix == ".html" else []


def all_links(file: Path) -> list[str]:
    """The links of a page or style sheet to pages and to what they need, as they are written: one a place."""
    if file.suffix == ".css":
        return _CSS_URL.findall(_CSS_COMMENT.sub("", file.read_text("latin-1")))
    return _links_at(file, _LINK_PLACES | _NEEDED_PLACES) if file.suffix == ".html" else []


def _links_at(file: Path, places: dict[str, str]) -> list[str]:
    # The site is written in UTF-8 throughout.
    tree = etree.HTML(file.read_bytes(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    if tree is None:
        return []
    found = [href.strip() for element in tree.iter(*places) if (href := element.get(places[element.tag])) is not None]
    for element in tree.iter("meta"):
        _, separator, target = (element.get("content") or "").partition("url=")
        if separator and (element.get("http-equiv") or "").lower() == _REFRESH:
            found.append(target.strip("'\" "))
    return found
