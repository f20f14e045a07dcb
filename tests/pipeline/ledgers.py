"""A ledger with its frontier, without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from weft.clock import FakeClock
from weft.config import CrawlConfig
from weft.folder.crawl_log import CrawlLog
from weft.frontier import Frontier, Manners
from weft.order import order_named
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors
from weft.pipeline.ledger import Ledger
from weft.pipeline.refusals import NO_ROBOTS, RobotsRules
from weft.seen import Seen
from weft.state import State
from weft.stats import Counters
from weft.store import Archive


class Book(NamedTuple):
    ledger: Ledger
    frontier: Frontier
    context: Context


@contextmanager
def open_ledger(
    folder: Path,
    *,
    manners: Manners = Manners(delay_s=0.0),  # noqa: B008  # frozen
    is_new: bool = True,
    doors: Doors = Doors(),  # noqa: B008  # frozen
    robots: RobotsRules = NO_ROBOTS,
    cookies: bytes = b"",
    **settings: Any,
) -> Iterator[Book]:
    """Open until the block ends, as a kill would end it."""
    (folder / "archive").mkdir(exist_ok=True)
    clock, state, log = FakeClock(), State(folder / "db"), CrawlLog(folder / "crawl.log", ())
    context = Context(CrawlConfig(**{"scope": "any"} | settings), clock, state, Counters(), log)
    frontier = Frontier(state, clock, order_named("bfs").rank, manners, sequence=0)
    archive = Archive(state, folder / "archive", clock)
    seen = Seen(state, is_new_crawl=is_new)
    yield Book(Ledger(context, seen, frontier, archive, doors, robots, lambda url: cookies), frontier, context)
    log.close()
    state.close()
