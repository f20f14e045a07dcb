"""Pages that say nearly the same are marked, if asked for."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from weft.folder.reading import CrawlReader
from weft.frontier import Clearance, Frontier, Manners, Preparation
from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour, Fixed
from weft.state import State
from weft.types import FoundLink, Link, Outcome, Processed, Visit
from weft.url import host_of, url_id

from .crawling import CrawlFiles
from .ledgers import open_ledger
from .small_web import Sites, SmallWeb, page

SITE = "site.test"
MANNERS = Manners(delay_s=0.0)
WORDS = [f"word{number}" for number in range(3000)]


def words(seed: int, count: int = 800) -> list[str]:
    return random.Random(seed).choices(WORDS, k=count)


def article(text: list[str]) -> Fixed:
    return Fixed(f"<!DOCTYPE html><title>An article</title><p>{' '.join(text)}".encode())


def crawl(folder: Path, pages: dict[str, Behaviour], **changes: Any) -> tuple[SmallWeb, list[dict[str, Any]]]:
    """Crawl a site whose home page leads to these; gives the lines of pages.jsonl."""

    def sites(web: SimWeb) -> Sites:
        return {(SITE, "/"): page(*pages), **{(SITE, path): made for path, made in pages.items()}}

    web = SmallWeb((SITE,), sites)
    ending, files = web.crawl(folder, SITE, **changes)
    assert ending is Ending.DONE
    assert isinstance(files, CrawlFiles)
    return web, [json.loads(line) for line in (folder / "pages.jsonl").read_bytes().splitlines()]


def marks(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {line["url"]: line["near_duplicate_of"] for line in lines if "near_duplicate_of" in line}


def pages_and_one_like_them() -> dict[str, Behaviour]:
    text = words(1)
    changed = [*text[:400], "changed", *text[401:]]
    return {"/one": article(text), "/like": article(changed), "/other": article(words(2)), "/third": article(words(3))}


def test_of_two_nearly_equal_pages_the_later_one_is_marked(tmp_path: Path) -> None:
    web, lines = crawl(tmp_path, pages_and_one_like_them(), near_duplicates=True)
    one, like = web.url(SITE, "/one"), web.url(SITE, "/like")
    assert marks(lines) in ({like: one}, {one: like})
    with CrawlReader(tmp_path) as reader:
        assert reader.counters.near_duplicates == 1
        rows = {row.url: row for row in reader.rows()}
    assert (rows[one].simhash ^ rows[like].simhash).bit_count() <= 3
    annotated = [json.loads(line) for line in (tmp_path / "crawl.log").read_bytes().splitlines()]
    assert [line["url"] for line in annotated if "near-duplicate" in line.get("annotations", [])] == list(marks(lines))


def test_of_nearly_equal_pages_that_come_at_once_all_but_the_first_are_marked(tmp_path: Path) -> None:
    """They are committed together, so the first may have no row yet when the second is compared."""
    alike: dict[str, Behaviour] = {}
    for group in range(40):
        text = words(group)
        for place in range(4):
            alike[f"/{group}/{place}"] = article([*text[:place], "changed", *text[place + 1 :]])
    web, lines = crawl(tmp_path, alike, near_duplicates=True, connections_per_host=40, connections_per_address=40)
    urls = {web.url(SITE, path) for path in alike}
    with CrawlReader(tmp_path) as reader:
        hashes = {row.url: row.simhash for row in reader.rows() if row.url in urls}
        counted = reader.counters.near_duplicates
    # In the order of their commits: a page is marked when one before it that stands for others is within 3 bits.
    order = [json.loads(line)["url"] for line in (tmp_path / "crawl.log").read_bytes().splitlines()]
    standing_for_others: list[str] = []
    expected: set[str] = set()
    for url in (url for url in order if url in urls):
        if any((hashes[url] ^ hashes[before]).bit_count() <= 3 for before in standing_for_others):
            expected.add(url)
        else:
            standing_for_others.append(url)
    assert len(expected) >= 80, "most of the three in each group that follow the first"
    assert marks(lines).keys() == expected
    assert counted == len(expected)


def test_two_pages_in_one_commit_are_compared_with_each_other(tmp_path: Path) -> None:
    """The first of them has no row yet, when the second is compared with it."""
    with open_ledger(tmp_path, manners=MANNERS) as (ledger, frontier, context):
        urls = ["http://one.example/", "http://two.example/"]
        batch = ledger.batch()
        ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), Link(url, 0)) for url in urls])
        ledger.write(batch)
        batch = ledger.batch()
        visits = visits_of(frontier, len(urls))
        for visit in visits:
            ledger.finish(batch, visit, Outcome.RESPONSE, None, Processed(simhash=0x1234_5678_9ABC_DEF0))
        ledger.write(batch)
        rows = [row for visit in visits if (row := ledger.page(visit.id)) is not None]
        assert [row.near for row in rows] == ["", rows[0].url]
        assert context.counters.near_duplicates == 1


def visits_of(frontier: Frontier, count: int) -> list[Visit]:
    """The first visits, whose hosts are prepared at once."""
    visits: list[Visit] = []
    while len(visits) < count:
        turn = frontier.next()
        assert turn is not None
        if isinstance(turn, Preparation):
            frontier.clear(turn.host, turn.authority, Clearance(("192.0.2.1",), 60.0))
        elif isinstance(turn, Visit):
            visits.append(turn)
    return visits


def test_a_page_and_its_exact_copy_are_marked_too(tmp_path: Path) -> None:
    text = words(1)
    web, lines = crawl(tmp_path, {"/one": article(text), "/copy": article(text)}, near_duplicates=True)
    assert set(marks(lines)) < {web.url(SITE, "/one"), web.url(SITE, "/copy")}
    assert len(marks(lines)) == 1


@pytest.mark.parametrize("status", [404, 301])
def test_what_is_no_page_is_not_compared(status: int, tmp_path: Path) -> None:
    text = article(words(1))
    other = Fixed(text.body, status=status)
    _, lines = crawl(tmp_path, {"/one": text, "/other": other}, near_duplicates=True)
    assert marks(lines) == {}


def test_nothing_is_compared_unless_asked_for(tmp_path: Path) -> None:
    _, lines = crawl(tmp_path, pages_and_one_like_them())
    assert marks(lines) == {}
    with CrawlReader(tmp_path) as reader:
        assert {row.simhash for row in reader.rows()} == {0}
        assert reader.counters.near_duplicates == 0
    state = State(tmp_path / "state" / "db", is_read_only=True)
    assert list(state.scan("similar")) == []
    state.close()
