"""An engine's part in a crawl of several: the doors by which its run takes part (`pipeline.doors`).

Owner     whose are these links? Those of others go to their outboxes, in the same batch
Consent   nothing begins before all engines are there; the run ends when all have nothing to do
Limits    pages, as far as they are granted
beside    what comes from the other engines, and what goes to them
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from weft.crash_points import crash_point
from weft.engines.addresses import Addresses
from weft.engines.asking import Asking
from weft.engines.channel import Channel
from weft.engines.grants import Granted
from weft.engines.messages import (
    Answer,
    Answered,
    Ask,
    BetweenEngines,
    End,
    FromEngine,
    GiveBack,
    Go,
    Grant,
    Links,
    Now,
    OutboxRow,
    Probe,
    Ready,
    Taken,
    ToPart,
)
from weft.engines.number import MOST_ENGINES
from weft.engines.outbox import Outbox, decode_row
from weft.engines.peer import Peer
from weft.engines.received import Received
from weft.engines.told import Told
from weft.order import order_named
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.halts import Halt
from weft.pipeline.messages import AddSeed
from weft.state import Batch
from weft.state.several import Runs
from weft.store.archive import FileNumbers
from weft.types import Fetched, FoundLink, Kind, Link, PageRow
from weft.url import bucket_of, host_of

SEND_EVERY_S: Final = 0.1  # what was found for others goes out together: each message is a commit there …
LOOK_EVERY_S: Final = 0.025  # … but not while there is nothing else to do
SYNC_AFTER_S: Final = 1.0  # that links which came are safe on disk is told so late, while there is other work


class Part:
    """One engine among several."""

    news: Callable[[FoundLink], None] | None = None  # nobody hears of our own links

    def __init__(
        self,
        number: int,
        engines: int,
        sockets: Mapping[int, socket.socket],
        addresses: Addresses,
        received: Received,
        tell: Callable[[FromEngine], None],
        *,
        has_page_limit: bool,
        settles: bool = False,
    ) -> None:
        self._number = number
        self._runs = Runs(engines)
        self._sockets = sockets  # one to each other engine
        self._addresses = addresses
        self._received = received
        self._tell = tell  # engine 0
        self._has_page_limit = has_page_limit
        self._settles = settles  # no request begins: only what was on its way arrives
        self._rows = {other: OutboxRow([], []) for other in sockets}  # of the batch that is being filled
        self._channels: dict[int, Channel] = {}
        self._told = Told()
        self._asking = Asking()
        self._may_begin = False
        self._has_ended = False
        self._is_idle = False  # the engine has nothing to do
        self._has_arrived = asyncio.Event()  # links that are not known to be safe
        self._last_now = Now()

    def doors(self, context: Context) -> Doors:
        """What a run is given."""
        self._context = context
        state = context.state
        self.peers = {other: Peer(Outbox(state, other)) for other in self._sockets}
        self.granted = Granted(
            context.counters,
            has_limit=self._has_page_limit,
            ask=self._ask_for_pages,
            max_bytes=context.config.max_bytes,
            received=self._received.by_all,
        )
        return Doors(
            owner=self,
            consents=(self,),
            limits=self.granted,
            order=order_named(context.config.order),
            beside=(self._live,),
            file_numbers=FileNumbers(self._number, MOST_ENGINES),
        )

    # ── whose are these links? ─────────────────────────────────────────────────────────────────────────

    def begin(self, inside: Inside) -> None:
        """A run begins: all seeds make the scope, whoever visits them."""
        self._inside = inside
        inside.frontier.gates.sharing = self._addresses
        inside.widen(self._context.config.seeds)

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """Those of our buckets; the others are to be sent, each once a depth."""
        of_bucket, number, is_news, guess = self._runs.of_bucket, self._number, self._told.is_news, Kind.GUESS
        ours = []
        for one in found:
            if (owner := of_bucket(one.id)) == number:
                ours.append(one)
            elif is_news(one.id, one.link.depth, is_guess=one.link.kind is guess):
                self._rows[owner].found.append(one)
        return ours

    def widens(self, seeds: Iterable[str]) -> Iterable[str]:
        """The scope grows here at once, and in the other engines when they hear of it."""
        new = list(seeds)
        for row in self._rows.values():
            row.scope.extend(new)
        return new

    def queued_again(self, link: Link) -> None:
        """It is ours to know."""

    def came_nearer(self, page: PageRow, depth: int) -> None:
        """Likewise."""

    def lost(self, url_ids: Iterable[bytes]) -> None:
        """Likewise: what was found on these pages is told all the same, and is known when they are fetched again."""

    async def asks_for_delay(self, host: str, delay_s: float) -> None:
        """Nobody else asks this host."""

    async def fetched_elsewhere(self, url: str) -> Fetched | None:
        """A robots.txt to which another redirects is fetched by the engine that has its host."""
        owner = self._runs.of_bucket(bucket_of(host_of(url)))
        return None if owner == self._number else await self._asking.ask(self._channels[owner].send, url)

    def seal(self, batch: Batch) -> None:
        """Last before the write."""
        for other, row in self._rows.items():
            if row:
                self.peers[other].put(batch, row)
                self._rows[other] = OutboxRow([], [])

    def settle(self) -> None:
        """The batch is written."""
        for peer in self.peers.values():
            peer.settle()

    # ── what may begin, and when it is over ────────────────────────────────────────────────────────────

    def halt(self) -> Halt | None:
        """Why no request may begin now."""
        self._is_idle = False
        return None if self._may_begin else Halt.ENGINES

    def may_end(self) -> bool:
        """Whether all engines have come to the end. Whoever asks has nothing to do."""
        self._is_idle = self._may_begin
        return self._has_ended

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to do, and everything is with who must know it."""
        return self._is_quiet and all(peer.is_empty for peer in self.peers.values())

    @property
    def _is_quiet(self) -> bool:
        return self._settles or (self._is_idle and not self._context.loop.pump_is_due)

    def hear(self, message: ToPart) -> None:
        """Engine 0's word."""
        match message:
            case Go():
                self._may_begin = True
            case Grant(pages):
                self.granted.more(pages)
            case Probe(number):
                peers = self.peers.values()
                sent, received = sum(peer.sent for peer in peers), sum(peer.received for peer in peers)
                is_idle = self.is_idle
                if not is_idle:
                    self._last_now = Now()  # engine 0 takes it for busy now: being idle again will be news
                self._tell(Answer(number, is_idle, sent, received))
                return
            case End(is_limit):
                self._has_ended = True
                self.granted.is_over = is_limit
        self._context.loop.pump_soon()

    def _ask_for_pages(self) -> None:
        asyncio.get_running_loop().call_soon(self._tell_now)

    def _tell_now(self) -> None:
        """Tell engine 0 how it stands, if that has changed."""
        is_idle, granted = self.is_idle, self.granted
        if is_idle and (unused := granted.give_back()):
            self._tell(GiveBack(unused))
        is_limited = self._context.config.max_bytes is not None
        received = self._context.counters.bytes if is_limited else 0  # else it would be news all the time
        now = Now(is_idle, granted.is_at_limit, granted.wants, granted.used, received)
        if now != self._last_now:
            self._last_now = now
            self._tell(now)

    # ── from and to the other engines ──────────────────────────────────────────────────────────────────

    async def _live(self) -> None:
        for other, ours in self._sockets.items():
            self._channels[other] = await Channel.open(ours, BetweenEngines)
        self._tell(Ready())
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._acknowledge())
                for other, channel in self._channels.items():
                    tasks.create_task(self._read(other, channel))
                while True:
                    if self._asking.is_asked:
                        self._context.loop.pump_soon()  # at a limit nobody else does when a host has rested
                    self._send()
                    self._tell_now()
                    await asyncio.sleep(LOOK_EVERY_S if self._is_quiet else SEND_EVERY_S)
        finally:
            self._asking.close()
            for channel in self._channels.values():
                channel.close()

    def _send(self) -> None:
        for other, peer in self.peers.items():
            channel = self._channels[other]
            while not channel.is_full and (links := peer.next()) is not None:
                channel.send(links)

    async def _read(self, other: int, channel: Channel) -> None:
        """What another engine says, until it ends or dies: engine 0 sees to that."""
        async for message in channel.messages():
            match message:
                case Links(last, rows):
                    self._arrive(rows)
                    self.peers[other].received += len(rows)
                    self.peers[other].applied = last
                    self._has_arrived.set()
                case Taken(last):
                    self.peers[other].taken(last)
                case Ask():
                    self._asking.asked(message, channel.send, self._inside.preparations.robots_for_others)
                case Answered():
                    self._asking.answered(message)

    def _arrive(self, rows: Iterable[bytes]) -> None:
        """Links of ours that another engine has found: new unless they are known."""
        ledger = self._inside.ledger
        decoded = [decode_row(row) for row in rows]
        self._inside.widen(seed for row in decoded for seed in row.scope)
        batch = ledger.batch()
        widening = ledger.arrive(batch, (found for row in decoded for found in row.found))
        crash_point("engine-arrived")
        ledger.write(batch)
        for seed in widening:
            self._inside.workers.pool.broadcast(AddSeed(seed))
        self._is_idle = False
        self._context.loop.pump_soon()

    async def _acknowledge(self) -> None:
        """What came is told to be safe once it survives a power cut: then its sender forgets it."""
        while True:
            await self._has_arrived.wait()
            self._has_arrived.clear()
            waited_s = 0.0
            while not self._is_quiet and waited_s < SYNC_AFTER_S:
                await asyncio.sleep(LOOK_EVERY_S)
                waited_s += LOOK_EVERY_S
            applied = {other: peer.applied for other, peer in self.peers.items()}
            await self._inside.archive.sync()
            crash_point("engine-synced")
            for other, last in applied.items():
                peer = self.peers[other]
                if last > peer.told:
                    peer.told = last
                    self._channels[other].send(Taken(last))
