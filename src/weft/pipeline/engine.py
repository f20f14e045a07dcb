"""The loop that takes pages along their way and keeps every part of weft busy.

    frontier.next ─┬─▶ prepare (dns, robots) ─────────────────────────────────────────┐
         ▲         └─▶ visit (fetch) ──▶ workers (parse, store) ──▶ ledger (commit) ──┤
         └────────────────────────────────────────────────────────────────────────────┘

`_pump` starts whatever may start; everything that ends calls for it again. Nothing here waits for politeness: the
frontier does, and hands out only what may be fetched now.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.errors import FetchError
from weft.fetch import Fetcher, MemoryBudget, release
from weft.frontier import Frontier, Preparation, SideTurn
from weft.pipeline.delivery import Delivery
from weft.pipeline.growing_scope import judge_again
from weft.pipeline.halts import Halt, HaltClock, bottleneck
from weft.pipeline.ledger import Ledger
from weft.pipeline.messages import AddSeed, AddSessionRule, PageJob, StoreJob
from weft.pipeline.originals import hash_of
from weft.pipeline.pace import Pace
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.permission import Permission
from weft.pipeline.prepare import Preparer, RobotsUnreachable
from weft.pipeline.relax import Relaxer
from weft.pipeline.rests import NO_ADDRESS, Rests
from weft.pipeline.visits import Visits
from weft.pipeline.work import Job, PageWork, RelaxWork, SideWork, Work, dns_job, robots_job
from weft.store import Archive
from weft.types import Fetched, FoundLink, Kind, Link, Outcome, PageRow, Processed, Refusal, RefusedLink, Visit
from weft.url import Resolver, host_of, origin_of, url_id
from weft.workers.grace import Grace

JOBS_WAITING_PER_WORKER = 32
REFUSALS_PER_COMMIT = 256


class Ending(Enum):
    """Why a run ended."""

    DONE = "done"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    SEEDS_FAILED = "seeds-failed"


class Engine:
    """Runs one crawl from its present state until nothing is left, a limit is reached or `stop` is called."""

    def __init__(
        self,
        config: CrawlConfig,
        clock: Clock,
        ledger: Ledger,
        frontier: Frontier,
        archive: Archive,
        preparer: Preparer,
        fetcher: Fetcher,
        budget: MemoryBudget,
        permission: Permission,
        delivery: Delivery | None = None,
    ) -> None:
        self._config = config
        self._clock = clock
        self._ledger = ledger
        self._frontier = frontier
        self._preparer = preparer
        self._budget = budget
        self._permission = permission
        self._delivery = delivery
        self._pace = Pace(config.rate, config.bandwidth)
        self._rests = Rests(frontier, preparer, wait_scale=config.retry_wait_scale)
        self.visits = Visits(
            config, clock, ledger, frontier, fetcher, budget, self._pace, self._rests, self._hand_to_workers
        )
        self.hung = self.visits.hung
        self.halts = HaltClock(clock)
        self.slots = config.connections  # requests that may be under way at once
        self._seed_authorities = {origin_of(seed) for seed in ledger.scope.seeds}  # and where seeds led before
        self._workers: ParseWorkers[Work]
        self._tasks: asyncio.TaskGroup
        self._loop: asyncio.AbstractEventLoop
        self._over: asyncio.Future[Ending]
        self._stopping: Ending | None = None
        self._is_running = False
        self._grace = Grace(clock)
        self._visiting: dict[
            bytes, asyncio.Task[None]
        ] = {}  # by URL; filled by _begin, emptied by _visit; bound: slots
        self._asking = 0
        self._preparations: set[asyncio.Task[None]] = set()  # filled by _begin, emptied as they end; bound: hosts
        self._relaxer = Relaxer(ledger, archive)
        # Visits refused at the last moment. Filled by _begin, emptied by _commit_refusals; bound: REFUSALS_PER_COMMIT.
        self._refused: list[tuple[Visit, Refusal, str]] = []
        self._pump_is_due = False
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, workers: ParseWorkers[Work], tasks: asyncio.TaskGroup) -> Ending:
        """Give the loop its workers, and drive it to its end."""
        self._workers = workers
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()  # kept: each look-up costs a system call
        self._over = self._loop.create_future()
        self._is_running = True
        if self._delivery is not None:
            self._delivery.on_room = self._pump_soon
        self._pump_soon()
        try:
            return await self._over
        finally:
            for task in (*self._preparations, *self._visiting.values()):
                task.cancel()  # a visit only if it was not waited for; its row is still in the queue
            if self._timer is not None:
                self._timer.cancel()

    def stop(self, ending: Ending) -> None:
        """Start nothing more; the run ends when what is under way has ended, or its time of grace is over."""
        self._stopping = self._stopping or ending
        self._grace.begin()
        if self._is_running:
            self._pump_soon()

    def end_if_late(self) -> None:
        """Give up what is still under way when a stop has waited long enough. All of it is left for another run."""
        if self._stopping is not None and self._grace.is_over and not self._over.done():
            self._over.set_result(self._stopping)

    def resize(self, slots: int) -> None:
        """Have at most so many requests under way at once, from now on."""
        self.slots = slots
        self._pump_soon()

    def fail(self, error: Exception) -> None:
        """End the run at once with an error. What is committed is whole."""
        if not self._over.done():
            self._over.set_exception(error)

    # ── starting what may start ────────────────────────────────────────────────────────────────────────

    def _pump_soon(self) -> None:
        if not self._pump_is_due:
            self._pump_is_due = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._pump_is_due = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._over.done():
            return
        try:
            while (halt := self._halted_by()) is None:
                if (turn := self._frontier.next()) is None:
                    halt = Halt.NO_HOST
                    break
                self._begin(turn)
            self.halts.note(halt, self.slots - len(self._visiting) - self._asking)
            self._commit_refusals()
            self._relaxer.start_some(self._workers.submit)
            if not self._is_busy():
                self._end_if_over()
            if halt in (Halt.NO_HOST, Halt.PACE):  # else whatever ends next pumps again
                self._pump_when_a_host_wakes()
        except Exception as error:  # in a callback of the loop it would only be logged; here it ends the crawl
            self.fail(error)

    def _halted_by(self) -> Halt | None:
        """Why no further turn may begin; None if one may."""
        if self._stopping is not None:
            return Halt.STOPPING
        under_way = len(self._visiting) + self._asking
        if under_way >= self.slots:
            return Halt.SLOTS
        if self._budget.full or under_way + self._behind() >= self.slots:
            return Halt.PARSE
        if self._pace.wait_s(self._clock.monotonic()):
            return Halt.PACE
        if self._delivery is not None and self._delivery.is_full():
            return Halt.READER
        if self._limit_is_near():
            return Halt.LIMIT
        return Halt.COMMIT if len(self._refused) >= REFUSALS_PER_COMMIT else None

    def _behind(self) -> int:
        """The one rule of back-pressure: pages beyond what the workers need at hand take slots, a slot each."""
        return max(0, self._workers.waiting() - JOBS_WAITING_PER_WORKER * self._workers.pool.active)

    def _limit_is_near(self) -> bool:
        """True when what is under way may be all that the limits allow."""
        counters, config = self._ledger.counters, self._config
        if config.max_bytes is not None and counters.bytes + counters.unpacked_bytes >= config.max_bytes:
            return True
        if config.max_pages is None:
            return False
        return counters.pages + len(self._visiting) + self._workers.unfinished() >= config.max_pages

    def _begin(self, turn: Visit | SideTurn | Preparation) -> None:
        if isinstance(turn, Preparation):
            task = self._tasks.create_task(self._prepare(turn))
            self._preparations.add(task)
            task.add_done_callback(self._preparations.discard)
        elif isinstance(turn, SideTurn):
            self._asking += 1
            turn.given.set_result(None)
        elif turn.trouble is not None:
            self._frontier.cancel(turn)
            self.visits.fail(turn, FetchError(turn.trouble))
        elif (refusal := self._permission.refuses(turn)) is not None:
            self._frontier.cancel(turn)
            self._refused.append((turn, refusal, self._permission.rule_of(turn, refusal)))
        else:
            self._pace.begin(self._clock.monotonic())
            self._visiting[turn.id] = self._tasks.create_task(self._visit(turn))

    def _is_busy(self) -> bool:
        return bool(self._visiting or self._asking or self._workers.unfinished())

    def _end_if_over(self) -> None:
        if self._stopping is not None:
            self._over.set_result(self._stopping)
        elif self._limit_is_near():
            self._over.set_result(Ending.LIMIT)
        elif self._ledger.to_relax or self._frontier.has_work():
            pass
        elif judge_again(self._ledger):
            self._pump_soon()
        else:
            self._over.set_result(
                Ending.LIMIT if self._frontier.parked.count and self._ledger.counters.queued else Ending.DONE
            )

    def _pump_when_a_host_wakes(self) -> None:
        if self._over.done():
            return
        if (wait_s := self._frontier.seconds_to_next()) is not None:
            wait_s = max(wait_s, self._pace.wait_s(self._clock.monotonic()))
            self._timer = self._loop.call_later(wait_s, self._pump_soon)

    # ── what is under way ──────────────────────────────────────────────────────────────────────────────

    async def _prepare(self, preparation: Preparation) -> None:
        host, authority = preparation.host, preparation.authority
        try:
            clearance = await self._preparer.prepare(preparation, self._side_turn, self)
        except RobotsUnreachable as error:
            self._rests.without_robots(preparation, error)
        except FetchError as error:
            if error.outcome not in NO_ADDRESS:  # else each of its URLs has a line
                self._ledger.log.look_up_failed(host, error.outcome, self._clock.wall())
            self._rests.without_address(preparation, error.outcome)
        else:
            self._frontier.clear(host, authority, clearance)
            if self._config.sitemaps and authority in self._seed_authorities:
                self._schedule_sitemaps(authority)
        self._pump_soon()

    def _schedule_sitemaps(self, authority: str) -> None:
        batch = self._ledger.batch()
        for named in self._preparer.sitemaps(authority):
            if (url := Resolver(f"{authority}/").resolve(named)) is not None:
                link = Link(url, 0, Kind.SITEMAP, f"{authority}/robots.txt")
                self._ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), link)])
        self._ledger.write(batch)

    async def _visit(self, visit: Visit) -> None:
        try:
            await self.visits.make(visit)
        finally:
            del self._visiting[visit.id]
        self._pump_soon()

    @asynccontextmanager
    async def _side_turn(self, host: str, address: str) -> AsyncIterator[None]:
        """A request outside the queue, within its host's and its address's turn."""
        turn = SideTurn(host, address, self._loop.create_future())
        self._frontier.ask_for_turn(turn)
        self._pump_soon()
        await turn.given
        began = self._clock.monotonic()
        try:
            yield
        finally:
            self._asking -= 1
            self.visits.made += 1
            # No sign that the host is well: a robots.txt may redirect to where it cannot be had, for ever.
            self._frontier.release(turn, answered=False, waited_s=self._clock.monotonic() - began)
            self._pump_soon()

    def keep_answer(self, host: str, addresses: tuple[str, ...], ttl_s: float) -> None:
        """Archive what the name servers said."""
        self._workers.submit(dns_job(host, addresses, ttl_s, self._clock.wall()))

    def keep_robots(self, fetched: Fetched) -> None:
        """Archive a robots.txt."""
        self._workers.submit(robots_job(fetched))

    def robots_failed(self, url: str, address: str, outcome: Outcome) -> None:
        """No robots.txt came: nothing to archive, but a request all the same."""
        self._ledger.log.robots_failed(url, address, outcome, self._clock.wall())

    def _hand_to_workers(self, visit: Visit, link: Link, fetched: Fetched, outcome: Outcome) -> None:
        body_hash = hash_of(fetched)
        original = self._ledger.original_of(visit, body_hash)
        is_compared = fetched.status == 200 and self._ledger.sessions.compares(visit.id, link.url, visit.host)
        job = PageJob(link, fetched, original=original, is_compared=is_compared)
        scope_seeds = len(self._ledger.scope.seeds)
        self._workers.submit(Job(job, PageWork(visit, outcome, body_hash, original, scope_seeds)))

    # ── commits ────────────────────────────────────────────────────────────────────────────────────────

    def found(self, links: list[FoundLink], refused: list[RefusedLink]) -> None:
        """A part of a page's links, ahead of its answer. Should the answer never come, they are known all the same."""
        batch = self._ledger.batch()
        self._ledger.list_refused(batch, refused)
        self._ledger.schedule(batch, links)
        self._ledger.write(batch)
        self._pump_soon()

    def processed(self, answers: list[tuple[Job[Work], Processed]]) -> None:
        """Workers answered: commit what they did, in the order in which it stands in their files."""
        batch = self._ledger.batch()
        widening: list[str] = []
        delivered: list[tuple[bytes, PageRow, Fetched]] = []
        for job, processed in answers:
            if isinstance(job.subject, RelaxWork):
                widening += self._relaxer.finish(batch, job.subject, processed)
            elif isinstance(job.subject, SideWork):
                assert processed.location is not None
                self._ledger.keep_side(batch, job.subject.row, processed.location)
            elif isinstance(job.message, PageJob):
                work, fetched, depth = job.subject, job.message.fetched, job.message.link.depth
                row, wider = self._ledger.finish(
                    batch, work.visit, work.outcome, fetched, processed, depth, work.original, work.body_hash,
                    work.scope_seeds,
                )  # fmt: skip
                widening += wider
                if self._delivery is not None and 200 <= row.status < 300:
                    self._delivery.commit(batch, work.visit.id)
                    delivered.append((work.visit.id, row, fetched))
        self._ledger.write(batch)
        if self._delivery is not None:
            for page in delivered:
                self._delivery.put(*page)
        for job, _ in answers:
            if isinstance(job.message, PageJob | StoreJob):
                release(job.message.fetched, self._budget)
        for url in widening:
            self._seed_authorities.add(origin_of(url))
            self._workers.pool.broadcast(AddSeed(url))
        for rule in self._ledger.sessions.take_news():
            self._workers.pool.broadcast(AddSessionRule(rule))
        self._pump_soon()

    def poisoned(self, job: Job[Work], processed: Processed | None) -> None:
        """A page ends its workers: it is recorded as such, with its response if that could be stored unparsed."""
        batch = self._ledger.batch()
        if isinstance(job.subject, RelaxWork):
            self._relaxer.finish(batch, job.subject, None)
        elif isinstance(job.subject, PageWork) and isinstance(job.message, PageJob):
            work, fetched = job.subject, job.message.fetched
            self._ledger.finish(batch, work.visit, Outcome.POISON, fetched, processed, original=work.original)
        if isinstance(job.message, PageJob | StoreJob):
            release(job.message.fetched, self._budget)
        self._ledger.write(batch)
        self._pump_soon()

    def _commit_refusals(self) -> None:
        if self._refused:
            batch = self._ledger.batch()
            for refused in self._refused:
                self._ledger.refuse(batch, *refused)
            self._refused.clear()
            self._ledger.write(batch)
            self._pump_soon()

    # ── for those who look on ──────────────────────────────────────────────────────────────────────────

    def bottleneck(self) -> str:
        """What limits the crawl now, in words for a person."""
        return bottleneck(self.halts.now, self._frontier, len(self._visiting))

    def under_way(self) -> dict[str, int]:
        """How much of what is under way."""
        return {
            "visiting": len(self._visiting),
            "asking": self._asking,
            "preparing": len(self._preparations),
            "parsing": self._workers.unfinished(),
            "memory_bytes": self._budget.used_bytes,
        }
