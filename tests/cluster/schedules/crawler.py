"""In place of engine, fetcher and workers: asks for pages as soon as frontier and doors allow it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from tests.cluster.schedules.disk import Disk, MemoryArchive, MemoryState
from tests.cluster.schedules.timeline import Timeline
from tests.cluster.schedules.web import DELAY_S, LONG_DELAY_S, found
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.errors import FetchError, HostGivenUp, first_of
from weft.folder.crawl_log import CrawlLog
from weft.frontier import Clearance, Frontier, Manners, Preparation, SideTurn
from weft.order import guarded
from weft.pipeline.another_chance import visit_again
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.ledger import Ledger
from weft.seen import Seen
from weft.stats.counters import load_counters
from weft.types import Fetched, Outcome, Processed, Timing, Visit

if TYPE_CHECKING:
    from tests.cluster.schedules.node import Node

SLOTS: Final = 4
ADDRESS: Final = "192.0.2.1"
SYNC_EVERY_S: Final = 1.0
ANSWER: Final = Timing(0.01, 0.01, 0.01)
CONFIG: Final = CrawlConfig(traps="off", scope="any", delay_s=DELAY_S)


class NoLog(CrawlLog):
    """Nobody reads it."""

    def __init__(self) -> None:
        pass

    def page(self, *args: object) -> None:
        pass

    def tried(self, *args: object) -> None:
        pass


class NodeClock(Clock):
    """A machine's clocks: none of them agrees with another machine's."""

    def __init__(self, timeline: Timeline, boot_s: float, wall_s: float) -> None:
        self._timeline = timeline
        self._boot_s = boot_s
        self._wall_s = wall_s

    def wall(self) -> float:
        return self._timeline.now_s + self._wall_s

    def monotonic(self) -> float:
        return self._timeline.now_s - self._boot_s


class Workers:
    """What `Inside` has of them: the pages that are being read, in order."""

    def __init__(self) -> None:
        self.pool = self
        self.pages: asyncio.Queue[tuple[Visit, int]] = asyncio.Queue()
        self.reading = 0

    def unfinished(self) -> int:
        return self.reading

    def broadcast(self, message: object) -> None:
        pass


class Crawler:
    """One run."""

    def __init__(self, node: Node, disk: Disk, clock: Clock, open_doors: Callable[[Context], Doors]) -> None:
        self._node = node
        self._web = node.web
        self._state = state = MemoryState(disk)
        self.context = context = Context(CONFIG, clock, state, load_counters(state), NoLog())
        self._doors = doors = open_doors(context)
        self._archive = archive = MemoryArchive(disk, state)
        seen = Seen(state, is_new_crawl=not context.counters.seen)
        manners = Manners(delay_s=DELAY_S, connections_per_address=1000)
        self._frontier = frontier = Frontier(
            state, clock, guarded(doors.order).rank, manners, sequence=context.counters.sequence
        )
        self._ledger = Ledger(context, seen, frontier, archive, doors)
        self._workers = Workers()
        self._over: asyncio.Future[None] | None = None
        self._is_stopping = False
        self._under_way: dict[str, asyncio.Task[None]] = {}  # hosts
        self._preparing = 0
        self._reported: set[bytes] = set()  # the workers' sieve: links that an earlier page had
        self.may_send: Callable[[], bool] = lambda: True
        doors.owner.begin(
            cast("Any", Inside)(state, seen, frontier, self._ledger, archive, self, self._workers, self, self)
        )

    async def drive(self) -> None:
        """To the end, as `Run` does."""
        batch = self._ledger.batch()
        lost = self._archive.recover(batch)
        self._doors.owner.lost(lost)
        visit_again(self._ledger, batch, lost)
        self._ledger.write(batch)
        self._state.sync()
        try:
            async with asyncio.TaskGroup() as tasks:
                background = [tasks.create_task(self._keep_safe()), tasks.create_task(self._read_pages())]
                background += [tasks.create_task(task()) for task in self._doors.beside]
                self._over = asyncio.get_running_loop().create_future()
                self.context.loop.begin(self._pump, tasks)
                try:
                    await self._over
                finally:
                    for task in self._under_way.values():
                        task.cancel()
                    self.context.loop.end()
                for task in background:
                    task.cancel()
        except BaseExceptionGroup as group:
            raise first_of(group) from group

    def stop(self) -> None:
        """Begin nothing more, and end."""
        self._is_stopping = True
        self.context.loop.pump_soon()

    async def _keep_safe(self) -> None:
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            await self._archive.sync()

    # ── what `Inside` has of fetcher and pace ──────────────────────────────────────────────────────────

    def abandon(self) -> None:
        """The lease has ended."""
        for task in self._under_way.values():
            task.cancel("abandoned")

    def share(self, rate: float) -> None:
        """Of --rate."""

    # ── turns ──────────────────────────────────────────────────────────────────────────────────────────

    def _pump(self) -> None:
        assert self._over is not None
        try:
            while self._may_begin() and (turn := self._frontier.next()) is not None:
                if isinstance(turn, Preparation):
                    self._preparing += 1
                    self.context.loop.spawn(self._prepare(turn))
                else:
                    assert self.may_send()
                    self._node.begins_request(turn.host, is_page=isinstance(turn, Visit))
                    self._under_way[turn.host] = self.context.loop.spawn(self._ask(turn))
            if not self._under_way and not self._preparing and not self._workers.unfinished() and not self._over.done():
                self._end_if_over()
            if not self._over.done() and (wait_s := self._frontier.seconds_to_next()) is not None:
                self.context.loop.pump_in(max(wait_s, 0.01))
        except Exception as error:
            if not self._over.done():
                self._over.set_exception(error)

    def _may_begin(self) -> bool:
        return (
            not self._is_stopping
            and len(self._under_way) < SLOTS
            and all(consent.halt() is None for consent in self._doors.consents)
        )

    def _end_if_over(self) -> None:
        assert self._over is not None
        is_over = self._is_stopping or (
            not self._frontier.has_work()
            and not self._ledger.rereads.waiting
            and all(consent.may_end() for consent in self._doors.consents)
        )
        if is_over:
            self._over.set_result(None)

    async def _prepare(self, turn: Preparation) -> None:
        """Its robots.txt comes first, in the host's turn; what it asks for holds before the first page."""
        host, authority = turn.host, turn.authority
        robots = SideTurn(host, (ADDRESS,), self.context.loop.promise())
        self._frontier.ask_for_turn(robots)
        self.context.loop.pump_soon()
        try:
            await robots.given
        except FetchError:
            self._frontier.fail_preparation(host, authority)
            self._frontier.hold(host, LONG_DELAY_S, "no robots.txt", authority=authority)
        except HostGivenUp:
            self._frontier.fail_preparation(host, authority)
        else:
            if delay_s := self._web.delay_s(host):
                await self._doors.owner.asks_for_delay(host, delay_s)
            self._frontier.clear(host, authority, Clearance((ADDRESS,), 1e9, delay_s=delay_s))
        finally:
            self._preparing -= 1
        self.context.loop.pump_soon()

    async def _ask(self, turn: Visit | SideTurn) -> None:
        """A request; it may take long."""
        is_answered = True
        try:
            await asyncio.sleep(self._web.request_s(self._node.random))
        except asyncio.CancelledError as error:
            if not error.args:  # the run has ended
                raise
            is_answered = False
        finally:
            self._node.ends_request(turn.host)
            del self._under_way[turn.host]
        self._frontier.release(turn, answered=is_answered)
        if isinstance(turn, SideTurn):
            if is_answered:
                turn.given.set_result(None)
            else:
                turn.given.set_exception(FetchError(Outcome.CLOSED))
        elif is_answered:
            self._workers.reading += 1
            self._workers.pages.put_nowait((turn, self._node.visited(turn.link.url)))
        else:
            batch = self._ledger.batch()
            self._ledger.repeat(batch, turn, Outcome.CLOSED, "on a new connection")
            self._ledger.write(batch)
        self.context.loop.pump_soon()

    async def _read_pages(self) -> None:
        """The worker: one page after the other. Of a large page, some of its links are known before its end."""
        random = self._node.random
        while True:
            visit, number = await self._workers.pages.get()
            await asyncio.sleep(random.random() * 0.2)
            depth = visit.link.depth + 1
            links = [found(url, depth, visit.link.url) for url in self._web.links(visit.link.url, number)]
            new = [one for one in links if one.id not in self._reported]
            self._reported.update(one.id for one in new)
            if len(new) > 2:
                batch = self._ledger.batch()
                self._ledger.schedule(batch, [new.pop()])
                self._ledger.write(batch)
                await asyncio.sleep(random.random() * 0.2)
            at = self._archive.store(visit.id)
            await asyncio.sleep(random.random() * 0.05)
            fetched = Fetched(
                visit.link.url, "", self.context.clock.wall(), b"", 200, b"", (), b"", None, 0, False, None, ANSWER
            )
            batch = self._ledger.batch()
            self._ledger.finish(
                batch, visit, Outcome.RESPONSE, fetched, Processed(links=new, location=at, title=str(number))
            )
            self._ledger.write(batch)
            self._workers.reading -= 1
            self.context.loop.pump_soon()
