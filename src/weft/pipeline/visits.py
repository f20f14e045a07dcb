"""One visit: the request, and what follows from how it ended.

response  ──▶ workers, which store and parse it; or another try, if its status or a user's hook asks for one
dead kept connection ──▶ the same once more in the host's next turn, on a new one: no try that counts
no connection, and not all addresses were free to be tried ──▶ likewise, at another one
failure   ──▶ another try; or given up, with what had arrived kept as a truncated record
trouble with a whole authority or host ──▶ it rests, longer each time, and is left for another run at last
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

import msgspec

from weft.errors import FetchError
from weft.fetch import after, release, retry_after_s
from weft.fetch.dial import NO_CONNECTION
from weft.fetch.retry import OUTCOME_RULES, STATUS_RULES, Who
from weft.frontier import Frontier
from weft.members import RESPONSE
from weft.order import wants_of
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors
from weft.pipeline.halts import Halt
from weft.pipeline.ledger import Ledger
from weft.pipeline.messages import PageJob
from weft.pipeline.network import Network
from weft.pipeline.originals import hash_of
from weft.pipeline.pace import received_bytes_of
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.permission import Permission
from weft.pipeline.rests import Rests
from weft.pipeline.work import Again, Job, PageWork, Work, thrown_away_job
from weft.types import Fetched, Outcome, Refusal, Visit
from weft.url import is_own_request, origin_of, scheme_of, split
from weft.workers.worker_process import HANG_AFTER_S

if TYPE_CHECKING:
    from weft.pipeline.hooks import Hooks

# A host that answers this often in a row that it has had enough is left for another run.
REFUSALS_TO_PARK = 5

REFUSALS_PER_COMMIT = 256
# Responses that wait until the next requests are on their way: as many as are at hand for a worker.
MOST_HELD_BACK = 32


class Visits:
    """Makes visits, and decides what follows."""

    def __init__(
        self,
        context: Context,
        doors: Doors,
        ledger: Ledger,
        frontier: Frontier,
        permission: Permission,
        network: Network,
        rests: Rests,
        workers: ParseWorkers[Work],
        hooks: Hooks | None = None,
    ) -> None:
        self._hooks = hooks
        self._headers_for = network.fetcher.headers_for
        self._config = context.config
        self._clock = context.clock
        self._loop = context.loop
        self._ledger = ledger
        self._frontier = frontier
        self._permission = permission
        self._fetcher, self._budget = doors.fetching(network.fetcher), network.budget
        self._rests = rests
        self._has_functions = bool(self._config.extractors)
        self._awaits_all = wants_of(doors.order).turns
        self._workers = workers
        self.pace = network.pace
        self._under_way: dict[bytes, asyncio.Task[None]] = {}  # by URL; filled by begin, emptied by _make; bound: slots
        # By URL: the response is here, and is handed to a worker in a moment. Bound: MOST_HELD_BACK.
        self._answered: dict[bytes, asyncio.Task[None]] = {}
        # Tasks that have made a visit, each with what it waits for: its next one. Filled by _make_some, emptied by
        # begin; bound: slots and MOST_HELD_BACK.
        self._idle: list[tuple[asyncio.Task[None], asyncio.Future[Visit]]] = []
        # Visits refused at the last moment. Filled by begin, emptied by commit_refusals; bound: REFUSALS_PER_COMMIT.
        self._refused: list[tuple[Visit, Refusal, str]] = []
        self.made = 0
        self.failed = 0  # of those made: no whole response came
        self.received_bytes = 0

    def __len__(self) -> int:
        """How many are under way."""
        return len(self._under_way)

    def halt(self) -> Halt | None:
        """Why no further visit may begin."""
        if self.pace.wait_s(self._clock.monotonic()):
            return Halt.PACE
        return Halt.COMMIT if len(self._refused) >= REFUSALS_PER_COMMIT else None

    def begin(self, visit: Visit) -> None:
        """A URL's turn has come: ask for it, unless it must not be asked for after all."""
        if visit.trouble is not None:
            self._frontier.cancel(visit)
            self.fail(visit, FetchError(visit.trouble))
        elif (refusal := self._permission.refuses(visit)) is not None:
            self._frontier.cancel(visit)
            self._refused.append((visit, refusal, self._permission.rule_of(visit, refusal)))
        else:
            self.pace.begin(self._clock.monotonic())
            if self._idle:
                task, awaited = self._idle.pop()
                awaited.set_result(visit)
            else:
                task = self._loop.spawn(self._make_some(visit))
            self._under_way[visit.id] = task

    def commit_refusals(self) -> None:
        """Write down what was refused at the last moment."""
        if self._refused:
            batch = self._ledger.batch()
            for refused in self._refused:
                self._ledger.refuse(batch, *refused)
            self._refused.clear()
            self._ledger.write(batch)
            self._loop.pump_soon()

    def cancel(self) -> None:
        """Give up what is under way."""
        for task in (*self._under_way.values(), *self._answered.values(), *(task for task, _ in self._idle)):
            task.cancel()

    async def _make_some(self, visit: Visit) -> None:
        """Make one visit after the other: a task for each would cost the loop more than its request does."""
        while True:
            task = await self._make(visit)
            awaited: asyncio.Future[Visit] = self._loop.promise()
            self._idle.append((task, awaited))
            visit = await awaited

    async def _make(self, visit: Visit) -> asyncio.Task[None]:
        try:
            page = await self._fetch(visit)
        finally:
            task = self._under_way.pop(visit.id)
        if page is None:
            self._loop.pump_soon()
        elif self._workers.waiting() < MOST_HELD_BACK:
            await self._process_once_asked(visit, page, task)
        else:  # they are behind: what begins next depends on them
            self._process(visit, page, RESPONSE)
            self._loop.pump_soon()
        return task

    async def _process_once_asked(self, visit: Visit, page: Fetched, task: asyncio.Task[None]) -> None:
        """First of all the connection that has become free is used again: its server would wait for nothing."""
        self._answered[visit.id] = task
        self._workers.announced += 1
        try:
            await self._loop.once_asked()
        finally:
            self._workers.announced -= 1
            del self._answered[visit.id]
        self._process(visit, page, RESPONSE)

    async def _fetch(self, visit: Visit) -> Fetched | None:
        """Ask for a URL, and see to what comes of it; returns a response of which nothing more is to be decided."""
        url, parts = visit.link.url, visit.link.parts
        validators = self._ledger.validators(visit.id)
        if self._hooks is not None and scheme_of(url).is_web:
            parts = await self._hooks.before(visit, self._headers_for(split(url), validators, parts))
        began = self._clock.monotonic()
        try:
            fetched = await self._fetcher.fetch(
                url,
                split(url),
                visit.addresses,
                validators=validators,
                may_reuse=not visit.link.again,
                parts=parts,
                refuses=self._ledger.unwanted.refuses(visit.link),
            )
        except FetchError as error:
            self.made += 1
            self.failed += 1
            waited_s = first_byte_s(error.partial) if error.partial else self._clock.monotonic() - began
            self._frontier.release(visit, answered=False, waited_s=waited_s)
            self._ledger.counters.count_broken(self._receive(error.partial))
            self.fail(visit, error, began)
            return None
        trouble = after(fetched.status, 1) if fetched.status in STATUS_RULES else None
        answered = trouble is None or trouble.who is Who.URL
        is_awaited = self._awaits_all or (fetched.status == 200 and self._ledger.sessions.awaits(visit))
        if parts is not None and parts.method != "GET":
            is_awaited = True  # so a kill finds at most a host's connections posted and not yet committed
        waited_s = first_byte_s(fetched)
        self._frontier.release(
            visit, answered=answered, waited_s=waited_s, is_awaited=is_awaited, reached=fetched.address
        )
        asked_s = self._asked_to_wait_s(fetched) if trouble is not None else 0.0
        if asked_s:  # at once: a user's hook may take its time
            self._frontier.hold(visit.host, asked_s, f"status {fetched.status}")
        again = await self._thrown_away(visit, fetched) if self._hooks is not None else None
        self.made += 1
        self._ledger.counters.count_response(fetched.status, self._receive(fetched))
        if trouble is None and again is None:  # nearly always
            return fetched
        self._respond(visit, fetched, began, again, asked_s)
        return None

    async def _thrown_away(self, visit: Visit, fetched: Fetched) -> Again | None:
        """Whether the user's hook wants none of an answer that would be kept."""
        is_kept = after(fetched.status, visit.link.attempts + 1) is None
        if self._hooks is None or not is_kept or not scheme_of(visit.link.url).is_web:
            return None
        return await self._hooks.after(visit, fetched)

    def fail(self, visit: Visit, error: FetchError, began: float = inf) -> None:
        """No whole response came."""
        if error.on_kept:
            self._repeat(visit, error.outcome, "on a new connection")
            return
        if error.outcome in NO_CONNECTION and self._frontier.miss(visit):
            self._repeat(visit, error.outcome, "at another address")
            return
        if OUTCOME_RULES[error.outcome].spares_url:
            self._rests.after_failure(error.outcome, visit.host, origin_of(visit.link.url), error.outcome, began=began)
            self._repeat(visit, error.outcome, "after a rest")
            return
        retry = after(error.outcome, visit.link.attempts + 1, self._config.retry_wait_scale)
        if retry is None and error.partial is not None:
            self._process(visit, error.partial, error.outcome)
            return
        if error.partial is not None:
            release(error.partial, self._budget)
        if retry is None:
            batch = self._ledger.batch()
            self._ledger.finish(batch, visit, error.outcome)
            self._ledger.write(batch)
            return
        if retry.who is not Who.URL:  # first: the rest becomes durable with the batch of the retry
            self._rests.after_failure(error.outcome, visit.host, origin_of(visit.link.url), error.outcome, began=began)
        self._retry(visit, retry.wait_s, error.outcome)

    def hung(self, host: str) -> None:
        """A page of the host took a worker for as long as one may: it rests twice as long, as slow hosts do."""
        self._frontier.hold(host, 2 * HANG_AFTER_S, "a page of it hangs a worker")

    def _respond(self, visit: Visit, fetched: Fetched, began: float, again: Again | None, asked_s: float) -> None:
        """A response that asks for another try, or that a hook wants none of; the last try's is kept."""
        retry = after(fetched.status, visit.link.attempts + 1, self._config.retry_wait_scale)
        if retry is not None:
            release(fetched, self._budget)
        elif again is not None:
            self._workers.submit(thrown_away_job(fetched, again))
        else:
            self._process(visit, fetched, RESPONSE)
        if retry is not None:
            if retry.who is Who.HOST:
                self._frontier.hold(visit.host, retry.wait_s, f"status {fetched.status}")
                if self._frontier.count_failure(visit.host, began_at=began) >= REFUSALS_TO_PARK:
                    self._frontier.park(visit.host, self._config.max_host_wait_s, f"status {fetched.status}")
            self._retry(visit, max(retry.wait_s, asked_s), RESPONSE, fetched.status)

    def _receive(self, fetched: Fetched | None) -> int:
        """Something has come: how many bytes. The next requests wait for them."""
        received_bytes = received_bytes_of(fetched)
        self.received_bytes += received_bytes
        self.pace.receive(received_bytes, self._clock.monotonic())
        return received_bytes

    def _asked_to_wait_s(self, fetched: Fetched) -> float:
        """Retry-After, where it means that the server has had enough."""
        if fetched.status not in (429, 503):
            return 0.0
        return retry_after_s(fetched.header(b"retry-after") or b"", self._clock.wall()) or 0.0

    def _retry(self, visit: Visit, wait_s: float, outcome: Outcome, status: int = 0) -> None:
        batch = self._ledger.batch()
        self._ledger.retry(batch, visit, wait_s, outcome, status)
        self._ledger.write(batch)

    def _repeat(self, visit: Visit, outcome: Outcome, how: str) -> None:
        batch = self._ledger.batch()
        self._ledger.repeat(batch, visit, outcome, how)
        self._ledger.write(batch)

    def _process(self, visit: Visit, fetched: Fetched, outcome: Outcome) -> None:
        """Hand a response to the workers."""
        link = visit.link
        depth = self._ledger.depth(visit.id, link.depth)
        if depth != link.depth:
            link = msgspec.structs.replace(link, depth=depth)
        # What answers a POST stands for no other page: who reads an archive looks records up by their URLs.
        is_own = is_own_request(link.parts)
        body_hash = None if is_own or not self._ledger.rereads.keeps_archive else hash_of(fetched)
        original, has_come_before = self._ledger.original_of(visit, body_hash)
        is_compared = (
            fetched.status == 200 and not is_own and self._ledger.sessions.compares(visit.id, link.url, visit.host)
        )
        job = PageJob(
            link, fetched, original=original, is_compared=is_compared, is_called=self._has_functions,
            may_be_kept_back=has_come_before,
        )  # fmt: skip
        scope_seeds = len(self._ledger.scope.seeds)
        self._workers.submit(Job(job, PageWork(visit, outcome, body_hash, original, scope_seeds)))


def first_byte_s(fetched: Fetched) -> float:
    """How long a server let us wait. How long it then sent is no sign that it is overburdened: files are long."""
    return fetched.timing.connect_s + fetched.timing.wait_s
