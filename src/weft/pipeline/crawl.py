"""A crawl in its folder: opened, run, and left so that it can be resumed."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig, checked, product_token
from weft.dns import Resolver
from weft.errors import BadInput, FolderError
from weft.fetch import Fetcher, MemoryBudget
from weft.filter import ScopeFilter, standard_chain
from weft.filter.strip_query import stripper
from weft.filter.tags import TagChoice
from weft.folder.archived import load_response
from weft.folder.belonging import belonging_of
from weft.folder.crawl_log import CrawlLog, LogLine
from weft.folder.layout import CrawlFolder
from weft.frontier import Parked
from weft.graph.arrays import refuse_without_arrays
from weft.order import order_named, wants_of
from weft.pipeline.config_parts import check_archive, fetch_config, worker_slots
from weft.pipeline.delivery import Delivery
from weft.pipeline.engine import Ending
from weft.pipeline.following import Following
from weft.pipeline.hook_calls import hooks_of
from weft.pipeline.host_settings import check_hosts
from weft.pipeline.open_files import open_files_limit, share_out
from weft.pipeline.progress import Progress
from weft.pipeline.run import OpenDoors, Run, alone, with_reader
from weft.pipeline.seeds import checked_login, with_seeds_logins
from weft.pipeline.steering import Steering
from weft.pipeline.topic import is_learned, learned, topic_crawl, with_topic
from weft.pipeline.work import Job, Work
from weft.program import stop_if_only_loaded
from weft.state import State
from weft.stats import Counters
from weft.stats.figures import LeftOut
from weft.store import Archive
from weft.store.items import check_items_file
from weft.types import Fetched, PageRow
from weft.workers.worker_pool import WorkerPool

if TYPE_CHECKING:
    from weft.page.request import Request


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
        self._run: Run | None = None
        self._following: Following | None = None  # from the first request that the program asks for
        self._topic: Crawl | None = None  # while the pages of its topic are fetched
        self._is_stopping = False
        self.on_failure: Callable[[LogLine], None] = lambda line: None  # hears of what brought no response
        self.on_second: Callable[[int, float], None] = lambda queued, pages_per_s: None  # every second or so
        self.on_crawled: Callable[[Ending], Awaitable[None]] = _no_more  # nothing is asked any more: files come next
        self.parked = Parked()  # hosts and authorities left for another run …
        self.parked_hosts = self.parked.reasons  # … and why
        self.counters = Counters()
        self.ending: Ending | None = None
        self.pages_per_s = 0.0  # of the run that ended
        self.left_out: list[LeftOut] = []  # by reason and rule, at its end

    @classmethod
    def create(cls, path: Path, config: CrawlConfig, clock: Clock | None = None) -> Crawl:
        """Begin a crawl in a new folder. Settings that cannot work are refused before anything is written."""
        stop_if_only_loaded()
        if not config.seeds:
            raise BadInput("a crawl needs at least one seed URL")
        config = with_topic(checked_login(with_seeds_logins(config)))
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
        stop_if_only_loaded()
        folder = CrawlFolder(path, must_exist=True)
        try:
            if (node := belonging_of(path)) is not None:
                raise FolderError(
                    f"{path} is a part of the crawl {node.crawl}: `weft node {node.crawl} -o {path}` goes on with it"
                )
            folder.check_database()
            config = checked_login(msgspec.structs.replace(folder.load_config(), **changes))
            check(config)
            folder.save_config(config)
        except BaseException:
            folder.close()
            raise
        return cls(folder, config, clock, retry_failed=retry_failed, update=update)

    @property
    def is_stopping(self) -> bool:
        """Whether somebody wants its end."""
        return self._is_stopping

    def stop(self, ending: Ending = Ending.INTERRUPTED) -> None:
        """End the run early, in order: what is under way is finished if it can be soon, and nothing is lost."""
        self._is_stopping = True
        if self._run is not None:
            self._run.engine.stop(ending)
        if self._topic is not None:
            self._topic.stop()

    def follow(self, request: Request, depth: int, page: PageRow | None = None) -> None:
        """Ask for a request, found on a page, in the loop in which the crawl runs; it is durable on return.

        BadUrl if its URL is none; BadInput if the crawl does not run: not yet, or not any more.
        """
        if self._run is None or self._state is None:
            raise BadInput("a request can be followed while the crawl runs")
        if self._following is None:
            self._following = Following(self._run.context, self._run.ledger)
        self._following.follow(request, depth, page)

    async def run(self, delivery: Delivery | None = None, open_doors: OpenDoors = alone) -> Ending:
        """Crawl until nothing is left to do, a limit is reached or `stop` is called; `delivery` gets the pages."""
        with ExitStack() as closing:
            closing.callback(self.folder.close)
            if not is_learned(self.config) and not self._is_stopping:
                await self._learn_topic()
            self.folder.refuse_several()
            shares = share_out(open_files_limit(), self.config.connections)
            self._state = state = State(self.folder.database, max_open_files=shares.tables)
            closing.callback(self._close_state)
            closing.callback(self._let_go)
            log = CrawlLog(self.folder.log, self.config.seeds, self.on_failure)
            closing.callback(log.close)
            if delivery is not None:
                open_doors = with_reader(delivery, open_doors)
            self._run = run = Run(
                self.folder, self.config, self._clock, state, log, shares, open_doors, self._keep_config
            )
            self.counters, self._archive = run.counters, run.archive
            self.parked, self.parked_hosts = run.frontier.parked, run.frontier.parked.reasons
            if self._is_stopping:
                run.engine.stop(Ending.INTERRUPTED)
            with self.folder.told_if_gone():
                self.ending = await run.drive(
                    update=self._update,
                    retries=self._retry_failed,
                    on_second=self.on_second,
                    on_crawled=self.on_crawled,
                )
            self.pages_per_s = run.pages_per_s()
            self.left_out = run.left_out
            if delivery is not None:
                await delivery.finished_all()
        return self.ending

    async def _learn_topic(self) -> None:
        """Fetch the pages that say what to look for."""
        self._topic = topic_crawl(self.folder, self.config)
        try:
            await self._topic.run()
        finally:
            self._topic = None
        if not self._is_stopping:
            self.config = learned(self.folder, self.config)
            self.folder.save_config(self.config)

    @property
    def state(self) -> State | None:
        """The database, while the crawl runs."""
        return self._state

    def load(self, row: PageRow) -> Fetched:
        """The response of a page that was committed in this run, from the archive."""
        assert self._archive is not None
        return load_response(self._archive, row)

    def _keep_config(self, config: CrawlConfig) -> None:
        self.folder.save_config(config)
        self.config = config

    def _close_state(self) -> None:
        if self._state is not None:
            self._state.close()
            self._state = None

    def _let_go(self) -> None:
        """Of what only a running crawl needs: a mirror wants the memory for its files."""
        self._run = self._following = None

    def progress(self) -> Progress | None:
        """How it stands; None when it does not run."""
        return self._run.progress() if self._run is not None else None

    @property
    def steering(self) -> Steering | None:
        """By which it is changed while it runs; None when it does not."""
        return self._run.steering if self._run is not None else None

    @property
    def items(self) -> int:
        """How many are in items.jsonl; while it runs, those of the last second are still to come."""
        return self._archive.items.count if self._archive is not None else 0

    @property
    def under_way(self) -> int:
        """Requests at this moment."""
        return run.engine.under_way() if (run := self._run) is not None else 0

    def cpu_of_other_engines(self) -> tuple[float, float]:
        """Seconds that belong to engines, and to workers, beyond those of this process and of its children."""
        return 0.0, 0.0

    @property
    def engine_pids(self) -> list[int]:
        """The processes of the engines."""
        return [os.getpid()]

    @property
    def worker_slots(self) -> int:
        """How many parse workers there may be."""
        return worker_slots(self.config)

    @property
    def worker_pool(self) -> WorkerPool[Job[Work]] | None:
        """The parse workers, while the crawl runs; their number may be changed."""
        return self._run.workers.pool if self._run is not None else None


async def _no_more(ending: Ending) -> None:
    """A crawl of which nothing more is wanted."""


def check(config: CrawlConfig) -> None:
    """Refuse settings that cannot work, with one clear sentence: make of each what the crawl will make of it."""
    checked(msgspec.structs.asdict(config))
    order = order_named(config.order)
    if config.patience is not None and wants_of(order).renewal:
        raise BadInput("depth first has no patience: what it passes by waits until all below is done")
    if wants_of(order).graph:
        refuse_without_arrays()
    product_token(config)
    check_archive(config)
    check_hosts(config)
    if config.extractors:
        # Only then: it brings the HTML parser, which the engine can do without.
        from weft.page.user_functions import UserFunctions

        UserFunctions(config.extractors)
    hooks_of(config)
    if config.items:
        check_items_file(Path(config.items))
    standard_chain(config, ScopeFilter(config.scope))
    stripper(config.strip_query)
    TagChoice(config.follow_tags, config.ignore_tags)
    Fetcher(fetch_config(config), MemoryBudget(), Path(), Clock())
    Resolver(config.dns_servers, clock=Clock())
