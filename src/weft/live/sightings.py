"""What the status tells of pages as they come: figures of each host, and the newest ones. A witness of the crawl."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from itertools import chain
from math import inf
from operator import attrgetter
from pathlib import Path

import msgspec

from weft.clock import utc_text
from weft.live.status import HostFigures, Visited
from weft.members import RESPONSE
from weft.pipeline.doors import Finished
from weft.state import Batch
from weft.types import PageRow
from weft.whole_file import appearing_whole

NEWEST = 20
HOSTS_SHOWN = 20
HOSTS_KEPT = 10_000  # beyond twice as many, those with the fewest visits are forgotten
FEW_HOSTS, TABLES_EVERY_S = 1_000, 10.0  # to look through 20,000 takes 15 ms
ANSWERS_TO_JUDGE = 3  # the mean of fewer says little about a host


class Seen(msgspec.Struct, array_like=True):
    """What came from a host."""

    visits: int = 0
    pages: int = 0
    bytes: int = 0
    failed: int = 0
    answers: int = 0
    wait_s: float = 0.0


class Sights(msgspec.Struct, frozen=True):
    """What was seen by now."""

    by_pages: list[HostFigures]
    slowest: list[HostFigures]
    newest: list[Visited]


def most_of(parts: Sequence[Sights]) -> Sights:
    """What several engines saw; each has hosts of its own."""
    if len(parts) == 1:
        return parts[0]
    return Sights(
        nlargest(HOSTS_SHOWN, chain(*(one.by_pages for one in parts)), key=attrgetter("pages")),
        nlargest(HOSTS_SHOWN, chain(*(one.slowest for one in parts)), key=attrgetter("mean_wait_s")),
        nlargest(NEWEST, chain(*(one.newest for one in parts)), key=attrgetter("at")),
    )


class Sightings:
    """Counts visits by host. Kept in a file now and then: of a killed run the last seconds may be missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._hosts: dict[str, Seen] = _load(path)  # bound: 2 × HOSTS_KEPT
        self._tables: tuple[list[HostFigures], list[HostFigures]] = [], []
        self._tables_at = -inf
        self._newest: deque[PageRow] = deque(maxlen=NEWEST)
        self._of_batch: list[Finished] = []  # filled by finished, emptied by settle

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A visit has ended, if its batch is written."""
        self._of_batch.append(visit)

    def settle(self) -> None:
        """The batch is written."""
        for visit in self._of_batch:
            self._count(visit.host, visit.page)
            self._newest.append(visit.page)
        self._of_batch.clear()

    def tables(self, now: float) -> tuple[list[HostFigures], list[HostFigures]]:
        """Hosts by pages, and the slowest ones; of very many hosts they are worked out now and then only."""
        if len(self._hosts) <= FEW_HOSTS or now - self._tables_at >= TABLES_EVERY_S:
            self._tables = self.by_pages(), self.slowest()
            self._tables_at = now
        return self._tables

    def sights(self, now: float) -> Sights:
        """All of it."""
        return Sights(*self.tables(now), self.newest())

    def by_pages(self) -> list[HostFigures]:
        """The hosts with the most pages."""
        return self._most(self._hosts.items(), lambda seen: seen.pages)

    def slowest(self) -> list[HostFigures]:
        """Those that let wait longest for the first byte."""
        judged = (item for item in self._hosts.items() if item[1].answers >= ANSWERS_TO_JUDGE)
        return self._most(judged, _mean_wait_s)

    def newest(self) -> list[Visited]:
        """The newest visits, the last one first."""
        return [
            Visited(
                utc_text(page.fetched_at),
                page.url,
                page.status,
                page.outcome,
                page.body_bytes,
                round(page.timing.connect_s + page.timing.wait_s + page.timing.receive_s, 3),
            )
            for page in reversed(self._newest)
        ]

    def save(self) -> None:
        """For the next run."""
        with appearing_whole(self._path) as file:
            file.write(msgspec.msgpack.encode(self._hosts))

    def _count(self, name: str, page: PageRow) -> None:
        seen = self._hosts.get(name)
        if seen is None:
            if len(self._hosts) >= 2 * HOSTS_KEPT:
                kept = nlargest(HOSTS_KEPT, self._hosts.items(), key=lambda item: item[1].visits)
                self._hosts = dict(kept)
            seen = self._hosts[name] = Seen()
        seen.visits += 1
        seen.bytes += page.body_bytes
        if page.status:
            seen.answers += 1
            seen.wait_s += page.timing.wait_s
        if page.outcome is not RESPONSE:
            seen.failed += 1
        elif 200 <= page.status < 300:
            seen.pages += 1

    def _most(self, items: Iterable[tuple[str, Seen]], by: Callable[[Seen], float]) -> list[HostFigures]:
        chosen = nlargest(HOSTS_SHOWN, items, key=lambda item: by(item[1]))
        return [
            HostFigures(name, seen.visits, seen.pages, seen.bytes, seen.failed, round(_mean_wait_s(seen), 4))
            for name, seen in chosen
        ]


def _mean_wait_s(seen: Seen) -> float:
    return seen.wait_s / seen.answers if seen.answers else 0.0


def _load(path: Path) -> dict[str, Seen]:
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=dict[str, Seen])
    # Of a new crawl; or it was spoilt, and a picture is not worth a crawl.
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
