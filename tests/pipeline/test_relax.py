"""A page that comes nearer to the seeds has its links read again, and a crash forgets none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pipeline.test_near_duplicates import visits_of
from weft.frontier import Frontier
from weft.pipeline.ledger import Ledger
from weft.types import FoundLink, Link, Outcome, Processed
from weft.url import host_of, url_id

from .ledgers import open_ledger

PAGE = "http://a.example/page"


@contextmanager
def running(folder: Path, *, is_new: bool) -> Iterator[tuple[Ledger, Frontier]]:
    """A run of a crawl that has a limit of depth, up to a kill."""
    with open_ledger(folder, is_new=is_new, depth=5) as book:
        yield book.ledger, book.frontier


def find(ledger: Ledger, depth: int) -> None:
    batch = ledger.batch()
    ledger.schedule(batch, [FoundLink(url_id(PAGE), host_of(PAGE), Link(PAGE, depth))])
    ledger.write(batch)


def visit(ledger: Ledger, frontier: Frontier) -> None:
    batch = ledger.batch()
    for one in visits_of(frontier, 1):
        ledger.finish(batch, one, Outcome.RESPONSE, None, Processed())
    ledger.write(batch)


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
        assert list(ledger.to_relax) == [url_id(PAGE)]
        ledger.to_relax.clear()  # a worker reads them at depth 2
        find(ledger, depth=1)
        read_again(ledger, at_depth=2)
    with running(tmp_path, is_new=False) as (ledger, _):
        assert list(ledger.to_relax) == [url_id(PAGE)]
        read_again(ledger, at_depth=1)
    with running(tmp_path, is_new=False) as (ledger, _):
        assert not ledger.to_relax
