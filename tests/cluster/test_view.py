"""A node's rows are a view of the log: taken away bucket by bucket, and made again as they were."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.pipeline.crawling import CrawlFiles, quick_config
from tests.pipeline.live_site import Answer, html, redirect, served
from weft.cluster.events import (
    Again,
    Done,
    Entries,
    Entry,
    Found,
    FoundUrl,
    HostNote,
    found_link,
    found_url,
    to_bytes,
    url_of,
)
from weft.cluster.log import Message
from weft.cluster.view import OF_HOSTS, TRAP_LETTERS, wipe_all
from weft.folder.page_rows import decode_page
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.state import Family, State
from weft.state.database import FAMILIES
from weft.state.keys import bucket_range, host_key, host_prefix, rule_key
from weft.types import FoundLink, Kind, Link, PageRow
from weft.url import ID_BYTES, host_of, url_id

from .held_crawl import BUCKETS, HeldCrawl, decode_row, deeds_told

WEB = WebSpec(hosts=24, pages=160, seed=5, robots_share=0.5, cross_host_share=0.3)
Rows = dict[tuple[Family, bytes], bytes]
OTHERS: list[Family] = [family for family in FAMILIES if family not in (*OF_HOSTS, "traps", "meta")]


def rows_of(state: State, families: Sequence[Family] = (*OF_HOSTS, "traps")) -> Rows:
    return {(family, key): row for family in families for key, row in state.scan(family)}


def bucket_of_row(held: HeldCrawl, family: Family, key: bytes) -> int:
    return held.shares.of_id(key[1:] if family == "traps" else key)


class Moving:
    """An order that may change its mind, so that places are kept."""

    def rank(self, link: Link) -> int:
        return 1_000

    def finished(self, page: PageRow, links: Sequence[FoundLink]) -> None:
        pass

    def moves(self) -> Iterable[tuple[FoundLink, int]]:
        return ()


def fill_what_no_crawl_does(state: State) -> None:
    """Rows of a reader, a mirror, limits and traps, for the hosts that there are."""
    hosts = {host_of(decode_page(row).url) for _, row in state.scan("page")}
    assert len(hosts) > 4
    batch = state.batch()
    of_pages: list[Family] = ["relax", "undelivered", "earlier", "repeat", "place", "over", "sent", "patience"]
    of_refused: list[Family] = ["refused", "forbidden"]
    for host in hosts:
        page = url_id(f"http://{host}/")
        for family in of_pages:
            batch.put(family, page, b"\0\0\0\0")
        for family in of_refused:
            batch.put(family, host_prefix(host) + page, b"")
        batch.put("rule", rule_key(host, "trap", "x"), b"")
        batch.put("host", host_key(host), b"\x91\xcb" + bytes(8))
        for letter in TRAP_LETTERS:
            batch.put("traps", letter + page, b"")
    state.write(batch)


# ── taken away ─────────────────────────────────────────────────────────────────────────────────────────


def test_every_family_is_told_of_hosts_or_of_something_else() -> None:
    """Whoever adds a family says here whether a bucket that is given up takes its rows along."""
    others = {
        "meta", "wake", "warc", "unsynced", "side", "items", "digest", "outbox", "similar", "mirror", "traps",
        "news",  # of URLs whose rows are taken away: with them it says nothing
        "cookie",  # who has a bucket again goes on with the cookies that he had, as he would without a stop
        "graph", "links",  # the log does not tell a page's links again, and a row that is left behind is true for ever
    }  # fmt: skip
    assert {*FAMILIES} <= {*OF_HOSTS} | others
    assert not {*OF_HOSTS} & others


def test_a_bucket_that_is_wiped_takes_all_of_its_rows_away_in_every_family_and_no_others(tmp_path: Path) -> None:
    async def wipe_all_of_them(held: HeldCrawl) -> None:
        state, view = held.inside.state, held.view
        await held.pages(40)
        await held.give_up()
        fill_what_no_crawl_does(state)
        rows = rows_of(state)
        assert {family for family, _ in rows} == {*OF_HOSTS, "traps"}, "each has rows"
        others = rows_of(state, OTHERS)
        full = Counter(bucket_of_row(held, family, key) for family, key in rows)
        assert len(full) > 3
        for bucket in full:
            view.wipe(bucket)
            rows = {key: row for key, row in rows.items() if bucket_of_row(held, *key) != bucket}
            assert rows_of(state) == rows
            first, last = held.shares.rows(bucket)
            assert not list(state.scan("queue", *bucket_range(first, last=last)))
            assert held.context.counters.queued == sum(family == "queue" for family, _ in rows)
        assert rows_of(state, OTHERS) == others
        assert not held.inside.ledger.rereads.waiting

    with SimProcess(WEB) as sim:
        config = quick_config(sim, max_pages_per_host=30)
        HeldCrawl(tmp_path / "crawl", config, beside=wipe_all_of_them, order=Moving()).run()


def test_what_was_wiped_is_not_remembered_either(tmp_path: Path) -> None:
    """Neither as known, nor as sent, nor as a page to be read again."""

    async def wipe(held: HeldCrawl) -> None:
        inside = held.inside
        await held.pages(20)
        await held.give_up()
        (page_id, row), *_ = inside.state.scan("page")
        page, bucket = decode_page(row), held.shares.of_id(page_id)
        batch = inside.ledger.batch()
        inside.ledger.rereads.add(batch, page_id)
        inside.ledger.write(batch)
        assert inside.seen.depth(page_id) is not None
        held.view.wipe(bucket)
        assert inside.seen.depth(page_id) is None
        assert page_id not in inside.ledger.rereads.waiting
        link = FoundLink(page_id, host_of(page.url), Link(page.url, 3))
        held.view.found([Found([found_url(link)])])
        assert [one.url for one in held.queued()].count(page.url) == 1
        held.view.wipe(bucket)
        del held.holdings.held[bucket]
        for times in (1, 2):
            batch = inside.ledger.batch()
            inside.ledger.schedule(batch, [link])
            inside.ledger.write(batch)
            assert sum(one.url == found_url(link) for row in held.told() for one in row.found) == times
            held.view.wipe(bucket)

    with SimProcess(WEB) as sim:
        HeldCrawl(tmp_path / "crawl", quick_config(sim), beside=wipe).run()


def test_a_new_life_begins_without_any_row_that_the_log_tells(tmp_path: Path) -> None:
    async def wipe(held: HeldCrawl) -> None:
        state = held.inside.state
        await held.pages(20)
        await held.give_up()
        fill_what_no_crawl_does(state)
        kept: list[Family] = ["warc", "side", "digest", "outbox"]
        before = rows_of(state, kept)
        batch = state.batch()
        wipe_all(batch)
        state.write(batch)
        assert rows_of(state, (*OF_HOSTS, "traps", "wake")) == {}
        assert rows_of(state, kept) == before

    with SimProcess(WEB) as sim:
        HeldCrawl(tmp_path / "crawl", quick_config(sim), beside=wipe).run()


# ── made again ─────────────────────────────────────────────────────────────────────────────────────────


def replayed(held: HeldCrawl) -> tuple[list[PageRow], Rows]:
    """Pages, and what else is to be the same. The depth for which a page's links were read again is in `seen`."""
    pages = [msgspec.structs.replace(decode_page(row), depth=0) for _, row in held.inside.state.scan("page")]
    return pages, rows_of(held.inside.state, ("seen", "visits"))


@pytest.mark.parametrize(
    "changes",
    [{}, {"depth": 4}, {"depth": 4, "max_pages_per_host": 30, "order": "bfs"}, {"ignore_robots": True}],
    ids=["", "depth", "budget", "no robots"],
)
def test_rows_that_are_made_again_from_what_was_told_are_what_they_were_and_the_crawl_goes_on(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    async def replay(held: HeldCrawl) -> None:
        for pages in (15, 40, 70):
            await held.pages(min(pages, limit))
            await held.give_up()
            before, queued = replayed(held), held.queued()
            assert held.context.counters.queued == len(queued)
            held.replay(held.told())
            assert replayed(held) == before
            # What was queued before its host's robots.txt was known is not queued again.
            forbidden = {key[-ID_BYTES:] for key, _ in held.inside.state.scan("forbidden")}
            assert held.queued() == [one for one in queued if url_id(one.url) not in forbidden]
            assert held.context.counters.queued == len(held.queued())
            held.adopt()

    with SimProcess(WEB) as sim:
        truth = sim.web.truth(4 if "depth" in changes else None)
        limit = 20 if "max_pages_per_host" in changes else 70
        held = HeldCrawl(tmp_path / "crawl", quick_config(sim, **changes), beside=replay)
        assert held.run() is Ending.DONE
    asked = Counter((request.host, request.path) for request in sim.log if not request.is_robots)
    assert set(asked.values()) == {1}
    if "max_pages_per_host" not in changes and "ignore_robots" not in changes:
        assert CrawlFiles(tmp_path / "crawl").responses() == truth.status


def test_what_is_replayed_twice_or_in_another_order_is_the_same(tmp_path: Path) -> None:
    async def replay(held: HeldCrawl) -> None:
        await held.pages(30)
        await held.give_up()
        told = held.told()
        held.replay([*told, *told])
        before, queued = rows_of(held.inside.state, ("page", "seen")), held.queued()
        found_first = [row for row in told if row.found], [row for row in told if not row.found]
        held.replay([*found_first[1], *found_first[0]])
        assert (rows_of(held.inside.state, ("page", "seen")), held.queued()) == (before, queued)

    with SimProcess(WEB) as sim:
        HeldCrawl(tmp_path / "crawl", quick_config(sim, depth=4), beside=replay).run()


# ── single events ──────────────────────────────────────────────────────────────────────────────────────

HOST = "site.test"
URL = f"http://{HOST}/page"
ID = url_id(URL)


def entries(*said: Entry) -> list[Message]:
    return [Message(1, "d.1", to_bytes(Entries("b", "1-x", 3, 1, list(said))), 0)]


def done(depth: int = 2, file: str = "weft-1-node-b-00001.warc.gz") -> Done:
    return Done(PageRow(URL, 200, 1.0, depth, file=1 if file else 0, offset=9, length=5), file)


def sent(depth: int = 2, url: str = URL) -> FoundUrl:
    return url_of(Link(url, depth, Kind.LINK), host_of(url))


class Empty(HeldCrawl):
    """A run with nothing in it, to which events come."""

    def __init__(self, folder: Path, sim: SimProcess, test, **changes: object) -> None:  # type: ignore[no-untyped-def]
        async def beside(held: HeldCrawl) -> None:
            await held.pages(1)
            await held.give_up()
            held.replay([])
            test(held)
            for bucket in range(BUCKETS):  # so that nothing is asked for
                held.view.wipe(bucket)

        super().__init__(folder, quick_config(sim, **changes), beside=beside)


def read(held: HeldCrawl, said: list[Message], found: list[FoundUrl]) -> None:
    again: dict[bytes, FoundUrl] = {}
    held.view.deeds(said, again)
    held.view.found([Found(found)])
    held.view.queue_again(again)


def urls(held: HeldCrawl) -> list[str]:
    return [link.url for link in held.queued()]


@pytest.fixture(scope="module")
def sim():  # type: ignore[no-untyped-def]
    with SimProcess(WebSpec(hosts=2, pages=4, seed=3)) as sim:
        yield sim


def test_a_page_that_is_done_is_not_queued_though_its_link_comes_later(tmp_path: Path, sim: SimProcess) -> None:
    def test(held: HeldCrawl) -> None:
        read(held, entries(done()), [sent(3), sent(3, URL + "2")])
        assert urls(held) == [URL + "2"]

    Empty(tmp_path / "crawl", sim, test).run()


def test_a_page_that_returned_to_the_queue_is_in_it_once_and_at_its_smallest_depth(
    tmp_path: Path, sim: SimProcess
) -> None:
    def test(held: HeldCrawl) -> None:
        for said in (
            entries(done(), Again(sent())),
            entries(Again(sent())),  # what robots.txt forbade before, or a page whose record was lost
            entries(done(), Again(sent()), done(), Again(sent(1))),
        ):
            read(held, said, [sent(3), sent(1)])
            assert urls(held) == [URL]
            assert held.inside.ledger.page(ID) is None
            assert held.inside.seen.depth(ID) == 1
            held.replay([])

    Empty(tmp_path / "crawl", sim, test, depth=5).run()


def test_a_page_that_was_done_again_after_it_returned_is_done(tmp_path: Path, sim: SimProcess) -> None:
    def test(held: HeldCrawl) -> None:
        read(held, entries(done(), Again(sent()), done(1)), [sent(3)])
        assert urls(held) == []
        page = held.inside.ledger.page(ID)
        assert page is not None
        assert page.depth == 1

    Empty(tmp_path / "crawl", sim, test).run()


def test_a_link_that_is_nearer_than_its_page_was_read_has_it_read_again(tmp_path: Path, sim: SimProcess) -> None:
    def test(held: HeldCrawl) -> None:
        read(held, entries(done(2)), [sent(2)])
        assert not held.inside.ledger.rereads.waiting
        read(held, [], [sent(1)])
        assert list(held.inside.ledger.rereads.waiting) == [ID]
        held.replay([])
        read(held, entries(done(2), done(1)), [sent(1)])
        assert not held.inside.ledger.rereads.waiting, "it was read again by the one before"

    Empty(tmp_path / "crawl", sim, test, depth=5).run()


def test_a_page_whose_record_is_elsewhere_is_not_read_but_fetched_again_and_the_others_hear_of_it(
    tmp_path: Path,
) -> None:
    """A page of this very web is told to be done on another node, at a greater depth than it is found at."""

    async def tell(held: HeldCrawl) -> None:
        await held.pages(1)
        await held.give_up()
        rows = held.told()
        (seed,) = held.crawl.config.seeds
        held.replay(rows)
        page = PageRow(seed, 200, 1.0, 3, file=1, offset=9, length=5)
        bucket = held.shares.of_id(url_id(seed))
        held.view.wipe(bucket)
        read(held, entries(Done(page, "weft-1-node-b-00001.warc.gz")), [sent(0, seed)])
        assert list(held.inside.ledger.rereads.waiting) == [url_id(seed)]
        assert held.inside.archive.is_elsewhere(held.inside.ledger.page(url_id(seed)).file)  # type: ignore[union-attr]
        before = len(held.told())
        held.adopt()
        await held.pages(held.context.counters.pages + 1)
        said = [one.entry for row in held.told()[before:] for one in row.entries]
        assert [found_link(one.url).link.url for one in said if isinstance(one, Again)] == [seed]
        assert {type(one) for one in said} == {Again, Done}

    with SimProcess(WebSpec(hosts=2, pages=12, seed=3, seed_hosts=1)) as sim:
        assert HeldCrawl(tmp_path / "crawl", quick_config(sim, depth=5), beside=tell).run() is Ending.DONE
    asked = Counter(request.path for request in sim.log if not request.is_robots and request.host == sim.log[0].host)
    assert asked["/"] == 2


def test_the_file_of_a_page_is_the_one_of_its_name_here_or_elsewhere(tmp_path: Path) -> None:
    async def tell(held: HeldCrawl) -> None:
        await held.pages(10)
        await held.give_up()
        pages = [decode_page(row) for _, row in held.inside.state.scan("page")]
        said = [one.entry for row in held.told() for one in row.entries]
        names = {one.page.url: one.file for one in said if isinstance(one, Done)}
        archive = held.inside.archive
        assert {page.url: archive.name_of(page.file) for page in pages if page.file} == names
        assert all("node-a" in name for name in names.values())
        held.replay([])
        held.view.deeds(deeds_told([]), {})
        read(held, entries(done()), [])
        page = held.inside.ledger.page(ID)
        assert page is not None
        assert archive.name_of(page.file) == "weft-1-node-b-00001.warc.gz"
        assert archive.is_elsewhere(page.file)

    with SimProcess(WEB) as sim:
        HeldCrawl(tmp_path / "crawl", quick_config(sim), beside=tell).run()


def test_a_page_that_is_told_to_be_done_twice_is_counted_once_for_its_hosts_budget(
    tmp_path: Path, sim: SimProcess
) -> None:
    """Its links were read again for a smaller depth; one that returned to the queue is visited twice."""

    def test(held: HeldCrawl) -> None:
        read(held, entries(done(2), done(1)), [])
        assert held.inside.ledger.tally.visits_of(HOST) == 1
        held.replay([])
        read(held, [*entries(done(2)), *entries(done(1))], [])
        read(held, entries(done(0)), [])
        assert held.inside.ledger.tally.visits_of(HOST) == 1

    Empty(tmp_path / "crawl", sim, test, max_pages_per_host=9, depth=5).run()


def test_a_host_rests_as_long_as_the_longest_of_what_was_told_of_it(tmp_path: Path, sim: SimProcess) -> None:
    def test(held: HeldCrawl) -> None:
        read(held, entries(HostNote(HOST, rest_s=3_000.0), HostNote(HOST, delay_s=5.0)), [sent()])
        row = held.inside.frontier.residents.rows.get(HOST)
        assert row is not None
        assert row.rest_s > 2_000.0
        assert len(row.lanes) == 1, "and its queue is known"

    Empty(tmp_path / "crawl", sim, test).run()


def test_a_rest_that_is_read_again_goes_on_where_it_was(tmp_path: Path, sim: SimProcess) -> None:
    def test(held: HeldCrawl) -> None:
        then = time.time() - 2_000.0
        read(held, entries(HostNote(HOST, rest_s=3_000.0, since=then)), [sent()])
        row = held.inside.frontier.residents.rows.get(HOST)
        assert row is not None
        assert 0.0 < row.rest_s <= 1_000.0
        assert row.held_until == pytest.approx(then + 3_000.0, abs=1.0)

    Empty(tmp_path / "crawl", sim, test).run()


def test_a_page_that_is_asked_for_again_with_a_cookie_is_told_to_be_done_first_and_then_to_return(
    tmp_path: Path,
) -> None:
    """Else whoever takes the bucket over in between would leave it at the redirect."""

    def wants_a_cookie(path: str, headers: Mapping[str, str]) -> Answer:
        return html("x") if "seen=1" in headers.get("Cookie", "") else redirect(path, Set_Cookie="seen=1; Path=/")

    with served(wants_a_cookie) as site:
        held = HeldCrawl(tmp_path / "crawl", site.config("/", cookies=True))
        assert held.run() is Ending.DONE
    state = State(held.crawl.folder.database, is_read_only=True)
    rows = [decode_row(row) for _, row in state.scan("outbox")]
    state.close()
    assert [type(one.entry) for row in rows for one in row.entries] == [Done, Again, Done]
