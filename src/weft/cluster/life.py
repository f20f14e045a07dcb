"""One life of a node: a run of the engine that takes part in a cluster.

    renew        the node's entry, and with it the lease: without it nothing is sent
    watch        the table and the other nodes: which buckets to take and to give up; the first by name writes it, too
    read         what comes in each stream, and the replay of buckets that were taken
    publish      what was found and done, in windows

Whatever goes wrong for good ends the life: what is not told yet is in the outbox, and the next one begins with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from weft.cluster.conductor import Conductor
from weft.cluster.deeds import Deeds
from weft.cluster.ending import Probes
from weft.cluster.errands import Errands
from weft.cluster.events import HostNote, LogDamaged
from weft.cluster.grants import PageGrants
from weft.cluster.holdings import Holdings, Shares, Stage
from weft.cluster.lease import Lease, LifeOver, boot_time_s
from weft.cluster.log import STREAMS, Log
from weft.cluster.members import Counts, Member, Members, new_life, number_of
from weft.cluster.outbox import Outbox
from weft.cluster.publisher import MOST_LINKS, Publisher
from weft.cluster.reach import Reach
from weft.cluster.reading import Reading
from weft.cluster.shared import AWAY, Changed, Settings, Shared
from weft.cluster.table import Table
from weft.cluster.taking import Taking
from weft.cluster.view import View, wipe_all
from weft.crash_points import crash_point
from weft.errors import BadInput
from weft.order import order_named
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.halts import Halt
from weft.seen import Seen

LOOK_EVERY_S: Final = 1.0  # at the table
GIVE_UP_LOOK_S: Final = 0.1
WINDOWS_UNTOLD: Final = 2  # then nothing begins


class Identity(msgspec.Struct, frozen=True):
    """Who a node is, in all of its lives."""

    name: str
    folder: str  # the id of its folder
    weight: int = 100
    address: str = ""


class Life:
    """From the outbox that an earlier life left to the last release."""

    def __init__(
        self,
        identity: Identity,
        settings: Settings,
        log: Log,
        shared: Shared,
        table: Table,
        ends: list[int],
        stop: Callable[[], None],
        errands: Errands | None = None,
        now_s: Callable[[], float] = boot_time_s,
    ) -> None:
        self._identity = identity
        self._settings = settings
        self._log = log
        self._shared = shared
        self.table = table
        self._stop = stop  # ends the run
        self._errands = errands
        self._now_s = now_s
        self.id = new_life(0)  # until it is born
        self.lease = Lease(settings.lease_s, now_s)
        self.members = Members(settings.lease_s)
        self._probes = Probes(STREAMS)
        self._leaves = False
        self._is_idle = False  # the engine has nothing to do
        self._flush_now = asyncio.Event()
        self._revision = 0
        self._was_away = False
        self._has_ended = False
        self._entry = asyncio.Lock()  # who writes the node's entry knows what was last written
        self._first_ends = ends  # of the streams

    # ── as the engine sees it ──────────────────────────────────────────────────────────────────────────

    def doors(self, context: Context) -> Doors:
        """What a run is given; its rows are taken away first, as the log tells them again."""
        self._context = context
        self._reach = Reach(context.state, self._log, self.table.streams)
        self._reach.check(self._first_ends)
        batch = context.state.batch()
        wipe_all(batch)
        context.state.write(batch)
        context.counters.seen = context.counters.queued = 0
        self._pages_before = context.counters.pages
        self._sent = Seen(context.state, is_new_crawl=True, family="sent")
        self._shares = Shares(self._settings.buckets)
        self.holdings = Holdings(self._shares, Outbox(context.state, self._now_s), self._sent)
        self.holdings.on_begin = self._begin
        self.holdings.on_delay = self._tell_delay
        if self._errands is not None:
            self._errands.holdings = self.holdings
            self.holdings.on_redirect = self._errands.ask
        self.grants = PageGrants(self._settings.config.max_pages, self._shared, context)
        self.grants.is_idle = lambda: self.is_idle
        return Doors(
            owner=self.holdings,
            witnesses=(self.holdings,),
            consents=(self,),
            limits=self.grants,
            order=order_named(context.config.order),
            beside=(self._live,),
            label=self._identity.name,
        )

    def _begin(self, inside: Inside) -> None:
        self._inside = inside
        self._view = View(inside, self._shares, self._sent)
        inside.fetcher.may_send = self.lease.holds
        inside.frontier.residents.give_up(b"\0\0", b"\xff\xff")
        inside.frontier.holds.on_rest = self._tell_rest
        self._publisher = Publisher(
            self._log, self.holdings.outbox, lambda: self._deeds, inside.archive.sync, self._write_row,
            self._reach.keep,
        )  # fmt: skip
        self._deeds = Deeds(self._log, self._identity.name, self.id, is_rest=True)
        self._keep_to_table()

    def halt(self) -> Halt | None:
        """Why no request may begin now."""
        self._is_idle = False
        if not self.lease.holds():
            return Halt.LEASE
        if self.table.paused or self.table.stopped or self._leaves or self.table.finished:
            return Halt.PAUSED
        return Halt.LOG if self.holdings.outbox.links >= WINDOWS_UNTOLD * MOST_LINKS or self._is_late() else None

    def may_end(self) -> bool:
        """Whether all nodes have come to the end. Whoever asks has nothing to do."""
        self._is_idle = True
        return self._has_ended

    def _is_late(self) -> bool:
        return self.holdings.outbox.untold_s() > WINDOWS_UNTOLD * self.table.window_s

    def leave(self) -> None:
        """Give up everything, then end."""
        self._leaves = True
        self._pump()

    def _pump(self) -> None:
        self._context.loop.pump_soon()

    def _tell_rest(self, host: str, seconds: float) -> None:
        if seconds > self.lease.lease_s:
            note = HostNote(host, rest_s=seconds, since=self._context.clock.wall())
            if self.holdings.note_host(note) is not None:
                self._flush_now.set()

    async def _tell_delay(self, host: str, delay_s: float) -> None:
        """A host's own delay is in the log before its first page is asked for: whoever takes it over keeps to it."""
        if self.holdings.note_host(HostNote(host, delay_s=delay_s)) is not None:
            await self._publisher.flush()

    def _hear_news(self) -> None:
        self._is_idle = False
        self._pump()

    def _write_row(self) -> None:
        """What is noted of a host has no commit of its own, and the next one may come too late."""
        if self.holdings.has_row:
            self._inside.ledger.write(self._inside.ledger.batch())

    # ── its course ─────────────────────────────────────────────────────────────────────────────────────

    async def _live(self) -> None:
        await self._publisher.flush()  # under the claims of the life before, where nobody has taken these
        crash_point("cluster-restarting")
        await self._be_born()
        self._deeds = Deeds(self._log, self._identity.name, self.id)
        held = self.holdings.held
        self._reading = Reading(self._log, held, self._view, self._probes, self._hear_news)
        self._conductor = Conductor(
            self.id, self._settings, self._log, self._shared, self.members, self.grants, self._now_s
        )
        self._taking = Taking(
            self._log, self._deeds, held, self._view, self._publisher, self.members, self.lease, self._pump
        )
        await self._reading.learn_scope()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._renew())
            tasks.create_task(self._abandon_late())
            tasks.create_task(self._watch())
            tasks.create_task(self._follow())
            tasks.create_task(self._publish())
            if self._errands is not None:
                tasks.create_task(self._errands.serve(self._inside.preparations.robots_for_others))
            tasks.create_task(self.grants.keep(self.id, self.members.living))
            for stream in range(STREAMS):
                tasks.create_task(self._reading.read(stream))

    async def _be_born(self) -> None:
        """Write this life into the node's entry; the one before is over by that."""
        while True:
            sent_at_s = self._now_s()
            try:
                before = await self._shared.member(self._identity.name)
                revision = before[0] if before else 0
                if before and before[1].folder != self._identity.folder and not before[1].is_over:
                    raise BadInput(f"a node named {self._identity.name} lives elsewhere; --name gives this one another")
                if before:
                    await self.grants.take_back([before[1]])
                self.id = new_life(number_of(before[1].life) + 1 if before else 1)
                self._revision = await self._shared.write_member(self._identity.name, self._member(), revision)
            except (Changed, *AWAY):
                await asyncio.sleep(LOOK_EVERY_S)
            else:
                self.lease.renewed(sent_at_s)
                return

    def _member(self) -> Member:
        counters, outbox = self._context.counters, self.holdings.outbox
        is_idle = self.is_idle
        return Member(
            life=self.id,
            folder=self._identity.folder,
            weight=self._identity.weight,
            address=self._identity.address,
            leaves=self._leaves,
            buckets=sum(one.stage is Stage.OWNED for one in self.holdings.held.values()),
            is_idle=is_idle,
            heard=self._probes.heard_everywhere if is_idle else None,
            used=counters.pages - self._pages_before,
            is_at_limit=self.grants.is_waiting and not self._inside.workers.unfinished(),
            counts=Counts(
                counters.pages, counters.requests, counters.queued, self._view.received, self._publisher.sent,
                outbox.rows, counters.bytes,
            ),
            sent_to=dict(self.holdings.sent_to),
        )  # fmt: skip

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to do, and everything has been told."""
        wanted = self.table.wanted_by(self._identity.name)
        held = self.holdings.held
        return (
            self._is_idle
            and self._publisher.is_idle
            and held.keys() == wanted
            and all(one.stage is Stage.OWNED for one in held.values())
        )

    async def _renew(self) -> None:
        while not self._has_ended:
            sent_at_s = self._now_s()
            try:
                async with self._entry:
                    if not self._has_ended:
                        await self._write_entry()
            except AWAY:
                self._was_away = True
                await asyncio.sleep(GIVE_UP_LOOK_S)
                continue
            had_ended = not self.lease.holds()
            self.lease.renewed(sent_at_s)
            if had_ended:
                self._pump()
            await asyncio.sleep(self.lease.renew_every_s / (4 if self._is_idle else 1))

    async def _write_entry(self, *, is_over: bool = False) -> None:
        """Write what this life is; again if the acknowledgement of the time before was lost."""
        while True:
            member = msgspec.structs.replace(self._member(), is_over=is_over)
            try:
                self._revision = await self._shared.write_member(self._identity.name, member, self._revision)
                return
            except Changed:
                await self._look_at_own_entry()

    async def _look_at_own_entry(self) -> None:
        entry = await self._shared.member(self._identity.name)
        if entry is None or entry[1].life != self.id or entry[1].is_over:
            self.lease.end()
            raise LifeOver("other nodes have taken this one for dead")
        self._revision = entry[0]  # a renewal whose acknowledgement was lost

    async def _abandon_late(self) -> None:
        """When the lease has ended, what is under way is given up."""
        while True:
            await asyncio.sleep(max(GIVE_UP_LOOK_S, self.lease.left_s()))
            if not self.lease.holds():
                self._inside.fetcher.abandon()

    # ── the table ──────────────────────────────────────────────────────────────────────────────────────

    async def _watch(self) -> None:
        looks_s = 0.0
        while True:
            try:
                revision, table = await self._shared.table()
                if looks_s <= 0.0 or self._is_idle:
                    self.members.see(await self._shared.members(), self._now_s())
                    ends = await self._reach.ends()
                    looks_s = self.lease.renew_every_s
                    if self._was_away:
                        self._was_away = False
                        self.members.reconnected(self._now_s())
                    await self._conductor.bury(self._identity.name)
                    if next(iter(self.members.living()), None) == self._identity.name:
                        table = await self._conductor.conduct(revision, table, ends)
            except AWAY:
                self._was_away = True
                await asyncio.sleep(GIVE_UP_LOOK_S)
                continue
            self._adopt_table(table)
            await asyncio.sleep(LOOK_EVERY_S)
            looks_s -= LOOK_EVERY_S

    async def _follow(self) -> None:
        """Take and give up what the table says; that may last, so that nobody else waits for it."""
        while True:
            wanted = set() if self._is_ending else self.table.wanted_by(self._identity.name)
            await self._taking.follow(wanted, keeps_rows=self._is_ending)
            self._reading.replay_taken()
            if self._is_ending and not self.holdings.held:
                await self._end()
            await asyncio.sleep(GIVE_UP_LOOK_S)

    def _adopt_table(self, table: Table) -> None:
        if table == self.table:
            return
        if self.table.streams and table.streams != self.table.streams:
            raise LogDamaged("the crawl's log was made again; `weft cluster rebuild` makes it whole")
        self.table = table
        self._keep_to_table()
        self._pump()

    def _keep_to_table(self) -> None:
        """Know the owners that the table names, and ask no more of addresses than this node's share."""
        table = self.table
        self.holdings.owner_of = table.owner
        share = max(1, len(table.wanted_by(self._identity.name))) / table.buckets
        self._inside.frontier.gates.share(share)
        if rate := self._settings.config.rate:
            self._inside.pace.share(rate * share)

    @property
    def _is_ending(self) -> bool:
        return self._leaves or self.table.stopped or bool(self.table.finished)

    async def _end(self) -> None:
        """Nothing is held any more: say so, and let the engine end."""
        await self._publisher.flush()
        async with self._entry:
            with suppress(LifeOver, *AWAY):  # else its lease ends by itself
                await self._write_entry(is_over=True)
            self.lease.end()
            self._has_ended = True
        self.grants.is_over = self.table.finished == "limit"
        if self.table.finished:
            self._pump()
        else:
            self._stop()
        await asyncio.Event().wait()  # until the engine has ended

    # ── the log ────────────────────────────────────────────────────────────────────────────────────────

    async def _publish(self) -> None:
        outbox = self.holdings.outbox
        while True:
            waited_s = 0.0
            while waited_s < self.table.window_s and outbox.links < MOST_LINKS:
                if self._flush_now.is_set() or (self._is_idle and outbox.rows):
                    break
                await asyncio.sleep(GIVE_UP_LOOK_S)
                waited_s += GIVE_UP_LOOK_S
            self._flush_now.clear()
            await self._publisher.flush()
            self._pump()  # what waited for the log
