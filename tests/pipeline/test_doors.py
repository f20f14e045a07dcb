"""Whoever comes in by a door of the engine: what it is told, and what it may decide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import uvloop

from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import AllOurs, Doors, Finished, Inside
from weft.pipeline.engine import Ending
from weft.pipeline.halts import Halt
from weft.simweb import SimProcess, WebSpec
from weft.state import Batch, State
from weft.types import FoundLink, Link, PageRow

from .crawling import CRAWL_WITHIN_S, CrawlFiles, quick_config

WEB = WebSpec(hosts=4, pages=60, seed=5)


def crawl_with(folder: Path, open_doors: Callable[[Context], Doors]) -> tuple[Crawl, Ending, SimProcess]:
    with SimProcess(WEB) as sim:
        crawl = Crawl.create(folder, quick_config(sim, ignore_robots=True, sitemaps=False))
        ending = uvloop.run(asyncio.wait_for(crawl.run(open_doors=open_doors), CRAWL_WITHIN_S))
    return crawl, ending, sim


class OneHost(AllOurs):
    """Visits one host, and writes down what is another's."""

    def __init__(self) -> None:
        self.host = ""
        self.others: set[bytes] = set()

    def begin(self, inside: Inside) -> None:
        self.frontier = inside.frontier

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> list[FoundLink]:
        ours = []
        for one in found:
            self.host = self.host or one.host
            if one.host == self.host:
                ours.append(one)
            else:
                self.others.add(one.id)
                batch.put("meta", b"other" + one.id, b"")
        return ours


def test_an_owner_keeps_links_from_being_queued_and_its_rows_are_written_with_the_page(tmp_path: Path) -> None:
    owner = OneHost()
    crawl, ending, sim = crawl_with(tmp_path / "crawl", lambda context: Doors(owner=owner))
    assert ending is Ending.DONE
    assert {request.host.partition(":")[0] for request in sim.log} == {owner.host}
    assert crawl.counters.pages > 1
    assert owner.others, "the web has links between hosts"
    assert not owner.frontier.has_work()
    state = State(crawl.folder.database, is_read_only=True)
    assert {key[5:] for key, _ in state.scan("meta", b"other", b"othes")} == owner.others
    state.close()


class Scribe:
    """Counts visits in a row of its own."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.unsettled = 0
        self.largest_batch = 0

    def finished(self, batch: Batch, visit: Finished) -> None:
        self.urls.append(visit.page.url)
        self.unsettled += 1
        batch.put("meta", b"scribe", len(self.urls).to_bytes(4, "big"))

    def settle(self) -> None:
        self.largest_batch = max(self.largest_batch, self.unsettled)
        self.unsettled = 0


def test_a_witness_hears_of_each_visit_once_and_its_rows_hold_with_the_visits(tmp_path: Path) -> None:
    scribe = Scribe()
    crawl, ending, _ = crawl_with(tmp_path / "crawl", lambda context: Doors(witnesses=(scribe,)))
    assert ending is Ending.DONE
    state = State(crawl.folder.database, is_read_only=True)
    rows = sum(1 for _ in state.scan("page"))
    counted = int.from_bytes(state.get("meta", b"scribe") or b"", "big")
    state.close()
    assert len(scribe.urls) == len(set(scribe.urls)) == rows == counted
    assert scribe.largest_batch >= 1
    assert scribe.unsettled == 0


class Pause:
    """Holds everything back until it is told otherwise; and does not let the crawl end before there was more to do."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.is_paused = True
        self.asked_to_end = 0

    def halt(self) -> Halt | None:
        return Halt.READER if self.is_paused else None

    def may_end(self) -> bool:
        self.asked_to_end += 1
        return self.asked_to_end > 3

    async def let_go(self) -> None:
        self.is_paused = False
        self._context.loop.pump_soon()
        while self.asked_to_end <= 3:
            await asyncio.sleep(0.01)
            self._context.loop.pump_soon()


def test_without_consent_no_request_begins_and_no_crawl_ends(tmp_path: Path) -> None:
    pauses: list[Pause] = []

    def open_doors(context: Context) -> Doors:
        pauses.append(Pause(context))
        return Doors(consents=(pauses[0],))

    async def run(crawl: Crawl) -> tuple[Ending, int]:
        running = asyncio.create_task(crawl.run(open_doors=open_doors))
        while (progress := crawl.progress()) is None or progress.bottleneck != Halt.READER:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        requests = crawl.counters.requests
        await pauses[0].let_go()
        return await running, requests

    with SimProcess(WEB) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, ignore_robots=True, sitemaps=False))
        ending, requests_while_paused = uvloop.run(asyncio.wait_for(run(crawl), CRAWL_WITHIN_S))
    assert ending is Ending.DONE
    assert requests_while_paused == 0
    assert crawl.counters.pages > 10
    assert pauses[0].asked_to_end == 4


class Granted:
    """A limit that somebody else gives out in parts."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.pages = 7

    def is_near(self, under_way: int) -> bool:
        return self._context.counters.pages + under_way >= self.pages

    def is_reached(self) -> bool:
        return self.is_near(0)


def test_a_limit_is_what_is_granted(tmp_path: Path) -> None:
    crawl, ending, _ = crawl_with(tmp_path / "crawl", lambda context: Doors(limits=Granted(context)))
    assert ending is Ending.LIMIT
    assert crawl.counters.pages == 7


class LastHostFirst:
    """A user's own: a host that was found later comes first."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rank(self, link: Link) -> int:
        self.asked.append(link.url)
        return 0


def test_an_order_is_asked_for_the_rank_of_each_url(tmp_path: Path) -> None:
    order = LastHostFirst()
    crawl, ending, _ = crawl_with(tmp_path / "crawl", lambda context: Doors(order=order))
    assert ending is Ending.DONE
    assert len(set(order.asked)) == crawl.counters.seen


class ShortestNext:
    """Learns at each page that the shortest URL it knows of should have come first."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._news: list[FoundLink] = []

    def rank(self, link: Link) -> int:
        return 1_000

    def finished(self, page: PageRow, links: Sequence[FoundLink]) -> None:
        self.told.append(page.url)
        self._news += links

    def moves(self) -> Iterable[tuple[FoundLink, int]]:
        news, self._news = self._news, []
        return [(found, len(found.link.url)) for found in news]


def test_an_order_that_learns_is_told_of_every_visit_and_loses_none_by_moving(tmp_path: Path) -> None:
    order = ShortestNext()
    crawl, ending, _ = crawl_with(tmp_path / "crawl", lambda context: Doors(order=order))
    assert ending is Ending.DONE
    assert len(order.told) == len(set(order.told)) == crawl.counters.seen
    assert crawl.counters.queued == 0


class Greedy(ShortestNext):
    """Takes for itself what it is shown."""

    def finished(self, page: PageRow, links: Sequence[FoundLink]) -> None:
        super().finished(page, links)
        if isinstance(links, list):
            links.clear()


def test_an_order_cannot_take_away_the_links_that_it_is_shown(tmp_path: Path) -> None:
    _, ending, sim = crawl_with(tmp_path / "crawl", lambda context: Doors(order=Greedy()))
    assert ending is Ending.DONE
    assert CrawlFiles(tmp_path / "crawl").responses().keys() >= sim.web.truth().fetchable
