"""One run of a crawl: its parts, put together and driven to their end.

network ──▶ preparer ─────────────┐
archive, seen, frontier ──▶ ledger ──▶ permission, rests ──▶ visits, preparations ──▶ engine
└──▶ relaxer ──▶ commits ◀── workers ◀── visits
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import msgspec

from weft._version import __version__
from weft.clock import Clock
from weft.config import CrawlConfig, user_agent
from weft.crash_points import crash_point
from weft.errors import first_of
from weft.filter import FilterChain, Stage, load_filter
from weft.folder.crawl_log import CrawlLog
from weft.folder.layout import CrawlFolder
from weft.folder.page_rows import encoded_pages_in, sides_in
from weft.folder.refused_list import write_refused
from weft.frontier import Frontier
from weft.in_thread import in_thread
from weft.order import LearningOrder, ScoringOrder, guarded, order_named
from weft.order.link_rank import LinkRank
from weft.pipeline.balancing import FIRST_LOOK_UPS, FIRST_SLOTS, FIRST_WORKERS, MOST_LOOK_UPS, Balancing
from weft.pipeline.beginning import bring_up_to_date
from weft.pipeline.commits import Commits
from weft.pipeline.config_parts import manners_of, worker_slots
from weft.pipeline.context import Context
from weft.pipeline.cookie_rows import CookieRows
from weft.pipeline.delivery import Delivery
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.engine import Ending, Engine
from weft.pipeline.hook_calls import hooks_of
from weft.pipeline.ledger import Ledger
from weft.pipeline.link_rows import LinkKeeper
from weft.pipeline.messages import Setup
from weft.pipeline.network import Network
from weft.pipeline.open_files import FileShares
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.permission import Permission
from weft.pipeline.preparations import Preparations
from weft.pipeline.prepare import Preparer
from weft.pipeline.progress import Progress, RobotsFigures, rests_of, states_and_rate, waits_of
from weft.pipeline.ranking import Ranking
from weft.pipeline.readmission import Readmission
from weft.pipeline.refusals import NO_ROBOTS
from weft.pipeline.relax import Relaxer
from weft.pipeline.reordering import Reordering
from weft.pipeline.rests import Rests
from weft.pipeline.scoring import Scoring
from weft.pipeline.steering import Steering
from weft.pipeline.stock import StockTaking
from weft.pipeline.visits import Visits
from weft.pipeline.warc_slots import WarcSlots
from weft.pipeline.work import Work
from weft.seen import Seen
from weft.state import State
from weft.stats import Counters
from weft.stats.counters import load_counters
from weft.stats.figures import LeftOut
from weft.store import Archive, NoArchive, OpenFile, write_index

if TYPE_CHECKING:
    from weft.pipeline.hooks import Hooks

SYNC_EVERY_S = 1.0

OpenDoors = Callable[[Context], Doors]


class Run:
    """From an open database to the index files."""

    def __init__(
        self,
        folder: CrawlFolder,
        config: CrawlConfig,
        clock: Clock,
        state: State,
        log: CrawlLog,
        shares: FileShares,
        open_doors: OpenDoors,
        keep: Callable[[CrawlConfig], None],
    ) -> None:
        settings, config = config, msgspec.structs.replace(config, connections=shares.connections)
        self.context = context = Context(config, clock, state, load_counters(state), log)
        self._folder = folder
        doors = open_doors(context)
        self.counters: Counters = context.counters
        archive_type = NoArchive if config.archive == "none" else Archive
        self.archive = archive = archive_type(
            state, folder.archive, clock, config.warc_bytes, doors.label, doors.file_numbers, folder.items
        )
        self._seen = seen = Seen(state, is_new_crawl=not context.counters.seen)
        self.frontier = frontier = Frontier(
            state,
            clock,
            (order := guarded(doors.order)).rank,
            manners_of(config),
            sequence=context.counters.sequence,
            moves=isinstance(order, LearningOrder | ScoringOrder),
            patience=config.patience,
        )
        scoring: Scoring | None = None
        keeps_links = config.graph or config.links
        if isinstance(order, ScoringOrder):
            scoring = Scoring(order, frontier, context.counters, keeps_graph=keeps_links)
        if isinstance(order, LearningOrder):
            doors = msgspec.structs.replace(doors, witnesses=(*doors.witnesses, Reordering(order, frontier)))
        if keeps_links and scoring is None:
            doors = msgspec.structs.replace(doors, witnesses=(*doors.witnesses, LinkKeeper()))
        look_ups = MOST_LOOK_UPS if config.fixed else FIRST_LOOK_UPS
        self._network = network = Network.open(config, clock, shares, folder.spool, look_ups)
        self._cookies: CookieRows | None = None
        if network.fetcher.cookies is not None:
            self._cookies = CookieRows(state, network.fetcher.cookies)
            doors = msgspec.structs.replace(doors, witnesses=(*doors.witnesses, self._cookies))
        self._preparer = preparer = Preparer(context, network, doors.owner)
        robots = NO_ROBOTS if preparer.robots.is_ignored_everywhere() else preparer
        self.ledger = ledger = Ledger(
            context, seen, frontier, archive, doors, robots, network.fetcher.cookies_for, scoring
        )
        files = WarcSlots(archive, self._setup)
        self.workers: ParseWorkers[Work] = ParseWorkers(files, folder.worker_log, worker_slots(config), clock)
        relaxer = Relaxer(ledger, archive, self.workers, has_functions=bool(config.extractors))
        self._commits = Commits(context, ledger, relaxer, self.workers, network.budget)
        rests = Rests(frontier, preparer, wait_scale=config.retry_wait_scale)
        self._readmission = readmission = Readmission(state, ledger)
        filters = FilterChain(map(load_filter, config.filters)).at(Stage.FETCH)
        permission = Permission(config, preparer, ledger, filters)
        self._hooks = hooks = _hooks(context, folder)
        self._visits = visits = Visits(
            context, doors, ledger, frontier, permission, network, rests, self.workers, hooks
        )
        self.steering = Steering(context, settings, frontier, ledger, visits.pace, network.fetcher, self.workers, keep)
        doors = msgspec.structs.replace(doors, consents=(*doors.consents, self.steering))
        doors = self._logging_in(doors)
        self._preparations = preparations = Preparations(
            context, doors.owner, ledger, frontier, preparer, readmission, rests, self.workers
        )
        self.engine = Engine(context, doors, frontier, preparations, visits, relaxer, self.workers, network.budget)
        self._balancing: Balancing | None = None
        if not config.fixed:
            self.engine.slots = min(FIRST_SLOTS, config.connections)
            self.workers.pool.resize(FIRST_WORKERS)
            self._balancing = Balancing(context, network, self.engine, visits, preparations, self.workers)
        self._stock = StockTaking(context.counters, seen, clock)
        self._beside, self._owner = doors.beside, doors.owner
        if isinstance(order, LinkRank):
            ranking = Ranking(order.by, folder.database, ledger, frontier)
            self._beside = (*self._beside, ranking.keep_ranked)
        self._owner.begin(
            Inside(state, seen, frontier, ledger, archive, network.fetcher, self.workers, visits.pace, preparations)
        )
        self.left_out: list[LeftOut] = []  # by reason and rule, at the end

    def _logging_in(self, doors: Doors) -> Doors:
        """Nothing begins before the login, if there is to be one."""
        if not self.context.config.login:
            return doors
        from weft.pipeline.login import Login  # only then: it brings the HTML parser

        assert self._cookies is not None, "who logs in keeps cookies"
        login = Login(self.context, self._network, self.ledger, self._cookies, self.workers)
        return msgspec.structs.replace(doors, consents=(*doors.consents, login), beside=(*doors.beside, login.run))

    async def drive(
        self,
        *,
        update: bool,
        retries: bool,
        on_second: Callable[[int, float], None],
        on_crawled: Callable[[Ending], Awaitable[None]],
    ) -> Ending:
        """Crawl to the end; then say so, and write the index files."""
        try:
            bring_up_to_date(
                self.context, self._owner, self.ledger, self.archive, self._readmission, update=update, retries=retries
            )
            ending = await self._among_tasks(on_second)
        finally:
            if self._hooks is not None:
                self._hooks.close()
            await self._network.close()
        has_ended = ending is Ending.DONE or (ending is Ending.LIMIT and not self.frontier.has_work())
        if has_ended and not self.counters.pages:
            ending = Ending.SEEDS_FAILED
        await on_crawled(ending)
        self._folder.remove_leftover_spools()
        self._stock.take()
        self.counters.workers_died += self.workers.pool.deaths
        self.archive.retire_all()
        if self.frontier.places is not None:
            self.frontier.places.fold()
        batch = self.ledger.batch()
        if self._cookies is not None:
            self._cookies.seal(batch)
        self.ledger.write(batch)
        await self.archive.sync()
        self.context.state.begin_to_close()
        crash_point("index")
        if not self._folder.is_part:
            halt = Event()
            self.context.log.flush()
            syncing = asyncio.create_task(in_thread(self.context.log.sync))  # else who closes it waits for the disk
            try:
                await in_thread(self._write_index, halt.is_set, halt=halt)
            finally:
                await syncing
        return ending

    async def _among_tasks(self, on_second: Callable[[int, float], None]) -> Ending:
        """Run the engine among the tasks that keep it going; the first error of any of them ends all."""
        max_time_s = self.context.config.max_time_s
        try:
            async with asyncio.TaskGroup() as tasks:
                background = [tasks.create_task(self.workers.run(self._commits, self._visits.hung))]
                background.append(tasks.create_task(self._keep_safe(on_second)))
                background.append(tasks.create_task(self._seen.rebuild_filter()))
                if self._balancing is not None:
                    background.append(tasks.create_task(self._balancing.keep_balanced()))
                if max_time_s is not None:
                    background.append(tasks.create_task(self._stop_after(max_time_s)))
                background += [tasks.create_task(task()) for task in self._beside]
                ending = await self.engine.run(tasks)
                for task in background:
                    task.cancel()
        except BaseExceptionGroup as group:
            raise first_of(group) from group
        finally:
            await self.workers.pool.close()
        return ending

    async def _keep_safe(self, on_second: Callable[[int, float], None]) -> None:
        """Every second or so: make what is committed survive a power cut, and end a stop that hangs."""
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            self.engine.end_if_late()
            self._stock.take()
            self.context.log.flush()
            on_second(self.counters.queued, self._stock.pages_per_s())
            await self.archive.sync()

    async def _stop_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.engine.stop(Ending.LIMIT)

    def pages_per_s(self) -> float:
        """Of this run, so far."""
        return self._stock.pages_per_s()

    def progress(self) -> Progress:
        """How it stands now."""
        now = self.context.clock.monotonic()
        hosts, polite_rate = states_and_rate(self.frontier, now)
        return Progress(
            counters=self.counters,
            hosts=hosts,
            halt=self.engine.halts.now,
            visiting=len(self._visits),
            asking=self._preparations.asking,
            slots=self.engine.slots,
            preparing=len(self._preparations),
            parsing=self.workers.unfinished(),
            workers=self.workers.pool.active,
            worker_pids=self.workers.pool.pids(),
            body_bytes=self._network.budget.used_bytes,
            most_body_bytes=self._network.budget.limit_bytes,
            balance=self._balancing.decisions if self._balancing is not None else [],
            readings=self._balancing.readings if self._balancing is not None else [],
            period_s=self._balancing.period_s if self._balancing is not None else 0.0,
            dns=self._network.resolver.statistics(),
            robots=RobotsFigures(self._preparations.asked, self._preparer.rules_known),
            waiting=waits_of(self.frontier, now),
            rests=rests_of(self.frontier, now),
            polite_rate=polite_rate,
            parked=self.frontier.parked.reasons,
            workers_died=self.counters.workers_died + self.workers.pool.deaths,
        )

    def _setup(self, file: OpenFile) -> Setup:
        config = self.context.config
        info = {
            "software": f"weft/{__version__} (Python {platform.python_version()})",
            "format": "WARC File Format 1.1",
            "robots": "ignore" if config.ignore_robots else "obey",
            "http-header-user-agent": user_agent(config),
            "hostname": platform.node(),
        }
        if config.operator:
            info["operator"] = config.operator
        return Setup(config, self.ledger.scope.seeds, file, info, self.ledger.sessions.rules.all())

    def _write_index(self, is_halted: Callable[[], bool]) -> None:
        context = self.context
        self.left_out = write_index_files(self._folder.path, context.state, self.archive, context.config, is_halted)


def write_index_files(
    folder: Path, state: State, archive: Archive, config: CrawlConfig, is_halted: Callable[[], bool]
) -> list[LeftOut]:
    """A run has ended: make the files that tell of all of the crawl; what was left out, by reason and rule."""
    keeps_archive = config.archive != "none"
    rows, sides = encoded_pages_in(state), sides_in(state)
    write_index(folder, rows, sides, archive.name_of, has_captures=keeps_archive, is_halted=is_halted)
    return write_refused(folder / "refused.jsonl", state, config.max_pages_per_host, is_halted)


def _hooks(context: Context, folder: CrawlFolder) -> Hooks | None:
    if not (functions := hooks_of(context.config)):
        return None
    from weft.pipeline.hooks import Hooks  # only then: it brings the HTML parser, which the engine can do without

    return Hooks(context.config, functions, context.counters, folder.hook_log)


def alone(context: Context) -> Doors:
    """The doors of a crawl on one machine."""
    return Doors(order=order_named(context.config.order))


def with_reader(delivery: Delivery, others: OpenDoors) -> OpenDoors:
    """Doors by which somebody reads the pages as they come, beside others."""

    def open_doors(context: Context) -> Doors:
        delivery.join(context)
        doors = others(context)
        return msgspec.structs.replace(
            doors, witnesses=(*doors.witnesses, delivery), consents=(*doors.consents, delivery)
        )

    return open_doors
