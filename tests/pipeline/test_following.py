"""What the program that iterates asks for: through the same rules as links, durable, and before the run may end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

import weft
from weft.errors import BadInput, BadUrl
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.engine import Ending
from weft.types import PageRow, Refusal

from .crawling import CRAWL_WITHIN_S, resume
from .live_site import Answer, html
from .posting_site import Asked, posting

Reader = Callable[[Crawl, PageRow], bool | None]  # True: stop


def counting(asked: Asked) -> Answer:
    """Pages without a link; /old leads to /new."""
    if asked.path == "/old":
        return 301, {"Location": "/new"}, ""
    return html("no links", f"{asked.method} {asked.path} {asked.body.decode()}")


def read(crawl: Crawl, reader: Reader) -> list[PageRow]:
    """Run it, and give each page to a reader."""

    async def go() -> list[PageRow]:
        delivery, rows = Delivery(), []
        running = asyncio.create_task(crawl.run(delivery))
        running.add_done_callback(lambda _: delivery.end())
        while (delivered := await delivery.next(lambda: crawl.state)) is not None:
            rows.append(delivered[0])
            if reader(crawl, delivered[0]):
                crawl.stop()
        await running
        return rows

    return uvloop.run(asyncio.wait_for(go(), CRAWL_WITHIN_S))


def test_each_page_may_lead_to_the_next_although_nothing_else_is_left(tmp_path: Path) -> None:
    def on(crawl: Crawl, row: PageRow) -> None:
        number = int(row.parts.body) if row.parts else 0
        if number < 5:
            crawl.follow(weft.Request("/count", data=str(number + 1)), row.depth + 1, row)
            crawl.follow(weft.Request("/count", data=str(number + 1)), row.depth + 1, row)
            crawl.follow(weft.Request("/"), row.depth + 1, row)

    with posting(counting) as site:
        crawl = Crawl.create(tmp_path / "crawl", site.config())
        rows = read(crawl, on)
    assert site.posts() == [b"1", b"2", b"3", b"4", b"5"]
    assert crawl.ending is Ending.DONE
    assert [(row.depth, row.via, row.hops) for row in rows[:3]] == [
        (0, "", ""),
        (1, f"{site.origin}/", "L"),
        (2, f"{site.origin}/count", "LL"),
    ]


def test_it_goes_through_the_rules_and_refusals_are_counted(tmp_path: Path) -> None:
    def on(crawl: Crawl, row: PageRow) -> None:
        if not row.depth:
            crawl.follow(weft.Request("http://other.test/", data="x"), 1, row)
            crawl.follow(weft.Request("/not/this", data="x"), 1, row)
            crawl.follow(weft.Request("/deep"), 3, row)
            crawl.follow(weft.Request("/old", headers={"X-A": "b"}), 1, row)
            with pytest.raises(BadUrl):
                crawl.follow(weft.Request("http://[bad"), 1, row)
            with pytest.raises(BadUrl):
                crawl.follow(weft.Request("ftp://other.test/", data="x"), 1)

    with posting(counting) as site:
        crawl = Crawl.create(tmp_path / "crawl", site.config(depth=2, exclude=("/not/*",)))
        rows = read(crawl, on)
    assert crawl.counters.refused == {Refusal.SCOPE: 1, Refusal.PATTERN: 1, Refusal.DEPTH: 1}
    assert [row.url.removeprefix(site.origin) for row in rows] == ["/", "/new"]
    assert [one.headers.get("X-A") for one in site.asked] == [None, "b", "b"]


def test_what_was_asked_for_before_a_stop_is_visited_on_resume_and_once(tmp_path: Path) -> None:
    def on(crawl: Crawl, row: PageRow) -> bool:
        for number in range(5):
            crawl.follow(weft.Request("/count", data=str(number)), row.depth + 1, row)
        return True

    with posting(counting) as site:
        read(Crawl.create(tmp_path / "crawl", site.config()), on)
        resume(tmp_path / "crawl")
        read(Crawl.resume(tmp_path / "crawl"), lambda crawl, row: None)
    assert Counter(site.posts()) == Counter(b"%d" % number for number in range(5))
    with CrawlReader(tmp_path / "crawl") as reader:
        titles = {page.title for page in reader.pages() if page.row.parts is not None}
    assert titles == {f"POST /count {number}" for number in range(5)}


def test_a_limit_ends_the_run_and_what_the_reader_asks_for_then_waits_for_the_next(tmp_path: Path) -> None:
    def on(crawl: Crawl, row: PageRow) -> None:
        crawl.follow(weft.Request(f"/n{row.depth + 1}"), row.depth + 1, row)

    with posting(counting) as site:
        crawl = Crawl.create(tmp_path / "crawl", site.config(max_pages=1))
        read(crawl, on)
        assert [one.path for one in site.asked] == ["/"]
        resume(tmp_path / "crawl", max_pages=None)
    assert [one.path for one in site.asked] == ["/", "/n1"]


def test_a_crawl_that_does_not_run_follows_nothing(tmp_path: Path) -> None:
    with posting(counting) as site:
        crawl = Crawl.create(tmp_path / "crawl", site.config())
        with pytest.raises(BadInput, match="while the crawl runs"):
            crawl.follow(weft.Request("/"), 0)
        crawl.folder.close()
