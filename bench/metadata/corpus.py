"""A corpus: HTML files, and a JSON file that says what is true of them.

trafilatura's `tests/evaldata.json` has titles, dates and authors; htmldate's `tests/eval_*.json` have dates:

    {"https://…": {"file": "example.html", "title": "…", "date": "2020-01-31", "author": "…"}}

The files lie in folders beside it. Pages are halved by a hash of their URLs: one half to develop on, one to report.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec

HALVES = ("dev", "test", "all")
_FOLDERS = ("cache", "eval", "test_set")
WHERE_FROM = (
    "bench-metadata needs a corpus, and none comes with weft: clone https://github.com/adbar/trafilatura and give its "
    "folder tests (make bench-metadata CORPUS=…/trafilatura/tests). "
    "That of https://github.com/adbar/htmldate has dates alone"
)


class NoCorpus(Exception):
    """There is none in the folder."""


class TruePage(msgspec.Struct, frozen=True):
    """A page, and what is true of it; empty where nobody has said."""

    url: str
    path: str
    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()


def read_corpus(folder: Path | None, half: str) -> list[TruePage]:
    """The pages of a half of which something is known."""
    if folder is None:
        raise NoCorpus(WHERE_FROM)
    files = [folder / "evaldata.json", *sorted(folder.glob("eval_*.json"))]
    known = [page for file in files if file.is_file() for page in _pages_of(file)]
    if not known:
        raise NoCorpus(WHERE_FROM)
    return [page for page in known if half in ("all", half_of(page.url))]


def half_of(url: str) -> str:
    """In which half a URL is, on every machine."""
    return "dev" if hashlib.sha256(url.encode()).digest()[0] % 2 else "test"


def _pages_of(file: Path) -> list[TruePage]:
    told = json.loads(file.read_text("utf-8"))
    pages = []
    for url, true in told.items():
        if not isinstance(true, dict) or not (true.get("title") or true.get("date") or true.get("author")):
            continue
        path = next((path for name in _FOLDERS if (path := file.parent / name / true["file"]).is_file()), None)
        if path is not None:
            author = true.get("author") or ()
            authors = (author,) if isinstance(author, str) else tuple(author)
            pages.append(TruePage(url, str(path), true.get("title") or "", true.get("date") or "", authors))
    return pages
