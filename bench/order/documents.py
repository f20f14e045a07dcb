# mypy: disable-error-code="import-untyped"
"""Real pages: documentation of ten Debian packages, and which of them are about a topic.

Nobody has read them all, so relevance is a rule: BM25 of the page's text over all pages, words being runs of letters
cut to their first six. weft reads HTML and cuts words in its own way, and never sees the other pages' figures.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lxml import html

from bench.server import ServerError

# Where each package begins, below usr/share.
STARTS: dict[str, tuple[str, ...]] = {
    "apache2-doc": ("doc/apache2-doc/manual/en/index.html",),
    "debian-policy": ("doc/debian-policy/policy.html/index.html",),
    "git-doc": ("doc/git-doc/index.html",),
    "libglib2.0-doc": (
        "gtk-doc/html/glib/index.html", "gtk-doc/html/gobject/index.html", "gtk-doc/html/gio/index.html",
    ),
    "octave-doc": ("doc/octave/octave.html/index.html", "doc/octave/liboctave.html/index.html"),
    "postgresql-doc-15": ("doc/postgresql-doc-15/html/index.html",),
    "python-django-doc": ("doc/python-django-doc/html/index.html",),
    "python-sqlalchemy-doc": ("doc/python-sqlalchemy-doc/html/index.html",),
    "python3.11-doc": ("doc/python3.11/html/index.html",),
    "sqlite3-doc": ("doc/sqlite3/index.html",),
}  # fmt: skip
TOPICS: dict[str, tuple[str, ...]] = {
    "transactions": ("transaction", "isolation", "lock", "commit", "rollback"),
    "patterns": ("regular", "expression", "pattern", "matching"),
    "encryption": ("certificate", "encryption", "TLS", "SSL", "authentication"),
}
RELEVANT_SHARE = 0.05
INDEX = "index.html"

_WORD = re.compile(r"[a-z]+")
_STEM_LETTERS = 6
_K1, _B = 1.2, 0.75


def make_site(documents: Path, folder: Path) -> None:
    """A folder to serve: the documentation, and a page that links to where each package begins."""
    share = documents / "usr" / "share"
    there = [(package, start) for package, starts in STARTS.items() for start in starts if (share / start).is_file()]
    if not there:
        raise ServerError(f"there is no documentation in {documents}: run make bench-order")
    folder.mkdir()
    for name in {Path(start).parts[0] for _, start in there}:
        (folder / name).symlink_to((share / name).resolve())
    links = "".join(f'<li><a href="/{start}">{package}</a>\n' for package, start in there)
    (folder / INDEX).write_text(f"<!DOCTYPE html><title>Documentation</title><ul>\n{links}</ul>\n")


def stems(text: str) -> list[str]:
    """The words of a text."""
    return [word[:_STEM_LETTERS] for word in _WORD.findall(text.lower())]


def read_words(file: Path) -> Counter[str]:
    """The words of a page, without scripts, styles and what only a browser reads."""
    data = file.read_bytes()
    if not data.strip():
        return Counter()
    tree = html.document_fromstring(data)
    for element in tree.xpath("//script | //style | //head/*[not(self::title)]"):
        element.drop_tree()
    return Counter(stems(" ".join(tree.itertext())))


def relevant_pages(pages: Sequence[Mapping[str, int]], topic: Iterable[str]) -> frozenset[int]:
    """The twentieth of the pages with the best BM25, of those that have any word of the topic."""
    query = set(stems(" ".join(topic)))
    lengths = [sum(words.values()) for words in pages]
    mean = sum(lengths) / len(lengths)
    having = {word: sum(word in words for words in pages) for word in query}
    weights = {word: math.log(1 + (len(pages) - count + 0.5) / (count + 0.5)) for word, count in having.items()}

    def score(words: Mapping[str, int], length: int) -> float:
        damped = _K1 * (1 - _B + _B * length / mean)
        return sum(weights[word] * words[word] * (_K1 + 1) / (words[word] + damped) for word in query & words.keys())

    scores = [score(words, length) for words, length in zip(pages, lengths, strict=True)]
    best = sorted(range(len(pages)), key=lambda page: -scores[page])[: round(RELEVANT_SHARE * len(pages))]
    return frozenset(page for page in best if scores[page] > 0)
