"""A corpus of pages whose main content is known by snippets, and its two halves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

HALVES = ("developed on", "held out")


class NoCorpus(Exception):
    """There is none where one was looked for."""


class Labels(msgspec.Struct, frozen=True, rename={"has": "with", "lacks": "without"}):
    """What is known of a page."""

    file: str
    has: list[str]
    lacks: list[str]


class LabelledPage(msgspec.Struct, frozen=True):
    """A page and what is known of it."""

    url: str
    path: str
    labels: Labels

    @property
    def half(self) -> str:
        """Which half it is in, by its URL alone."""
        return HALVES[hashlib.sha256(self.url.encode()).digest()[0] & 1]


def read_corpus(folder: Path) -> list[LabelledPage]:
    """All pages of a corpus whose files are there."""
    try:
        labels = msgspec.json.decode((folder / "evaldata.json").read_bytes(), type=dict[str, Labels])
    except (OSError, msgspec.MsgspecError) as error:
        raise NoCorpus(f"{folder} has no evaldata.json that can be read: {error}") from error
    pages = []
    for url, known in sorted(labels.items()):
        for place in ("cache", "eval"):
            path = folder / place / known.file
            if path.is_file():
                pages.append(LabelledPage(url, str(path), known))
                break
    if not pages:
        raise NoCorpus(f"{folder} has none of the pages that its evaldata.json names")
    return pages
