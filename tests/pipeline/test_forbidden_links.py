"""A link that robots.txt is known to forbid is refused when it is found: it takes no place in the queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.clock import FakeClock
from weft.folder.crawl_log import CrawlLog
from weft.frontier import Frontier, Manners
from weft.order import order_named
from weft.pipeline.ledger import Ledger
from weft.seen import Seen
from weft.state import State
from weft.stats import Counters
from weft.store import Archive
from weft.types import FoundLink, Link, Refusal
from weft.url import host_of, url_id


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    state, clock = State(tmp_path / "state"), FakeClock()
    (tmp_path / "archive").mkdir()
    frontier = Frontier(state, clock, order_named("bfs").rank, Manners(delay_s=1.0, connections_per_host=1), sequence=0)
    archive = Archive(state, tmp_path / "archive", clock)
    log = CrawlLog(tmp_path / "crawl.log", ())
    seen = Seen(state, is_new_crawl=True)
    ledger = Ledger(state, seen, frontier, archive, Counters(), clock, log, max_depth=None)
    ledger.forbids = lambda url: "/private/" in url
    yield ledger
    log.close()
    state.close()


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
