# mypy: disable-error-code="import-untyped, import-not-found"
"""What can be reached on the real site: a walk over the files on disk, with neither weft nor a server.

The parser is libxml2's, which weft does not use, so that one mistake cannot hide on both sides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from lxml import etree

# (element, attribute) of links to other pages; images, scripts and style sheets are not pages.
_LINK_PLACES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_REFRESH = "refresh"


def reachable(site: Path, start_url: str) -> set[str]:
    """The URLs of all files that the links lead to from the start, as a server of the folder would answer them."""
    origin = start_url[: start_url.index("/", len("http://"))]
    found: set[str] = set()
    known = {start_url}
    to_visit = deque([start_url])
    while to_visit:
        url = to_visit.popleft()
        file = site / unquote(urlsplit(url).path).lstrip("/")
        if file.is_dir():
            if not url.endswith("/"):  # a server redirects to the folder
                _add(url + "/", origin, known, to_visit)
                continue
            file = file / "index.html"
        if not file.is_file():
            continue
        found.add(url)
        if file.suffix == ".html":
            for href in _links(file):
                _add(urljoin(url, href), origin, known, to_visit)
    return found


def _add(url: str, origin: str, known: set[str], to_visit: deque[str]) -> None:
    url = urldefrag(url).url
    if url.startswith(origin + "/") and url not in known:
        known.add(url)
        to_visit.append(url)


def _links(file: Path) -> Iterator[str]:
    # The site is written in UTF-8 throughout.
    tree = etree.HTML(file.read_bytes(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    if tree is None:
        return
    for element in tree.iter(*_LINK_PLACES):
        href = element.get(_LINK_PLACES[element.tag])
        if href is not None:
            yield href.strip()
    for element in tree.iter("meta"):
        _, separator, target = (element.get("content") or "").partition("url=")
        if separator and (element.get("http-equiv") or "").lower() == _REFRESH:
            yield target.strip("'\" ")
