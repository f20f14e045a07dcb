"""What the archive says about a page beside its response."""

from __future__ import annotations

import pytest

from weft.config import CrawlConfig
from weft.fetch import replay
from weft.page.leads import Leads
from weft.page.notes import NoteTaker
from weft.types import Fetched, Kind, Link

SEED, URL = "http://a.example/", "http://a.example/page"
CONFIG = CrawlConfig(seeds=("http://b.example/", SEED))


def fetched() -> Fetched:
    return replay(URL, b"HTTP/1.1 200 OK\r\n\r\n")


def test_notes_tell_how_a_page_was_found_and_what_was_read_from_it() -> None:
    link = Link(URL, 3, Kind.FRAME, SEED, redirects=2, hops="LRE", seed=1)
    notes = NoteTaker(CONFIG).notes_on(link, fetched(), Leads(charset="utf-8", title="A title"))
    assert notes is not None
    assert notes.decode().split("\r\n") == [
        f"via: {SEED}",
        "hopsFromSeed: LRE",
        f"sourceTag: {SEED}",
        "depth: 3",
        "kind: frame",
        "redirects: 2",
        "fetchTimeMs: 0",
        "charsetForLinkExtraction: utf-8",
        "title: A title",
        "",
    ]


def test_what_is_not_known_has_no_line() -> None:
    notes = NoteTaker(CONFIG).notes_on(Link(URL, 0, Kind.SEED), fetched(), Leads())
    assert notes == b"depth: 0\r\nkind: seed\r\nredirects: 0\r\nfetchTimeMs: 0\r\n"


STRANGE = ["a\nb", "a\r\nInjected: yes", "a\r\n\r\nWARC/1.1\r\n", "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e", "tail\n"]


@pytest.mark.parametrize("title", STRANGE)
def test_a_title_keeps_to_its_line_whatever_is_in_it(title: str) -> None:
    notes = (NoteTaker(CONFIG).notes_on(Link(URL, 0), fetched(), Leads(title=title)) or b"").decode()
    lines = notes.split("\r\n")
    assert lines[-2].startswith("title: ")
    assert lines[-3:] == ["fetchTimeMs: 0", lines[-2], ""]
    assert len(notes.splitlines()) == len(lines) - 1
