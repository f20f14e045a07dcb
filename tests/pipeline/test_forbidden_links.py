"""A link that robots.txt is known to forbid is refused when it is found: it takes no place in the queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.frontier import Manners
from weft.pipeline.ledger import Ledger
from weft.types import FoundLink, Link, Refusal
from weft.url import host_of, url_id

from .ledgers import open_ledger


class NothingPrivate:
    def forbids(self, url: str) -> str | None:
        return "" if "/private/" in url else None


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    manners = Manners(delay_s=1.0, connections_per_host=1)
    with open_ledger(tmp_path, manners=manners, robots=NothingPrivate()) as book:
        yield book.ledger


def schedule(ledger: Ledger, *urls: str) -> None:
    batch = ledger.batch()
    ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), Link(url, 1)) for url in urls])
    ledger.write(batch)


def test_it_is_counted_and_logged_once_and_not_queued(ledger: Ledger, tmp_path: Path) -> None:
    schedule(ledger, "http://a.test/", "http://a.test/private/x")
    schedule(ledger, "http://a.test/private/x", "http://a.test/y")
    counters = ledger.counters
    assert (counters.seen, counters.queued, counters.refused) == (3, 2, {Refusal.ROBOTS: 1})
    ledger.log.flush()
    assert (tmp_path / "crawl.log").read_text().count("refused:robots") == 1
