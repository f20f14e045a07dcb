"""Whose a link is, and what others hear of each commit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.pipeline.crawling import CrawlFiles, quick_config
from tests.pipeline.ledgers import Book, open_ledger
from tests.pipeline.test_near_duplicates import visits_of
from weft.cluster.events import Again, Done, HostNote, found_link, url_of
from weft.cluster.holdings import FEWEST_BUCKETS, MOST_BUCKETS, Holding, Holdings, Shares, Stage
from weft.cluster.outbox import Outbox, OutboxRow, OwnEntry, OwnLink
from weft.folder.page_rows import pages_in
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.engine import Ending
from weft.seen import Seen
from weft.simweb import SimProcess, WebSpec
from weft.state import State
from weft.types import (
    Fetched,
    FoundLink,
    Kind,
    Link,
    Location,
    Original,
    Outcome,
    PageRow,
    Processed,
    Refusal,
    RequestParts,
)
from weft.url import BUCKETS as ROW_BUCKETS
from weft.url import bucket_of, host_of, url_id

from .held_crawl import BUCKETS, CLAIM, HeldCrawl, decode_row

OWN, FOREIGN = "http://own.test/", "http://far.test/"
OWN_BUCKET, FOREIGN_BUCKET = (Shares(BUCKETS).of_host(host_of(url)) for url in (OWN, FOREIGN))
assert OWN_BUCKET != FOREIGN_BUCKET


# ── shares ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("buckets", [FEWEST_BUCKETS, 256, MOST_BUCKETS])
def test_each_bucket_that_rows_begin_with_lies_in_one_bucket_of_the_crawl(buckets: int) -> None:
    shares = Shares(buckets)
    places = [shares.rows(bucket) for bucket in range(buckets)]
    spans = [(int.from_bytes(first, "big"), int.from_bytes(last, "big")) for first, last in places]
    assert spans[0][0] == 0
    assert spans[-1][1] == ROW_BUCKETS - 1
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(spans))
    for number in (0, 1, 255, 256, 1_023, 1_024, 40_000, ROW_BUCKETS - 1):
        bucket = shares.of_id(number.to_bytes(2, "big") + b"\xff" * 14)
        assert spans[bucket][0] <= number <= spans[bucket][1]


def test_a_url_is_in_the_bucket_of_its_host_and_the_hosts_of_a_site_in_one() -> None:
    shares = Shares(MOST_BUCKETS)
    for url in (OWN, "https://www.own.test:8443/x", "ftp://[2001:db8::1]/", "http://127.0.0.1/"):
        assert shares.of_id(url_id(url)) == shares.of_host(host_of(url))
    assert shares.of_host("www.own.test") == shares.of_host("own.test")
    first, last = shares.rows(shares.of_host("own.test"))
    assert first <= bucket_of("own.test") <= last


# ── links ──────────────────────────────────────────────────────────────────────────────────────────────


class Desk:
    """A ledger whose owner holds one bucket, and what it would tell."""

    def __init__(self, book: Book, holdings: Holdings) -> None:
        self.ledger, self.frontier, context = book
        self.state = context.state
        self.holdings = holdings

    def schedule(self, *links: Link) -> None:
        batch = self.ledger.batch()
        self.ledger.schedule(batch, [FoundLink(url_id(link.url), host_of(link.url), link) for link in links])
        self.ledger.write(batch)

    def visit(self, *links: Link) -> None:
        batch = self.ledger.batch()
        for one in visits_of(self.frontier, 1):
            found = [FoundLink(url_id(link.url), host_of(link.url), link) for link in links]
            at = Location(self.ledger._archive.file_for(0).id, 0, 10, 20, "sha1:x")
            self.ledger.finish(batch, one, Outcome.RESPONSE, None, Processed(found, at))
        self.ledger.write(batch)

    def told(self) -> list[OutboxRow]:
        return [decode_row(row) for _, row in self.state.scan("outbox")]

    def found(self) -> list[tuple[str, int, int, int]]:
        """URL, depth, bucket and claim of each link that is told."""
        return [
            (found_link(one.url).link.url, one.url.depth, one.bucket, one.claim)
            for row in self.told()
            for one in row.found
        ]

    def queued(self) -> int:
        return sum(1 for _ in self.state.scan("queue"))


@contextmanager
def desk_in(folder: Path, **settings: Any) -> Iterator[Desk]:
    owner = Holdings.__new__(Holdings)  # the database that it is made with is the ledger's own
    with open_ledger(folder, doors=Doors(owner=owner, witnesses=(owner,)), **settings) as book:
        db = book.context.state
        Holdings.__init__(owner, Shares(BUCKETS), Outbox(db), Seen(db, is_new_crawl=True, family="sent"))
        parts = dict.fromkeys(Inside._fields) | {"archive": book.ledger._archive, "ledger": book.ledger}
        owner.begin(Inside(**parts))  # type: ignore[arg-type]  # what else there is, it does not look at
        owner.held[OWN_BUCKET] = Holding(CLAIM, Stage.OWNED)
        yield Desk(book, owner)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, depth=9) as desk:
        yield desk


def test_a_link_of_a_foreign_bucket_is_told_once_a_depth_and_not_queued(desk: Desk) -> None:
    desk.schedule(Link(FOREIGN, 3), Link(FOREIGN, 3))
    for depth in (3, 4, 2, 2):
        desk.schedule(Link(FOREIGN, depth))
    assert desk.found() == [(FOREIGN, 3, FOREIGN_BUCKET, 0), (FOREIGN, 2, FOREIGN_BUCKET, 0)]
    assert desk.queued() == desk.ledger.counters.queued == desk.ledger.counters.seen == 0
    assert desk.state.get("seen", url_id(FOREIGN)) is None, "sent is not known"


def test_an_own_link_that_is_new_or_nearer_is_told_with_its_claim_and_queued_once(desk: Desk) -> None:
    desk.schedule(Link(OWN, 3), Link(OWN, 3))
    for depth in (3, 4, 2):
        desk.schedule(Link(OWN, depth))
    assert desk.found() == [(OWN, 3, OWN_BUCKET, CLAIM), (OWN, 2, OWN_BUCKET, CLAIM)]
    assert desk.queued() == 1


def test_a_request_with_a_login_is_refused_in_words_and_counted(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.schedule(*(Link(url, 1, parts=RequestParts(b"", headers=(("Cookie", "hush"),))) for url in (OWN, FOREIGN)))
    assert desk.told() == []
    assert desk.queued() == 0
    assert desk.ledger.counters.refused == {Refusal.USER: 2}
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{OWN} is not asked for: in a cluster a request has no login")
    assert "hush" not in record.getMessage()


def test_each_commit_is_one_row_in_order_and_one_that_nobody_must_hear_of_is_none(desk: Desk) -> None:
    desk.schedule(Link(OWN, 1), Link(FOREIGN, 1))
    desk.schedule(Link(OWN, 1), Link(FOREIGN, 1))
    desk.schedule(Link(FOREIGN + "2", 1))
    assert [len(row.found) for row in desk.told()] == [2, 1]
    assert desk.holdings.outbox.rows == 2
    assert desk.holdings.outbox.links == 3


def test_a_link_of_a_bucket_that_is_left_is_still_ours(desk: Desk) -> None:
    """Else it would come back to this very node by the log, or not at all."""
    for number, stage in enumerate((Stage.OWNED, Stage.LEAVING)):
        desk.holdings.held[OWN_BUCKET] = Holding(CLAIM + number, stage)
        desk.schedule(Link(f"{OWN}{number}", 1))
    assert [claim for _, _, _, claim in desk.found()] == [CLAIM, CLAIM + 1]
    assert desk.queued() == 2


def test_a_link_of_a_bucket_that_is_being_replayed_comes_back_through_the_log(desk: Desk) -> None:
    """Its page may be done, as the log will tell: queued before that, it would be visited again."""
    desk.holdings.held[OWN_BUCKET] = Holding(CLAIM, Stage.REPLAYING)
    desk.schedule(Link(OWN, 1))
    assert desk.found() == [(OWN, 1, OWN_BUCKET, 0)]
    assert desk.queued() == 0


def test_links_that_others_have_found_are_queued_and_not_told_again(desk: Desk) -> None:
    batch = desk.ledger.batch()
    desk.ledger.arrive(batch, [FoundLink(url_id(OWN), host_of(OWN), Link(OWN, 1))])
    desk.ledger.write(batch)
    assert desk.queued() == 1
    assert desk.told() == []


def test_to_whom_links_went_is_counted(desk: Desk) -> None:
    desk.holdings.owner_of = lambda bucket: "b" if bucket == FOREIGN_BUCKET else "c"
    desk.schedule(Link(FOREIGN, 1), Link(FOREIGN, 2), Link(FOREIGN + "2", 1), Link(OWN, 1))
    assert desk.holdings.sent_to == {"b": 2}


# ── pages and hosts ────────────────────────────────────────────────────────────────────────────────────


def test_a_done_page_and_its_links_are_told_in_one_row(desk: Desk) -> None:
    desk.schedule(Link(OWN, 1))
    desk.visit(Link(OWN + "next", 2), Link(FOREIGN, 2))
    _, row = desk.told()
    assert {found_link(one.url).link.url for one in row.found} == {OWN + "next", FOREIGN}
    (entry,) = row.entries
    assert (entry.bucket, entry.claim, entry.id) == (OWN_BUCKET, CLAIM, url_id(OWN))
    assert isinstance(entry.entry, Done)
    assert entry.entry.page == desk.ledger.page(url_id(OWN))


def test_of_a_page_whose_bucket_was_lost_meanwhile_only_the_links_are_told(desk: Desk) -> None:
    """No answer is thrown away: its worker has marked the links as reported."""
    desk.schedule(Link(OWN, 1))
    del desk.holdings.held[OWN_BUCKET]
    desk.visit(Link(FOREIGN, 2), Link(OWN + "next", 2))
    _, row = desk.told()
    assert row.entries == []
    assert {(found_link(one.url).link.url, one.claim) for one in row.found} == {(FOREIGN, 0), (OWN + "next", 0)}


def test_a_page_whose_links_were_read_again_is_told_with_its_new_depth(desk: Desk) -> None:
    desk.holdings.came_nearer(PageRow(OWN, 0, 1.0, 5), 2)
    desk.schedule()
    ((entry,),) = [row.entries for row in desk.told()]
    assert isinstance(entry.entry, Done)
    assert entry.entry.page.depth == 2
    assert entry.id == url_id(OWN)


def test_a_page_that_returns_to_the_queue_is_told_if_it_is_ours(desk: Desk) -> None:
    batch = desk.ledger.batch()
    desk.ledger.put_back(batch, Link(OWN, 2, Kind.EMBED, attempts=3))
    desk.holdings.queued_again(Link(FOREIGN, 2))
    desk.ledger.write(batch)
    ((entry,),) = [row.entries for row in desk.told()]
    assert isinstance(entry.entry, Again)
    assert found_link(entry.entry.url).link == Link(OWN, 2, Kind.EMBED)


def test_what_a_host_asks_for_is_told_if_it_is_ours(desk: Desk) -> None:
    note = HostNote(host_of(OWN), delay_s=5.0)
    assert desk.holdings.note_host(note) == OWN_BUCKET
    assert desk.holdings.note_host(HostNote(host_of(FOREIGN), delay_s=5.0)) is None
    desk.schedule()
    assert [row.entries for row in desk.told()] == [[OwnEntry(OWN_BUCKET, CLAIM, b"", note)]]


def test_a_scope_grows_by_the_log_and_not_by_whoever_finds_the_seed(desk: Desk) -> None:
    desk.schedule(Link(OWN, 0, Kind.SEED))
    assert not desk.ledger.scope.knows(OWN)
    assert [row.scope for row in desk.told()] == [[OWN]]


def test_of_a_lost_record_nobody_hears_that_its_page_is_done(desk: Desk) -> None:
    desk.schedule(Link(OWN, 1))
    desk.visit(Link(FOREIGN, 2))
    desk.holdings.lost([url_id(OWN)])
    assert [len(row.entries) for row in desk.told()] == [0, 0]
    assert [len(row.found) for row in desk.told()] == [1, 1]


def test_delays_and_redirected_robots_txt_are_whose_the_cluster_says(desk: Desk) -> None:
    heard: list[tuple[str, float]] = []

    async def hear(host: str, delay_s: float) -> None:
        heard.append((host, delay_s))

    async def nothing(url: str) -> Fetched | None:
        heard.append((url, 0.0))
        return None

    async def scenario() -> None:
        await desk.holdings.asks_for_delay("own.test", 5.0)
        assert await desk.holdings.fetched_elsewhere(FOREIGN) is None
        desk.holdings.on_delay, desk.holdings.on_redirect = hear, nothing
        await desk.holdings.asks_for_delay("own.test", 5.0)
        assert await desk.holdings.fetched_elsewhere(FOREIGN) is None

    asyncio.run(scenario())
    assert heard == [("own.test", 5.0), (FOREIGN, 0.0)]


# ── a real crawl ───────────────────────────────────────────────────────────────────────────────────────

WEB = WebSpec(hosts=24, pages=160, seed=5, cross_host_share=0.3)


def test_a_crawl_of_some_buckets_asks_their_hosts_only_and_tells_all_links_of_the_others_once(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        shares = Shares(BUCKETS)
        mine = {shares.of_host(host.name) for host in sim.web.hosts if host.index % 8 < 4}
        held = HeldCrawl(tmp_path / "crawl", quick_config(sim), held=mine)
        assert held.run() is Ending.DONE
        truth = sim.web.truth()
    assert {shares.of_host(request.host.partition(":")[0]) for request in sim.log} <= mine
    state = State(held.crawl.folder.database, is_read_only=True)
    rows = [decode_row(row) for _, row in state.scan("outbox")]
    state.close()
    links = [one for row in rows for one in row.found]
    assert {one.bucket in mine for one in links if one.claim} == {True}
    assert {one.bucket in mine for one in links if not one.claim} == {False}
    sent = Counter((found_link(one.url).link.url, one.url.depth) for one in links if not one.claim)
    assert sent
    assert set(sent.values()) == {1}
    done = [one for row in rows for one in row.entries if isinstance(one.entry, Done)]
    files = CrawlFiles(tmp_path / "crawl")
    assert {one.entry.page.url: one.entry.file for one in done if isinstance(one.entry, Done)} == {
        row.url: row.file for row in files.rows
    }
    fetchable = {url for url in truth.fetchable if shares.of_host(host_of(url)) in mine}
    assert {row.url for row in files.rows if row.outcome == "response"} <= fetchable


def test_the_names_of_a_pages_file_and_of_its_original_are_told(tmp_path: Path) -> None:
    async def tell(held: HeldCrawl) -> None:
        await held.pages(3)
        await held.give_up()
        page = next(page for page in pages_in(held.inside.state) if page.file)
        original = Original("http://x.test/", 1.0, "sha1:x", page.file, 2, 3)
        held.holdings.came_nearer(msgspec.structs.replace(page, original=original), 0)
        held.holdings.came_nearer(msgspec.structs.replace(page, file=0, outcome=Outcome.RESET), 0)
        held.inside.ledger.write(held.inside.ledger.batch())
        with_both, failed = (one.entry for one in held.told()[-1].entries)
        assert isinstance(with_both, Done)
        assert isinstance(failed, Done)
        name = held.inside.archive.name_of(page.file)
        assert (with_both.file, with_both.original_file) == (name, name)
        assert (failed.file, failed.original_file) == ("", "")

    with SimProcess(WEB) as sim:
        HeldCrawl(tmp_path / "crawl", quick_config(sim), beside=tell).run()


def test_what_was_told_by_a_run_before_is_kept_for_the_next(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.schedule(Link(FOREIGN, 1))
    with open_ledger(tmp_path, is_new=False) as book:
        outbox = Outbox(book.context.state)
        assert (outbox.rows, outbox.links) == (1, 1)
        assert outbox.oldest(10)[1][0].found == [OwnLink(FOREIGN_BUCKET, 0, url_of(Link(FOREIGN, 1), "far.test"))]


def test_a_run_begins_with_what_the_cluster_wants_of_it(desk: Desk) -> None:
    begun: list[Inside] = []
    desk.holdings.on_begin = begun.append
    desk.holdings.begin(desk.holdings.inside)
    assert begun == [desk.holdings.inside]
