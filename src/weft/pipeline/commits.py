"""What workers report becomes rows: the way back, from a worker's answer to one write."""

from __future__ import annotations

from weft.fetch import MemoryBudget, release
from weft.pipeline.answers import led_on
from weft.pipeline.context import Context
from weft.pipeline.ledger import Ledger
from weft.pipeline.messages import AddSeed, AddSessionRule, PageJob
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.relax import Relaxer
from weft.pipeline.work import WITH_RESPONSE, Job, PageWork, RelaxWork, SideWork, Work
from weft.state import Batch
from weft.types import FoundLink, Outcome, Processed, RefusedLink


class Commits:
    """Writes answers down, in the order in which they stand in the workers' files."""

    def __init__(
        self, context: Context, ledger: Ledger, relaxer: Relaxer, workers: ParseWorkers[Work], budget: MemoryBudget
    ) -> None:
        self._loop = context.loop
        self._ledger = ledger
        self._relaxer = relaxer
        self._workers = workers
        self._budget = budget

    def found(self, links: list[FoundLink], refused: list[RefusedLink]) -> None:
        """A part of a page's links, ahead of its answer. Should the answer never come, they are known all the same."""
        batch = self._ledger.batch()
        self._ledger.list_refused(batch, refused)
        self._ledger.schedule(batch, links)
        self._ledger.write(batch)
        self._loop.pump_soon()

    def processed(self, answers: list[tuple[Job[Work], Processed]]) -> None:
        """Workers answered."""
        batch = self._ledger.batch()
        widening: list[str] = []
        for job, processed in answers:
            work, message = job.subject, job.message
            if isinstance(work, PageWork):  # first: nearly all are
                assert isinstance(message, PageJob)
                fetched, depth = message.fetched, message.link.depth
                if work.visit.link.parts is not None:
                    processed = led_on(work.visit, fetched.status, processed)
                widening += self._ledger.finish(
                    batch, work.visit, work.outcome, fetched, processed, depth, work.original, work.body_hash,
                    work.scope_seeds,
                )  # fmt: skip
            elif isinstance(work, RelaxWork):
                widening += self._relaxer.finish(batch, work, processed)
            elif isinstance(work, SideWork):
                assert processed.location is not None
                is_logged = work.again is None  # else as the try that it was
                self._ledger.keep_side(batch, work.row, processed.location, is_logged=is_logged)
                self._try_again(batch, work)
        self._ledger.write(batch)
        for job, _ in answers:
            self._release(job)
        for url in widening:
            self._workers.pool.broadcast(AddSeed(url))
        for rule in self._ledger.sessions.take_news():
            self._workers.pool.broadcast(AddSessionRule(rule))
        self._loop.pump_soon()

    def poisoned(self, job: Job[Work], processed: Processed | None) -> None:
        """A page ends its workers: it is recorded as such, with its response if that could be stored unparsed."""
        batch = self._ledger.batch()
        if isinstance(job.subject, RelaxWork):
            self._relaxer.finish(batch, job.subject, None)
        elif isinstance(job.subject, SideWork):
            self._try_again(batch, job.subject)
        elif isinstance(job.subject, PageWork) and isinstance(job.message, PageJob):
            work, fetched = job.subject, job.message.fetched
            self._ledger.finish(batch, work.visit, Outcome.POISON, fetched, processed, original=work.original)
        self._release(job)
        self._ledger.write(batch)
        self._loop.pump_soon()

    def _try_again(self, batch: Batch, work: SideWork) -> None:
        """An answer that is no use is archived, or cannot be: its URL returns to the queue."""
        if (again := work.again) is not None:
            self._ledger.retry(batch, again.visit, again.wait_s, Outcome.RESPONSE, work.row.status, f": {again.why}")

    def _release(self, job: Job[Work]) -> None:
        if isinstance(job.message, WITH_RESPONSE):
            release(job.message.fetched, self._budget)
