"""A crawl of one engine or several, as one: whoever runs it need not know how many there are.

lay out   the databases of this many engines; rows go there if there were more or fewer before
run       engine 0 here, the others in processes of their own
end       their figures added up, one set of index files
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import Any, Final, cast

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.cores import core_count
from weft.engines.addresses import Addresses
from weft.engines.coordinator import Coordinator
from weft.engines.cpu import Cpu, beside_ours
from weft.engines.crew import Crew
from weft.engines.joined_progress import joined, parked_of
from weft.engines.messages import FromEngine, Look, Said, Stop, ToCoordinator, ToEngine, ToPart, Trouble
from weft.engines.moving import empty, is_settled, move
from weft.engines.number import engines_of, share_of
from weft.engines.part import Part
from weft.engines.part_folder import PartFolder
from weft.engines.received import Received
from weft.engines.steering import SharedSteering, with_changes
from weft.errors import BadInput, first_of
from weft.folder.databases import databases_of, open_to_read, switch
from weft.folder.items_parts import items_of, join_items
from weft.folder.layout import load_config
from weft.in_thread import in_thread
from weft.live.sightings import Sights
from weft.pipeline.config_parts import worker_slots
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.doors import Doors
from weft.pipeline.engine import Ending
from weft.pipeline.open_files import open_files_limit, share_out
from weft.pipeline.progress import Progress
from weft.pipeline.run import OpenDoors, alone, write_index_files
from weft.pipeline.steering import Steering
from weft.state import State, is_at
from weft.stats.counters import load_counters
from weft.store import Archive

PATIENCE_S: Final = 120.0  # with an engine that says nothing, once the first one has ended


class CrawlOfEngines(Crawl):
    """`create` or `resume` it, then `run`."""

    _engine: Crawl | None = None  # engine 0's, where there are several and they run
    _crew: Crew | None = None
    _looks: dict[int, Look] = {}  # noqa: RUF012 — set for each run
    _items = 0  # at the end
    _cpu_before: tuple[Cpu, ...] = ()  # of engines that have ended

    @classmethod
    def create(cls, path: Path, config: CrawlConfig, clock: Clock | None = None) -> Crawl:
        """As of any crawl; settings that several engines cannot have are refused before anything is written."""
        engines_of(config, core_count())
        return super().create(path, config, clock)

    @classmethod
    def resume(cls, path: Path, clock: Clock | None = None, **changes: Any) -> Crawl:
        """Likewise."""
        settings = {name: value for name, value in changes.items() if name in CrawlConfig.__struct_fields__}
        engines_of(msgspec.structs.replace(load_config(path), **settings), core_count())
        return super().resume(path, clock, **changes)

    async def run(self, delivery: Delivery | None = None, open_doors: OpenDoors = alone) -> Ending:
        """Crawl until nothing is left to do, a limit is reached or `stop` is called. One engine if somebody reads."""
        with ExitStack() as closing_folder:
            closing_folder.callback(self.folder.close)
            if delivery is not None and self.config.engines > 1:
                raise BadInput(f"a loop reads the pages of one engine: engines={self.config.engines} is for run()")
            engines = 1 if delivery is not None else self._number()
            share_out(open_files_limit(), self.config.connections)  # too few are told before databases are laid out
            if not await self._lay_out(engines):
                self.ending = Ending.INTERRUPTED
            elif engines == 1:
                return await super().run(delivery, open_doors)
            else:
                self.ending = await self._run_engines(engines, open_doors)
            halt = Event()
            await in_thread(self._finish, halt.is_set, halt=halt)
            return self.ending

    def _number(self) -> int:
        now = databases_of(self.folder.path)
        return engines_of(self.config, core_count(), len(now) if all(map(is_at, now)) else None)

    async def _lay_out(self, engines: int) -> bool:
        """Have the databases of this many engines; False if it was stopped before it could."""
        folder, now = self.folder.path, databases_of(self.folder.path)
        if not all(map(is_at, now)):  # a new crawl
            if engines > 1:
                paths = empty(folder, engines)
                await asyncio.gather(*(in_thread(_make, path) for path in paths))
                switch(folder, paths)
        elif len(now) != engines:
            if not await in_thread(is_settled, now):
                await self._settle(len(now))
                if not await in_thread(is_settled, now):  # stopped: what is still on its way must not be left behind
                    return False
            await in_thread(move, folder, engines)
        return True

    async def _settle(self, engines: int) -> None:
        """The run before was killed: let what was on its way arrive, and close its files."""
        if engines == 1:
            crawl = Crawl(PartFolder(self.folder.path, 0), self.config)
            crawl.stop()
            await crawl.run()
        else:
            await self._run_engines(engines, alone, settles=True)

    # ── while it runs ──────────────────────────────────────────────────────────────────────────────────

    async def _run_engines(self, engines: int, open_doors: OpenDoors, *, settles: bool = False) -> Ending:
        self._looks = {}
        self._crew = crew = Crew(self.folder.name, engines, self._hear, PATIENCE_S)
        addresses, received = shared = Addresses.make(engines), Received.make(engines)
        try:
            # Now: what a power cut took is fetched once more.
            pages_before = await in_thread(self._pages_so_far) if self.config.max_pages is not None else 0
            await crew.start(self.folder, self.config, shared, retry_failed=self._retry_failed, settles=settles)
            self._part = Part(
                0,
                engines,
                crew.sockets,
                Addresses(addresses, 0, engines),
                Received(received, 0, engines),
                self._hear_own,
                has_page_limit=self.config.max_pages is not None,
                settles=settles,
            )
            self._coordinator = Coordinator(
                self.config,
                engines,
                pages_before,
                self._send,
                lambda: self.config.paused,
                settles=settles,
            )
            self._engine = Crawl(
                PartFolder(self.folder.path, 0, self._keep_changes),
                share_of(self.config, 0, engines),
                self._clock,
                retry_failed=self._retry_failed,
            )
            self._engine.on_failure = self.on_failure
            if self._is_stopping:  # since before there were engines
                self.stop()
            ending = await self._to_end(open_doors)
        finally:
            for descriptor in shared:
                os.close(descriptor)
            await crew.close()
            self._crew = None
            self._cpu_before += tuple(one.cpu for one in crew.ended.values())
            self._looks = {}
        self.pages_per_s = self._engine.pages_per_s + sum(one.pages_per_s for one in crew.ended.values())
        own = self._engine.parked
        others = ((one.parked, one.parked_hosts) for one in crew.ended.values())
        self.parked = parked_of([(own.count, own.reasons), *others])
        self.parked_hosts = self.parked.reasons
        endings = {ending, *(Ending(one.ending) for one in crew.ended.values())}
        self._engine = None
        return _ending_of(endings)

    async def _to_end(self, open_doors: OpenDoors) -> Ending:
        """Run engine 0, and hear the others; the first error ends all of them."""
        assert self._engine is not None
        assert self._crew is not None

        def doors(context: Context) -> Doors:
            others, own = open_doors(context), self._part.doors(context)
            return msgspec.structs.replace(own, witnesses=others.witnesses, beside=(*own.beside, *others.beside))

        try:
            async with asyncio.TaskGroup() as tasks:
                listening = tasks.create_task(self._crew.listen())
                ending = await self._engine.run(open_doors=doors)
                await self._crew.outlast(listening)
        except BaseExceptionGroup as group:
            raise first_of(group) from group
        return ending

    def stop(self, ending: Ending = Ending.INTERRUPTED) -> None:
        """End the run early, in order."""
        super().stop(ending)
        if self._engine is not None:
            self._engine.stop(ending)
        if self._crew is not None:
            self._crew.tell_all(Stop(ending.value))

    def _send(self, engine: int, message: ToEngine) -> None:
        if engine:
            assert self._crew is not None
            self._crew.send(engine, message)
        elif isinstance(message, Stop):
            assert self._engine is not None
            self._engine.stop(Ending(message.ending))
        else:
            asyncio.get_running_loop().call_soon(self._part.hear, cast("ToPart", message))

    def _hear_own(self, message: FromEngine) -> None:
        asyncio.get_running_loop().call_soon(self._hear, 0, message)

    def _hear(self, engine: int, message: FromEngine) -> None:
        match message:
            case Look():
                self._looks[engine] = message
            case Trouble(line):
                self.on_failure(line)
            case Said(logger, level, words):
                logging.getLogger(logger).log(level, "%s", words)
            case _:
                self._coordinator.hear(engine, cast("ToCoordinator", message))

    def _pages_so_far(self) -> int:
        with closing(open_to_read(self.folder.path)) as state:
            return load_counters(state).pages

    def _keep_changes(self, part: CrawlConfig) -> None:
        self._keep_config(with_changes(self.config, part))

    def _keep_rate(self, rate: float | None) -> None:
        self._keep_config(msgspec.structs.replace(self.config, rate=rate))

    # ── its end ────────────────────────────────────────────────────────────────────────────────────────

    def _finish(self, is_halted: Callable[[], bool]) -> None:
        with closing(open_to_read(self.folder.path)) as state:
            self.counters = load_counters(state)
            archive = Archive(state, self.folder.archive, self._clock)
            self.left_out = write_index_files(self.folder.path, state, archive, self.config, is_halted)
            if len(parts := items_of(self.folder.path, state)) > 1:
                join_items(parts, self.folder.items)
            self._items = sum(part.count for part in parts)
        if self.ending is Ending.DONE:
            if self.parked.count and self.counters.queued:
                self.ending = Ending.LIMIT
            if not self.counters.pages:
                self.ending = Ending.SEEDS_FAILED

    # ── as others see it ───────────────────────────────────────────────────────────────────────────────

    def progress(self) -> Progress | None:
        """How it stands; None when it does not run."""
        if self._engine is None:
            return super().progress()
        if (own := self._engine.progress()) is None:
            return None
        whole = joined([own, *(look.progress for look in self._looks.values())])
        self.counters = whole.counters
        self.parked = parked_of([(whole.hosts.left, whole.parked)])
        self.parked_hosts = self.parked.reasons
        return whole

    def sights(self) -> list[Sights]:
        """What the other engines saw, for who looks on."""
        return [look.sights for look in self._looks.values()]

    @property
    def steering(self) -> Steering | None:
        """By which it is changed while it runs; None when it does not."""
        if self._engine is None or self._crew is None:
            return super().steering
        if (own := self._engine.steering) is None:
            return None
        return SharedSteering(own, len(self._crew.pids) + 1, self._crew.tell_all, self._keep_rate)

    @property
    def items(self) -> int:
        """How many functions have made."""
        if self._engine is None:
            return super().items or self._items
        return self._engine.items + sum(look.items for look in self._looks.values())

    @property
    def under_way(self) -> int:
        """Requests at this moment."""
        if self._engine is None:
            return super().under_way
        others = (look.progress for look in self._looks.values())
        return self._engine.under_way + sum(one.visiting + one.asking for one in others)

    def cpu_of_other_engines(self) -> tuple[float, float]:
        """What the CPU of this process and its children leaves out, or counts as their workers'."""
        now = self._crew.ended if self._crew is not None else {}
        ended = (*self._cpu_before, *(one.cpu for one in now.values()))
        cpu = beside_ours(ended, (look.cpu for engine, look in self._looks.items() if engine not in now))
        return cpu.engine_s, cpu.workers_s

    @property
    def engine_pids(self) -> list[int]:
        """The processes of the engines."""
        return [*super().engine_pids, *(self._crew.pids if self._crew is not None else ())]

    @property
    def worker_slots(self) -> int:
        """How many further processes there may be: parse workers, and engines."""
        return worker_slots(self.config) + (len(self._crew.pids) if self._crew is not None else 0)


def _make(path: Path) -> None:
    State(path).close()


def _ending_of(endings: set[Ending]) -> Ending:
    """Of all engines: one that found no page says nothing of the others."""
    for ending in (Ending.INTERRUPTED, Ending.LIMIT):
        if ending in endings:
            return ending
    return Ending.DONE
