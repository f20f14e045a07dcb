"""A crawl in its folder: opened, run, and left so that it can be resumed."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from weft._version import __version__
from weft.clock import Clock
from weft.config import CrawlConfig, checked, product_token, user_agent
from weft.crash_points import crash_point
from weft.dns import Resolver
from weft.errors import BadInput, first_of
from weft.fetch import Fetcher, MemoryBudget
from weft.filter import FilterChain, ScopeFilter, Stage, load_filter, standard_chain
from weft.folder.archived import load_response
from weft.folder.crawl_log import CrawlLog, LogLine
from weft.folder.layout import CrawlFolder
from weft.folder.page_rows import sides_in
from weft.folder.refused_list import write_refused
from weft.frontier import Frontier, Parked
from weft.order import order_named
from weft.pipeline.another_chance import retry_failed
from weft.pipeline.balancing import FIRST_LOOK_UPS, FIRST_SLOTS, MOST_LOOK_UPS, Balancing
from weft.pipeline.config_parts import fetch_config, manners_of
from weft.pipeline.delivery import Delivery, undelivered
from weft.pipeline.engine import Ending, Engine
from weft.pipeline.ledger import Ledger
from weft.pipeline.limits import adopt_limits
from weft.pipeline.messages import Setup
from weft.pipeline.open_files import FileShares, open_files_limit, share_out
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.permission import Permission
from weft.pipeline.prepare import Preparer
from weft.pipeline.readmission import Readmission
from weft.pipeline.rules import adopt_rules
from weft.pipeline.seeds import with_seeds_logins
from weft.pipeline.stock import StockTaking
from weft.pipeline.warc_slots import WarcSlots
from weft.pipeline.work import Job, Work
from weft.seen import Seen
from weft.state import State
from weft.stats import Counters
from weft.stats.counters import load_counters
from weft.stats.figures import LeftOut
from weft.store import Archive, OpenFile, write_cdxj, write_pages
from weft.types import Fetched, FoundLink, Kind, Link, PageRow
from weft.url import host_of, url_id
from weft.workers.balance import FIRST_WORKERS
from weft.workers.turnstile import Turnstile
from weft.workers.worker_pool import WorkerPool

SYNC_EVERY_S = 1.0


class Crawl:
    """One crawl. `create` or `resume` it, then `run`."""

    def __init__(
        self,
        folder: CrawlFolder,
        config: CrawlConfig,
        clock: Clock | None = None,
        *,
        retry_failed: bool = False,
        update: bool = False,
    ) -> None:
        self.folder = folder
        self.config = config
        self._retry_failed = retry_failed
        self._update = update
        self._clock = clock or Clock()
        self._state: State | None = None
        self._archive: Archive | None = None
        self._engine: Engine | None = None
        self._frontier: Frontier | None = None
        self._workers: ParseWorkers[Work] | None = None
        self._balancing: Balancing | None = None
        self._is_stopping = False
        self.on_failure: Callable[[LogLine], None] = lambda line: None  # hears of what brought no response
        self.parked = Parked()  # hosts and authorities left for another run …
        self.parked_hosts = self.parked.reasons  # … and why
        self.counters = Counters()
        self.ending: Ending | None = None
        self.pages_per_s = 0.0  # of the run that ended
        self.items = 0  # in items.jsonl at its end
        self.left_out: list[LeftOut] = []  # by reason and rule, at its end

    @classmethod
    def create(cls, path: Path, config: CrawlConfig, clock: Clock | None = None) -> Crawl:
        """Begin a crawl in a new folder. Settings that cannot work are refused before anything is written."""
        if not config.seeds:
            raise BadInput("a crawl needs at least one seed URL")
        config = with_seeds_logins(config)
        check(config)
        folder = CrawlFolder(path, must_exist=False)
        try:
            folder.save_config(config)
            folder.check_database()  # afterwards: where all of state/ is lost, these settings are what repair goes by
        except BaseException:
            folder.close()
            raise
        return cls(folder, config, clock)

    @classmethod
    def resume(
        cls,
        path: Path,
        clock: Clock | None = None,
        *,
        retry_failed: bool = False,
        update: bool = False,
        **changes: object,
    ) -> Crawl:
        """Go on with the crawl in a folder; limits and other settings may be changed.

        With `retry_failed`, URLs that were given up because no response came are tried again. With `update`, which is
        for mirrors, all URLs are asked again whether they have changed.
        """
        folder = CrawlFolder(path, must_exist=True)
        try:
            folder.check_database()
            config = msgspec.structs.replace(folder.load_config(), **changes)
            check(config)
            folder.save_config(config)
        except BaseException:
            folder.close()
            raise
        return cls(folder, config, clock, retry_failed=retry_failed, update=update)

    def stop(self) -> None:
        """End the run early, in order: what is under way is finished if it can be soon, and nothing is lost."""
        self._is_stopping = True
        if self._engine is not None:
            self._engine.stop(Ending.INTERRUPTED)

    async def run(self, delivery: Delivery | None = None) -> Ending:
        """Crawl until nothing is left to do, a limit is reached or `stop` is called; `delivery` gets the pages."""
        with ExitStack() as closing:
            closing.callback(self.folder.close)
            shares = share_out(open_files_limit(), self.config.connections)
            self._state = state = State(self.folder.database, max_open_files=shares.tables)
            closing.callback(self._close_state)
            closing.callback(self._let_go)
            log = CrawlLog(self.folder.log, self.config.seeds, self.on_failure)
            closing.callback(log.close)
            self.ending = await self._run(state, log, delivery, shares)
            if delivery is not None:
                await delivery.finished()
        return self.ending

    @property
    def state(self) -> State | None:
        """The database, while the crawl runs."""
        return self._state

    def load(self, row: PageRow) -> Fetched:
        """The response of a page that was committed in this run, from the archive."""
        assert self._archive is not None
        return load_response(self._archive, row)

    def _close_state(self) -> None:
        if self._state is not None:
            self._state.close()
            self._state = None

    def _let_go(self) -> None:
        """Of what only a running crawl needs: a mirror wants the memory for its files."""
        self._engine = self._frontier = self._workers = self._balancing = None

    def statistics(self) -> dict[str, object]:
        """What a progress display shows."""
        if self._engine is None or self._frontier is None or self._workers is None:
            return {}
        return {
            "hosts": self._frontier.statistics(),
            "parked": self._frontier.parked.count,
            "bottleneck": self._engine.bottleneck(),
            "worker_pids": self._workers.pool.pids(),
            "slots": self._engine.slots,
            "workers": self._workers.pool.active,
            "balance": self._balancing.decisions if self._balancing is not None else [],
            **self._engine.under_way(),
        }

    @property
    def worker_pool(self) -> WorkerPool[Job[Work]] | None:
        """The parse workers, once the crawl runs; their number may be changed."""
        return self._workers.pool if self._workers is not None else None

    @property
    def worker_slots(self) -> int:
        """How many parse workers there are."""
        return self.config.workers or os.cpu_count() or 1

    async def _run(self, state: State, log: CrawlLog, delivery: Delivery | None, shares: FileShares) -> Ending:
        config, clock = msgspec.structs.replace(self.config, connections=shares.connections), self._clock
        counters = self.counters = load_counters(state)
        archive = self._archive = Archive(state, self.folder.archive, clock, config.warc_bytes)
        seen = Seen(state, is_new_crawl=not counters.seen)
        frontier = self._frontier = Frontier(
            state, clock, order_named(config.order).rank, manners_of(config), sequence=counters.sequence
        )
        self.parked, self.parked_hosts = frontier.parked, frontier.parked.reasons
        ledger = Ledger(
            state, seen, frontier, archive, counters, clock, log, max_depth=config.depth, traps=config.traps,
            counts_visits=config.max_pages_per_host is not None, scope=config.scope,
        )  # fmt: skip
        self._bring_up_to_date(ledger, archive, state, readmission := Readmission(state, ledger))
        state.sync()  # before a record takes the place of one that was cut off: the old row might fit it
        budget = MemoryBudget(config.memory_bytes)
        fetching = msgspec.structs.replace(fetch_config(config), max_idle_connections=shares.idle_connections)
        fetcher = Fetcher(fetching, budget, self.folder.spool, clock)
        ledger.repeats.cookies_for = fetcher.cookies_for
        resolver = Resolver(config.dns_servers, clock=clock)
        look_ups = Turnstile(MOST_LOOK_UPS if config.fixed else FIRST_LOOK_UPS, clock)
        preparer = Preparer(config, state, resolver, fetcher, budget, counters, look_ups, clock)
        if not config.ignore_robots:
            ledger.forbids, ledger.forbidding_line = preparer.forbids, preparer.forbidding_line
            preparer.on_rules = readmission.of_authority
        filters = FilterChain(map(load_filter, config.filters)).at(Stage.FETCH)
        permission = Permission(config, preparer, ledger, filters)
        engine = self._engine = Engine(
            config, clock, ledger, frontier, archive, preparer, fetcher, budget, permission, delivery
        )
        if delivery is not None:
            delivery.add_left_over(undelivered(state))
        if self._is_stopping:
            engine.stop(Ending.INTERRUPTED)
        files = WarcSlots(archive, lambda file: self._setup(file, ledger))
        workers = self._workers = ParseWorkers[Work](engine, files, self.folder.worker_log, self.worker_slots, clock)
        self._balancing = None
        if not config.fixed:
            engine.slots = min(FIRST_SLOTS, config.connections)
            workers.pool.resize(FIRST_WORKERS)
            self._balancing = Balancing(config, clock, look_ups, engine, workers, budget)
        stock = StockTaking(counters, seen, clock)
        try:
            ending = await self._drive(engine, workers, archive, seen, log, stock)
        finally:
            await fetcher.close()
            await resolver.close()
        self.folder.remove_leftover_spools()
        stock.take()
        self.pages_per_s = stock.pages_per_s()
        counters.workers_died += workers.pool.deaths
        archive.retire_all()
        ledger.write(ledger.batch())
        await archive.sync()
        self.items = archive.items.count
        crash_point("index")
        await asyncio.to_thread(self._write_index, state, ledger, archive)
        has_ended = ending is Ending.DONE or (ending is Ending.LIMIT and not frontier.has_work())
        return Ending.SEEDS_FAILED if has_ended and not counters.pages else ending

    async def _drive(
        self,
        engine: Engine,
        workers: ParseWorkers[Work],
        archive: Archive,
        seen: Seen,
        log: CrawlLog,
        stock: StockTaking,
    ) -> Ending:
        """Run the engine among the tasks that keep it going; the first error of any of them ends all."""
        try:
            async with asyncio.TaskGroup() as tasks:
                background = [tasks.create_task(workers.pool.run())]
                background.append(tasks.create_task(_keep_safe(archive, log, stock, engine)))
                background.append(tasks.create_task(seen.rebuild_filter()))
                if self._balancing is not None:
                    background.append(tasks.create_task(self._balancing.keep_balanced()))
                if self.config.max_time_s is not None:
                    background.append(tasks.create_task(_stop_after(self.config.max_time_s, engine)))
                ending = await engine.run(workers, tasks)
                for task in background:
                    task.cancel()
        except BaseExceptionGroup as group:
            raise first_of(group) from group
        finally:
            await workers.pool.close()
        return ending

    def _bring_up_to_date(self, ledger: Ledger, archive: Archive, state: State, readmission: Readmission) -> None:
        """Before the first visit: pages that a power cut took, what wider limits and rules ask for, and the seeds."""
        batch = ledger.batch()
        ledger.visit_again(batch, archive.recover(batch))
        crash_point("recovered")
        ledger.write(batch)
        adopt_limits(ledger, state, self.config.depth, self.config.max_pages_per_host)
        adopt_rules(ledger, state, self.config)
        readmission.adopt_robots(self._clock.wall(), ignored=self.config.ignore_robots)
        if self.config.mirror:
            ledger.begin_update(wanted=self._update)
        if self._retry_failed:
            retry_failed(ledger, state)
        batch = ledger.batch()
        ledger.schedule(
            batch,
            [
                FoundLink(url_id(seed), host_of(seed), Link(seed, 0, Kind.SEED, seed=number))
                for number, seed in enumerate(self.config.seeds)
            ],
        )
        ledger.write(batch)

    def _setup(self, file: OpenFile, ledger: Ledger) -> Setup:
        info = {
            "software": f"weft/{__version__} (Python {platform.python_version()})",
            "format": "WARC File Format 1.1",
            "robots": "ignore" if self.config.ignore_robots else "obey",
            "http-header-user-agent": user_agent(self.config),
            "hostname": platform.node(),
        }
        if self.config.operator:
            info["operator"] = self.config.operator
        return Setup(self.config, ledger.scope.seeds, file, info, ledger.sessions.rules.all())

    def _write_index(self, state: State, ledger: Ledger, archive: Archive) -> None:
        write_cdxj(self.folder.path / "index.cdxj", ledger.pages(), archive.name_of, sides_in(state))
        write_pages(self.folder.path / "pages.jsonl", ledger.pages(), archive.name_of)
        self.left_out = write_refused(self.folder.path / "refused.jsonl", state, self.config.max_pages_per_host)


def check(config: CrawlConfig) -> None:
    """Refuse settings that cannot work, with one clear sentence: make of each what the crawl will make of it."""
    checked(msgspec.structs.asdict(config))
    order_named(config.order)
    product_token(config)
    if config.extractors:
        from weft.page.extract import (
            UserFunctions,  # only then: it brings the HTML parser, which the engine can do without
        )

        UserFunctions(config.extractors)
    standard_chain(config, ScopeFilter(config.scope))
    Fetcher(fetch_config(config), MemoryBudget(), Path(), Clock())
    Resolver(config.dns_servers, clock=Clock())


async def _keep_safe(archive: Archive, log: CrawlLog, stock: StockTaking, engine: Engine) -> None:
    """Every second or so: make what is committed survive a power cut, and end a stop that hangs."""
    while True:
        await asyncio.sleep(SYNC_EVERY_S)
        engine.end_if_late()
        stock.take()
        log.flush()
        await archive.sync()


async def _stop_after(seconds: float, engine: Engine) -> None:
    await asyncio.sleep(seconds)
    engine.stop(Ending.LIMIT)
