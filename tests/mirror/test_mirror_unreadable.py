"""A page that weft fails to rewrite, or that the archive cannot give back: the mirror is made all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from weft.api.mirror import Mirroring, MirrorSummary, last_word_of_mirror
from weft.api.summary import crawl_to_end
from weft.folder.layout import CRAWL_FOLDER
from weft.folder.reading import CrawlReader
from weft.mirror.rewrite import Rewritten, rewrite
from weft.mirror.site import writer
from weft.mirror.site.layout import Standing, standing_of
from weft.mirror.site.messages import Share, Told
from weft.mirror.site.writers import Progress
from weft.pipeline.engine import Ending

from .mirrors import FOLDER, broken_links, tree
from .site_server import Answer, Site, page, redirect, serving

QUICK = {"allow_private": True, "delay_s": 0, "workers": 1, "user_agent": "test"}


class WritersInHere:
    """Writes in this process, so that a test can change how."""

    def __init__(self, root: Path, processes: int) -> None:
        self._root = root

    def begin(self, *, is_complete: bool, version: str = "") -> None:
        self._share = Share(str(self._root), 0, 1, is_complete, version)

    def end(self, progress: Progress) -> Told:
        told: list[Told] = []
        writer.write_share(self._share, told.append)
        return told[-1]

    def close(self) -> None:
        """There is nothing to end."""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as served:
        served.put("/", page("<a href='/a.html'>a</a><a href='/b.html'>b</a><a href='/large.bin'>large</a>"))
        served.put("/a.html", page("<a href='/'>home</a>"))
        served.put("/b.html", page("<a href='/a.html'>a</a>"))
        served.put("/large.bin", Answer(bytes(range(256)) * 8_192, "application/octet-stream"))
        yield served


def finished(mirroring: Mirroring) -> tuple[MirrorSummary, str]:
    """The figures of a run whose crawl has ended, and its last word."""
    assert mirroring.crawl is not None
    with closing(mirroring):
        summary = mirroring.finish(asyncio.run(crawl_to_end(mirroring.crawl)))
    return summary, last_word_of_mirror(mirroring.crawl, mirroring.root, Ending(summary.exit), summary)


def names(cwd: Path) -> set[str]:
    return {name.rpartition("/")[2] for name in tree(cwd)}


def test_a_page_that_cannot_be_rewritten_is_kept_as_it_came_and_told(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(body: bytes, syntax: Any, charset: str, url: str, *more: Any) -> Rewritten:
        if url.endswith("/b.html"):
            raise IndexError("unforeseen")
        return rewrite(body, syntax, charset, url, *more)

    monkeypatch.setattr("weft.mirror.site.writers.Writers", WritersInHere)
    monkeypatch.setattr(writer, "rewrite", failing)
    summary, last_word = finished(Mirroring(tmp_path / FOLDER, (site.url("/"),), QUICK, {}, update=False))
    assert (summary.not_rewritten, summary.not_rewritten_for_example) == (1, [site.url("/b.html")])
    assert f"failed to change them: 1, such as {site.url('/b.html')}" in last_word
    assert standing_of(tmp_path / FOLDER) is Standing.DONE
    (kept,) = (body for name, body in tree(tmp_path).items() if name.endswith("/b.html"))
    assert kept == site.answers["127.0.0.1", "/b.html"].body
    assert names(tmp_path) == {"index.html", "a.html", "b.html", "large.bin"}


@pytest.mark.parametrize("damaged", ["/b.html", "/large.bin"])
def test_a_file_whose_record_is_damaged_is_left_out_and_told(site: Site, tmp_path: Path, damaged: str) -> None:
    mirroring = Mirroring(tmp_path / FOLDER, (site.url("/"),), QUICK, {}, update=False)
    assert mirroring.crawl is not None
    with closing(mirroring):
        crawled = asyncio.run(crawl_to_end(mirroring.crawl))
        flip_byte_of(tmp_path / FOLDER / CRAWL_FOLDER, site.url(damaged))
        summary = mirroring.finish(crawled)
    assert (summary.damaged, summary.damaged_for_example) == (1, [site.url(damaged)])
    last_word = last_word_of_mirror(mirroring.crawl, mirroring.root, Ending(summary.exit), summary)
    assert f"damaged there: 1, such as {site.url(damaged)}" in last_word
    assert standing_of(tmp_path / FOLDER) is Standing.DONE
    assert names(tmp_path) == {"index.html", "a.html", "b.html", "large.bin"} - {damaged[1:]}
    assert summary.files == 3
    assert broken_links(tree(tmp_path), site, set()) == []
    (home,) = (body for name, body in tree(tmp_path).items() if name.endswith("/index.html"))
    assert site.url(damaged).encode() in home  # it is still on the web


def test_what_a_second_name_of_a_damaged_page_leads_to_is_on_the_web_too(site: Site, tmp_path: Path) -> None:
    site.put("/d/", page("<a href='/'>home</a>"))
    site.put("/d/index.html", site.answers["127.0.0.1", "/d/"])
    site.put("/moved", redirect("/b.html"))
    site.put("/", page("<a href='/d/'>d</a><a href='/d/index.html'>d</a><a href='/moved'>m</a><a href='/a.html'>a</a>"))
    mirroring = Mirroring(tmp_path / FOLDER, (site.url("/"),), QUICK, {}, update=False)
    assert mirroring.crawl is not None
    with closing(mirroring):
        crawled = asyncio.run(crawl_to_end(mirroring.crawl))
        for path in ("/d/", "/d/index.html", "/b.html"):
            flip_byte_of(tmp_path / FOLDER / CRAWL_FOLDER, site.url(path))
        mirroring.finish(crawled)
    assert names(tmp_path) == {"index.html", "a.html"}
    assert broken_links(tree(tmp_path), site, set()) == []


def flip_byte_of(crawl: Path, url: str) -> None:
    with CrawlReader(crawl) as reader:
        place = next(reader.place_of(row) for row in reader.rows() if row.url == url)
    with open(place.path, "r+b") as file:
        file.seek(place.offset + place.length // 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 0xFF]))
