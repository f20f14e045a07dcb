"""A page that comes nearer to the seeds has its links read again, and a crash forgets none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from tests.pipeline.test_near_duplicates import visits_of
from weft.frontier import Frontier, Manners
from weft.pipeline.ledger import Ledger
from weft.pipeline.relax import Relaxer
from weft.pipeline.reread_rows import fetch_for_links
from weft.types import Fetched, FoundLink, Kind, Link, Outcome, Processed, Refusal, Timing, Visit
from weft.url import host_of, url_id

from .ledgers import open_ledger

PAGE = "http://a.example/page"
CHECK = "http://a.example/check"


@contextmanager
def running(folder: Path, *, is_new: bool, archive: str = "full") -> Iterator[tuple[Ledger, Frontier]]:
    """A run of a crawl that has a limit of depth, up to a kill."""
    with open_ledger(folder, is_new=is_new, depth=5, archive=archive) as book:
        yield book.ledger, book.frontier


def find(ledger: Ledger, depth: int, url: str = PAGE) -> None:
    batch = ledger.batch()
    ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), Link(url, depth))])
    ledger.write(batch)


def visit(ledger: Ledger, frontier: Frontier, fetched: Fetched | None = None) -> None:
    batch = ledger.batch()
    for one in visits_of(frontier, 1):
        frontier.release(one, answered=True, waited_s=0.0)
        ledger.finish(batch, one, Outcome.RESPONSE, fetched, Processed())
    ledger.write(batch)


def answer(status: int, *headers: tuple[bytes, bytes]) -> Fetched:
    return Fetched(PAGE, "192.0.2.1", 0.0, b"", status, b"", headers, b"", None, 0, False, None, Timing())


def read_again(ledger: Ledger, at_depth: int) -> None:
    batch = ledger.batch()
    ledger.relaxed(batch, url_id(PAGE), at_depth, Processed())
    ledger.write(batch)


def test_a_page_that_comes_nearer_once_more_while_its_links_are_read_is_read_again_even_after_a_crash(
    tmp_path: Path,
) -> None:
    with running(tmp_path, is_new=True) as (ledger, frontier):
        find(ledger, depth=3)
        visit(ledger, frontier)
        find(ledger, depth=2)
        assert list(ledger.rereads.waiting) == [url_id(PAGE)]
        ledger.rereads.waiting.clear()  # a worker reads them at depth 2
        find(ledger, depth=1)
        read_again(ledger, at_depth=2)
    with running(tmp_path, is_new=False) as (ledger, _):
        assert list(ledger.rereads.waiting) == [url_id(PAGE)]
        read_again(ledger, at_depth=1)
    with running(tmp_path, is_new=False) as (ledger, _):
        assert not ledger.rereads.waiting


def fetch_again(ledger: Ledger, depth: int) -> None:
    ledger.rereads.waiting.clear()
    batch = ledger.batch()
    fetch_for_links(ledger, batch, url_id(PAGE), Link(PAGE, depth))
    ledger.write(batch)


def test_without_an_archive_it_waits_in_the_queue_once_and_is_fetched_once_more_if_it_comes_nearer_meanwhile(
    tmp_path: Path,
) -> None:
    with running(tmp_path, is_new=True, archive="none") as (ledger, frontier):
        find(ledger, depth=3)
        visit(ledger, frontier)
        find(ledger, depth=2)
        assert list(ledger.rereads.waiting) == [url_id(PAGE)]
        fetch_again(ledger, depth=2)
    with running(tmp_path, is_new=False, archive="none") as (ledger, frontier):
        assert not ledger.rereads.waiting, "it is in the queue"
        (again,) = visits_of(frontier, 1)
        find(ledger, depth=1)  # while it is fetched
        assert not ledger.rereads.waiting
        frontier.release(again, answered=True, waited_s=0.0)
        batch = ledger.batch()
        ledger.finish(batch, again, Outcome.RESPONSE, None, Processed(), parsed_at_depth=2)
        ledger.write(batch)
        assert list(ledger.rereads.waiting) == [url_id(PAGE)], "its links were read for a depth of 2"
        fetch_again(ledger, depth=1)
        visit(ledger, frontier)
        assert not ledger.rereads.waiting
        page = ledger.page(url_id(PAGE))
        assert page is not None
        assert page.depth == 1
    with running(tmp_path, is_new=False, archive="none") as (ledger, _):
        assert not ledger.rereads.waiting
        assert not ledger.rereads.is_in_queue(url_id(PAGE))


def test_without_an_archive_a_page_that_comes_nearer_twice_at_once_returns_to_the_queue_once(tmp_path: Path) -> None:
    with open_ledger(tmp_path, depth=5, archive="none") as (ledger, frontier, context):
        find(ledger, depth=3)
        visit(ledger, frontier, answer(200))
        find(ledger, depth=2)
        find(ledger, depth=1)
        Relaxer(ledger, cast("Any", None), cast("Any", None)).start_some()  # it needs neither archive nor workers
        assert context.counters.queued == 1
        visit(ledger, frontier)
        assert not isinstance(frontier.next(), Visit), "it would count as another page"
        assert context.counters.queued == 0


def test_without_an_archive_a_redirect_that_waits_to_be_asked_with_its_cookie_is_not_queued_twice(
    tmp_path: Path,
) -> None:
    with open_ledger(tmp_path, depth=5, archive="none", cookies=b"a=1") as (ledger, frontier, context):
        find(ledger, depth=3)
        (first,) = visits_of(frontier, 1)
        frontier.release(first, answered=True, waited_s=0.0)
        batch = ledger.batch()
        back = FoundLink(first.id, first.host, Link(PAGE, 3, Kind.REDIRECT, redirects=1))
        ledger.finish(batch, first, Outcome.RESPONSE, answer(302, (b"set-cookie", b"a=1")), Processed([back]))
        ledger.write(batch)
        assert context.counters.queued == 1
        find(ledger, depth=2)
        Relaxer(ledger, cast("Any", None), cast("Any", None)).start_some()
        assert context.counters.queued == 1
        visit(ledger, frontier, answer(200))
        page = ledger.page(url_id(PAGE))
        assert page is not None
        assert (page.status, page.depth) == (200, 2)


def test_a_redirect_whose_cookie_comes_with_another_page_of_the_same_batch_is_asked_for_with_it(tmp_path: Path) -> None:
    with open_ledger(tmp_path, depth=5, cookies=b"a=1", manners=Manners(delay_s=0.0, connections_per_host=2)) as book:
        ledger, frontier, context = book
        find(ledger, depth=2)
        find(ledger, depth=2, url=CHECK)
        page, check = visits_of(frontier, 2)
        batch = ledger.batch()
        for one, fetched, target in ((page, answer(302), CHECK), (check, answer(302, (b"set-cookie", b"a=1")), PAGE)):
            frontier.release(one, answered=True, waited_s=0.0)
            to = FoundLink(url_id(target), host_of(target), Link(target, 2, Kind.REDIRECT, redirects=1))
            ledger.finish(batch, one, Outcome.RESPONSE, fetched, Processed([to]))
        ledger.write(batch)
        assert context.counters.queued == 1


@pytest.mark.parametrize("is_refused", [False, True])
def test_without_an_archive_a_redirect_that_is_queued_for_its_links_gets_its_cookie_and_is_asked_as_a_page_afterwards(
    tmp_path: Path, is_refused: bool
) -> None:
    with open_ledger(tmp_path, depth=5, archive="none", cookies=b"a=1") as (ledger, frontier, context):
        find(ledger, depth=3)
        visit(ledger, frontier, answer(302))
        find(ledger, depth=2)
        find(ledger, depth=2, url=CHECK)
        (check,) = visits_of(frontier, 1)
        frontier.release(check, answered=True, waited_s=0.0)
        Relaxer(ledger, cast("Any", None), cast("Any", None)).start_some()
        (for_links,) = visits_of(frontier, 1)
        batch = ledger.batch()
        back = FoundLink(url_id(PAGE), host_of(PAGE), Link(PAGE, 2, Kind.REDIRECT, via=CHECK, redirects=1))
        ledger.finish(batch, check, Outcome.RESPONSE, answer(302, (b"set-cookie", b"a=1")), Processed([back]))
        ledger.write(batch)
        assert context.counters.queued == 1, "it is in the queue already"
        frontier.release(for_links, answered=True, waited_s=0.0)
        batch = ledger.batch()
        if is_refused:
            ledger.refuse(batch, for_links, Refusal.HOST_BUDGET)
        else:
            ledger.finish(batch, for_links, Outcome.RESPONSE, answer(302), Processed(), parsed_at_depth=2)
        ledger.write(batch)
        assert context.counters.queued == 1, "what came was asked for without the cookie"
        visit(ledger, frontier, answer(200))
        page = ledger.page(url_id(PAGE))
        assert page is not None
        assert (page.status, page.depth) == (200, 2)
        assert context.counters.queued == 0


def test_without_an_archive_one_that_may_not_be_fetched_again_now_waits_for_another_run(tmp_path: Path) -> None:
    with running(tmp_path, is_new=True, archive="none") as (ledger, frontier):
        find(ledger, depth=3)
        visit(ledger, frontier)
        find(ledger, depth=2)
        fetch_again(ledger, depth=2)
        (again,) = visits_of(frontier, 1)
        batch = ledger.batch()
        ledger.refuse(batch, again, Refusal.HOST_BUDGET)
        ledger.write(batch)
        assert not ledger.rereads.waiting
        assert not ledger.counters.refused, "the page is done: it is refused nothing"
    with running(tmp_path, is_new=False, archive="none") as (ledger, _):
        assert list(ledger.rereads.waiting) == [url_id(PAGE)]
