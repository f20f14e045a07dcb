"""Whoever comes in by a door of the engine: what it is told, and what it may decide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvloop

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.pipeline.another_chance import fetch_again
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import AllOurs, Doors, Finished, Inside
from weft.pipeline.engine import Ending
from weft.pipeline.halts import Halt
from weft.simweb import RequestLog, SimDns, SimProcess, SimServer, SimWeb, WebSpec
from weft.state import Batch, State
from weft.stats import Counters
from weft.store import Archive
from weft.types import FoundLink, Kind, Link, Location, Outcome, PageRow, Processed, Refusal
from weft.url import url_id

from .crawling import CRAWL_WITHIN_S, CrawlFiles, quick_config, until
from .ledgers import Book, open_ledger
from .test_near_duplicates import visits_of

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
        while (progress := crawl.progress()) is None or progress.halt is not Halt.READER:  # noqa: ASYNC110
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


# ── what an owner is told ──────────────────────────────────────────────────────────────────────────────


class Listener(AllOurs):
    """Visits everything, and writes down what others would have to hear."""

    def __init__(self, *, scope_grows: bool = True) -> None:
        self.found: list[FoundLink] = []
        self.news = self.found.append
        self.again: list[Link] = []
        self.nearer: list[tuple[str, int]] = []
        self.lost_ids: list[bytes] = []
        self.order: list[str] = []
        self._scope_grows = scope_grows

    def widens(self, seeds: Iterable[str]) -> Iterable[str]:
        return seeds if self._scope_grows else ()

    def queued_again(self, link: Link) -> None:
        self.again.append(link)
        self.order.append("again")

    def came_nearer(self, page: PageRow, depth: int) -> None:
        self.nearer.append((page.url, depth))

    def lost(self, url_ids: Iterable[bytes]) -> None:
        self.lost_ids += url_ids
        self.order.append("lost")

    def seal(self, batch: Batch) -> None:
        self.order.append("seal")

    def settle(self) -> None:
        self.order.append("settle")


A_PAGE = "http://a.example/page"
A_LINK = FoundLink(url_id(A_PAGE), "a.example", Link(A_PAGE, 3))


def at_depth(depth: int) -> FoundLink:
    return msgspec.structs.replace(A_LINK, link=Link(A_PAGE, depth))


@contextmanager
def listened(folder: Path, owner: Listener, **settings: Any) -> Iterator[Book]:
    with open_ledger(folder, doors=Doors(owner=owner), **settings) as book:
        yield book


def test_an_owner_hears_of_each_of_its_links_that_is_new_or_nearer(tmp_path: Path) -> None:
    owner = Listener()
    crawl, ending, _ = crawl_with(tmp_path / "crawl", lambda context: Doors(owner=owner))
    assert ending is Ending.DONE
    state = State(crawl.folder.database, is_read_only=True)
    seen = {key: int.from_bytes(row, "big") for key, row in state.scan("seen")}
    state.close()
    heard: dict[bytes, int] = {}
    for one in owner.found:
        assert one.link.depth < heard.get(one.id, 1_000), "each depth once, and nearer each time"
        heard[one.id] = one.link.depth
    assert heard == seen


def test_an_owner_does_not_hear_of_links_that_others_have_found(tmp_path: Path) -> None:
    owner = Listener()
    with listened(tmp_path, owner) as (ledger, _, _):
        batch = ledger.batch()
        ledger.arrive(batch, [at_depth(3)])
        ledger.schedule(batch, [at_depth(4), at_depth(3)])
        assert owner.found == []
        ledger.schedule(batch, [at_depth(2)])
        assert owner.found == [at_depth(2)]


@pytest.mark.parametrize("grows", [True, False])
def test_a_scope_grows_by_a_redirected_seed_if_the_owner_says_so(tmp_path: Path, grows: bool) -> None:
    with listened(tmp_path, Listener(scope_grows=grows), scope="host") as (ledger, _, _):
        batch = ledger.batch()
        seed = msgspec.structs.replace(A_LINK, link=Link(A_PAGE, 0, Kind.SEED))
        assert ledger.schedule(batch, [seed]) == ([A_PAGE] if grows else [])
        assert ledger.scope.knows(A_PAGE) is grows


def test_an_owner_hears_of_every_page_that_returns_to_the_queue(tmp_path: Path) -> None:
    owner = Listener()
    with listened(tmp_path, owner) as (ledger, _, _):
        page = PageRow(A_PAGE, 200, 1.0, 3)
        batch = ledger.batch()
        fetch_again(ledger, batch, A_LINK.id, page)
        ledger.queue_again(batch, Link("http://a.example/forbidden", 1), Refusal.ROBOTS)
        assert [link.url for link in owner.again] == [A_PAGE, "http://a.example/forbidden"]
        assert owner.found == [], "they are known"


def test_an_owner_hears_that_the_links_of_a_page_were_read_again_for_its_smallest_depth(tmp_path: Path) -> None:
    owner = Listener()
    with listened(tmp_path, owner, depth=9) as (ledger, frontier, _):
        batch = ledger.batch()
        ledger.schedule(batch, [at_depth(4)])
        ledger.write(batch)
        batch = ledger.batch()
        for visit in visits_of(frontier, 1):
            ledger.finish(batch, visit, Outcome.RESPONSE, None, Processed())
        ledger.write(batch)
        for depth, is_read, heard in (
            (3, False, []),  # it could not be read
            (3, True, [(A_PAGE, 3)]),
        ):
            batch = ledger.batch()
            ledger.schedule(batch, [at_depth(3)])
            ledger.relaxed(batch, A_LINK.id, depth, Processed() if is_read else None)
            ledger.write(batch)
            assert owner.nearer == heard
        batch = ledger.batch()
        ledger.schedule(batch, [at_depth(1)])
        ledger.relaxed(batch, A_LINK.id, 2, Processed())
        assert owner.nearer == [(A_PAGE, 3)], "it came nearer meanwhile, and is read once more"


def test_what_an_owner_adds_is_last_in_a_batch_and_it_hears_of_the_write(tmp_path: Path) -> None:
    owner = Listener()
    with listened(tmp_path, owner) as (ledger, _, _):
        batch = ledger.batch()
        ledger.put_back(batch, A_LINK.link)
        ledger.write(batch)
    assert owner.order == ["again", "seal", "settle"]


def test_an_owner_hears_of_records_that_a_power_cut_took_before_their_pages_return(tmp_path: Path) -> None:
    owner = Listener()
    with SimProcess(WEB) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, ignore_robots=True, sitemaps=False))
        page_id = url_id(sim.seeds[0])
        state = State(crawl.folder.database)
        archive = Archive(state, crawl.folder.archive, Clock())
        file = archive.file_for(0)
        batch = state.batch()
        batch.put("page", page_id, msgspec.msgpack.encode(PageRow(sim.seeds[0], 200, 1.0, 0, file=file.id, length=9)))
        batch.put("seen", page_id, bytes(4))
        batch.put("meta", b"counters", msgspec.msgpack.encode(Counters(seen=1, pages=1)))
        archive.commit(batch, Location(file.id, 0, 9, 9, ""), page_id)
        archive.seal(batch)
        state.write(batch)
        state.close()
        ending = uvloop.run(asyncio.wait_for(crawl.run(open_doors=lambda context: Doors(owner=owner)), CRAWL_WITHIN_S))
    assert ending is Ending.DONE
    assert owner.lost_ids == [page_id]
    assert [link.url for link in owner.again] == [sim.seeds[0]]
    assert owner.order[:3] == ["lost", "again", "seal"]
    assert sim.seeds[0] in CrawlFiles(tmp_path / "crawl").responses()


class Slow(AllOurs):
    """Lets the first host be asked for pages at once, and the others when that one has had some."""

    def __init__(self, log: Callable[[], RequestLog]) -> None:
        self._log = log
        self.asked: list[tuple[str, float]] = []
        self.too_early: list[str] = []

    async def asks_for_delay(self, host: str, delay_s: float) -> None:
        self.asked.append((host, delay_s))
        first, _ = self.asked[0]
        if host != first:
            await until(lambda: len(self._pages_of(first)) > 3)
            self.too_early += self._pages_of(host)

    def _pages_of(self, host: str) -> list[str]:
        return [one.path for one in self._log() if one.host.partition(":")[0] == host and not one.is_robots]


@pytest.mark.parametrize(("delay_s", "is_asked"), [(0.0, True), (0.05, False), (0.1, False)])
def test_a_host_with_a_longer_delay_is_asked_for_pages_once_its_owner_has_told_the_others(
    tmp_path: Path, delay_s: float, is_asked: bool
) -> None:
    """Longer than the crawl's own: the others keep to that in any case."""

    async def scenario() -> tuple[Slow, Ending]:
        web = SimWeb(WebSpec(hosts=4, pages=40, size_spread=0, crawl_delay_share=1, crawl_delay_s=0.05, robots_share=0))
        async with SimServer(web) as server, SimDns(server.web) as dns:
            owner = Slow(lambda: server.log)
            config = CrawlConfig(
                seeds=tuple(server.web.seeds()),
                scope="any",
                delay_s=delay_s,
                dns_servers=(dns.server,),
                allow_private=True,
                workers=1,
                sitemaps=False,
            )
            crawl = Crawl.create(tmp_path / "crawl", config)
            return owner, await crawl.run(open_doors=lambda context: Doors(owner=owner))

    owner, ending = uvloop.run(asyncio.wait_for(scenario(), CRAWL_WITHIN_S))
    assert ending is Ending.DONE
    assert owner.too_early == []
    assert {delay for _, delay in owner.asked} == ({0.05} if is_asked else set())
    assert len({host for host, _ in owner.asked}) == (4 if is_asked else 0)
