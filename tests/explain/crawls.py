"""Crawl folders whose rows are written by the ledger and the frontier themselves, without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from weft.clock import FakeClock
from weft.config import CrawlConfig
from weft.explain.asked import asked
from weft.explain.host import explain_host
from weft.explain.in_queue import MOST_ROWS
from weft.explain.result import HostExplanation, UrlExplanation
from weft.explain.url import UrlExplainer
from weft.explain.waiting import CrawlNow
from weft.folder.crawl_log import CrawlLog
from weft.folder.layout import CrawlFolder
from weft.folder.reading import CrawlReader
from weft.frontier import Frontier
from weft.order import order_named
from weft.pipeline.config_parts import manners_of
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors
from weft.pipeline.ledger import Ledger
from weft.robots import RobotsRow
from weft.seen import Seen
from weft.state import State
from weft.state.keys import authority_key
from weft.stats import Counters
from weft.store import Archive
from weft.types import FoundLink, Link
from weft.url import host_of, url_id

HOST = "a.test"
HOME = f"http://{HOST}/"
GO_ON, CONTROL = "weft resume crawl", "weft control crawl"

_encode = msgspec.msgpack.Encoder().encode


class Written:
    """A crawl that is open for writing; its clock stands still."""

    def __init__(self, path: Path, state: State, context: Context, frontier: Frontier, ledger: Ledger) -> None:
        self.path = path
        self.state = state
        self.clock: FakeClock = context.clock  # type: ignore[assignment]  # it is made here
        self.frontier = frontier
        self.ledger = ledger
        self.rests: dict[str, str] = {}  # what the crawl itself tells
        self.limit = ""

    def schedule(self, *links: Link) -> None:
        """Links are found."""
        batch = self.ledger.batch()
        self.ledger.schedule(batch, [FoundLink(url_id(link.url), host_of(link.url), link) for link in links])
        self.ledger.write(batch)

    def put_robots(self, row: RobotsRow, authority: str = f"http://{HOST}") -> None:
        """A robots.txt was answered."""
        batch = self.state.batch()
        batch.put("robots", authority_key(authority), _encode(row))
        self.state.write(batch)

    def commit(self) -> None:
        """What the frontier has to write is written with the next page."""
        self.ledger.write(self.ledger.batch())

    def explain(self, url: str, *, is_running: bool = True, most_rows: int = MOST_ROWS) -> UrlExplanation:
        """What is said of a URL at this moment."""
        self.commit()
        with CrawlReader(self.path) as reader:
            now = self.clock.wall()
            crawl = CrawlNow(is_running, GO_ON, CONTROL, self.rests, self.limit)
            self.ledger.log.flush()
            logs = [self.path / "crawl.log"]
            return UrlExplainer(reader, crawl, now, logs=logs, most_rows=most_rows).explain(asked(url))

    def explain_host(self, host: str = HOST, *, is_running: bool = True) -> HostExplanation:
        """Of a host."""
        self.commit()
        with CrawlReader(self.path) as reader:
            return explain_host(
                reader, asked(host), CrawlNow(is_running, GO_ON, CONTROL, self.rests), self.clock.wall()
            )


@contextmanager
def written(path: Path, **settings: Any) -> Iterator[Written]:
    """A crawl folder in which nothing has happened yet."""
    config = CrawlConfig(**{"seeds": (HOME,)} | settings)
    folder = CrawlFolder(path, must_exist=False)
    folder.save_config(config)
    clock, state, log = FakeClock(), State(folder.database), CrawlLog(folder.log, ())
    context = Context(config, clock, state, Counters(), log)
    order = order_named(config.order)
    frontier = Frontier(state, clock, order.rank, manners_of(config), sequence=0, patience=config.patience)
    archive = Archive(state, folder.archive, clock)
    ledger = Ledger(context, Seen(state, is_new_crawl=True), frontier, archive, Doors())
    try:
        yield Written(path, state, context, frontier, ledger)
    finally:
        log.close()
        state.close()
        folder.close()
