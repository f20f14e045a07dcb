"""The links of a page too large for a tree are followed; what could not be read is said in every place."""

from __future__ import annotations

import gzip
import json
import os
import signal
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

import weft
from tests.hostile.wasteful import WASTEFUL
from weft.api.report import report as read_report
from weft.page.large_pages import MAX_TREE_BYTES
from weft.parse.scan import has_scanner
from weft.simweb import SimWeb
from weft.simweb.behaviour import Fixed

from .crawling import until
from .pool_rig import LARGE_PAGE, pool_rig
from .small_web import Sites, SmallWeb, page
from .test_distrust import submit, within_time

SITE = "large.test"
pytestmark = pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")


def long_page(*hrefs: str, doubtful: str = "") -> bytes:
    links = "".join(f"<a href={href}>x</a>" for href in hrefs)
    return f"<!DOCTYPE html><title>L</title>{doubtful}".encode() + b"<p>text\n" * (MAX_TREE_BYTES // 8) + links.encode()


def sites(web: SimWeb) -> Sites:
    gzipped = gzip.compress(long_page("/of-packed"), 1)
    return {
        (SITE, "/"): page("/plain", "/packed", "/doubtful"),
        (SITE, "/plain"): Fixed(long_page("/of-plain")),
        (SITE, "/packed"): Fixed(gzipped, headers=(("Content-Encoding", "gzip"),)),
        (SITE, "/doubtful"): Fixed(long_page("/of-doubtful", doubtful="<select><a href=/in-select>x</a></select>")),
        **{(SITE, f"/of-{name}"): page() for name in ("plain", "packed", "doubtful")},
        (SITE, "/in-select"): page(),
    }


def test_large_pages_are_followed_and_what_is_unsure_is_said(tmp_path: Path) -> None:
    web = SmallWeb((SITE,), sites)
    web.crawl(tmp_path / "crawl", SITE)
    lines = [json.loads(line) for line in (tmp_path / "crawl/pages.jsonl").read_bytes().splitlines()]
    assert {line["url"]: line.get("unread") for line in lines if line["title"] == "L"} == {
        web.url(SITE, "/plain"): None,
        web.url(SITE, "/packed"): None,
        web.url(SITE, "/doubtful"): "no-tree",
    }
    assert next(line["links_read_bytes"] for line in lines if "unread" in line) > MAX_TREE_BYTES
    assert [(row.name, row.count) for row in read_report(tmp_path / "crawl").unread] == [("no-tree", 1)]
    assert b"linksUnread: no-tree\r\n" in b"".join(notes(tmp_path / "crawl"))
    found = {page.url: page.links for page in weft.read(tmp_path / "crawl")}
    assert found[web.url(SITE, "/packed")] == [web.url(SITE, "/of-packed")]
    followed = {web.url(SITE, f"/{name}") for name in ("of-plain", "of-packed", "of-doubtful", "in-select")}
    assert followed <= {line["url"] for line in lines}


@pytest.mark.parametrize("kind", ["large", "distrusted"])
def test_pages_that_wait_for_their_one_reader_are_counted_by_their_bytes_on_disk(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with pool_rig(tmp_path, slots=2, active=2) as rig:
            await rig.are_ready(2)
            if kind == "distrusted":
                coding, raw = WASTEFUL["two layers of gzip"]
                submit(rig, "bad.example", "waste", raw, coding)
                await rig.all_done()
            os.kill(rig.pool.pids()[0], signal.SIGSTOP)
            submit(rig, "good.example", "large", LARGE_PAGE)
            await until(lambda: not rig.pool.workers[0].has_credit())
            body = LARGE_PAGE if kind == "large" else b"<p>hello"
            for number in range(3):
                submit(rig, "bad.example", number, body, spool=tmp_path / f"{number}.body")
            await until(lambda: rig.workers.spooled_bytes() == 3 * len(body))
            os.kill(rig.pool.pids()[0], signal.SIGCONT)
            await rig.all_done()
            assert rig.workers.spooled_bytes() == 0

    within_time(scenario())


def notes(folder: Path) -> list[bytes]:
    blocks = []
    for path in (folder / "archive").glob("*.warc.gz"):
        with path.open("rb") as file:
            blocks += [r.content_stream().read() for r in ArchiveIterator(file) if r.rec_type == "metadata"]
    return blocks
