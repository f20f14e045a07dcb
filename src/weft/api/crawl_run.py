"""One run of a crawl in a program: a task that owns all of it, and what is wanted of it from outside.

    reader ──next_page──▶ delivery ◀──pages── task: a crawl from its opening to its end
           ──stop, leave─────────────────────▶

The reader may come and go; the task ends when it has nothing left to do, when it is stopped, or when the loop closes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Literal

import msgspec

from weft.api.crawl_failed import CrawlFailed
from weft.api.held_folder import HeldFolder
from weft.api.log_records import end_figures, log_end
from weft.api.stats import State, Stats, stats_of
from weft.api.told_run import errors_logged, told_run
from weft.api.wording import way_on
from weft.errors import BadInput
from weft.live.summary import Summary, summary_of
from weft.page import Page, Request, RequestOptions
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.engine import Ending
from weft.program import stop_if_only_loaded
from weft.state import State as StateRows
from weft.types import Fetched, PageRow
from weft.workers.grace import GRACE_S

# After a loop is left, what is under way may take this long to end in order; then it is cut off. Both can be resumed.
# A stop ends by itself when its time of grace is over, and has its index files written then.
STOP_PATIENCE_S: Final = GRACE_S + 10.0

NOT_RUNNING: Final = "a request can be followed while the crawl runs, in the loop in which it does"

Responses = Literal["pages", "all"]
_RESPONSES: Final = ("pages", "all")


class Plan(msgspec.Struct, frozen=True):
    """What a program wants of a run."""

    output: Path | None  # None: a temporary folder
    opens: Callable[[Path], Crawl]
    responses: Responses = "pages"
    allow_empty: bool = False


class CrawlRun:
    """The crawl while it runs."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.summary: Summary | None = None
        self._crawl: Crawl | None = None
        self._folder: HeldFolder | None = None
        self._delivery: Delivery | None = None  # where somebody reads
        self._loop: asyncio.AbstractEventLoop | None = None  # once it has begun
        self._task: asyncio.Task[None] | None = None
        self._last: PageRow | None = None  # handed out
        self._began = 0.0
        self._is_stopping = False
        self._is_cut_off = False

    # ── for the reader ─────────────────────────────────────────────────────────────────────────────────

    async def next_page(self) -> Page | None:
        """The next page; None when the crawl has ended. Raises the error that ended it."""
        if self._task is None:
            self._delivery = Delivery(everything=self._plan.responses == "all")
            self._begin()
        delivered = await self._delivery.next(self._state) if self._delivery is not None else None
        if delivered is None:
            await self._until_ended()
            return None
        row, kept = delivered
        self._last = row
        return Page(row, partial(_loaded, self._crawl, row, kept, self._folder))

    async def to_end(self) -> Summary:
        """Hand out nothing more, and wait for the end. Who is cancelled here has the crawl end in order first."""
        if self._task is None:
            self._begin()
        elif self._delivery is not None:
            self._delivery.forgo()
        try:
            await self._until_ended()
        except asyncio.CancelledError:
            await self.end()
            raise
        return self.result()

    async def end(self) -> None:
        """Stop, and wait until everything has ended. Who is cancelled here does not wait: it is cut off."""
        if self._task is None:
            return
        if not self._task.done():
            self.leave()
            try:
                await asyncio.wait({self._task})
            except asyncio.CancelledError:
                self.cut_off()
                await asyncio.wait({self._task})
                raise
        self._folder = None

    def follow(self, url: str | Request, options: RequestOptions) -> None:
        """Queue what the reader asks for, as a link of the page that it had last. To be called in the loop."""
        request = url if isinstance(url, Request) else Request(url, **options)
        if request is url and options:
            raise BadInput(f"a weft.Request has all it needs: give {sorted(options)[0]!r} to it")
        if self._crawl is None or self._loop is not _loop_of_this_thread():
            raise BadInput(NOT_RUNNING)
        last = self._last
        self._crawl.follow(request, last.depth + 1 if last is not None else 1, last)

    # ── from any thread ────────────────────────────────────────────────────────────────────────────────

    def stop(self) -> None:
        """Begin nothing more. What is under way ends in order, and the reader gets what came."""
        self._is_stopping = True
        self._soon(self._stop)

    def leave_soon(self) -> None:
        """As `leave`, from wherever the garbage collector runs."""
        self._soon(self.leave)

    def stats(self) -> Stats:
        """How it stands now."""
        if (crawl := self._crawl) is None:
            return Stats(self._state_name())
        seconds = self.summary.seconds if self.summary is not None else time.monotonic() - self._began
        return stats_of(crawl, self._state_name(), seconds, len(self._delivery) if self._delivery is not None else 0)

    def result(self) -> Summary:
        """The figures of a run that has ended; raises the error that ended it."""
        assert self._task is not None
        self._task.result()
        assert self.summary is not None
        return self.summary

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it runs, be it that it has not begun."""
        return self._task is None or self._task.done()

    # ── in the loop's thread ───────────────────────────────────────────────────────────────────────────

    def leave(self) -> None:
        """The reader is gone: end in order; what takes too long is cut off."""
        self._is_stopping = True
        if self._delivery is not None:
            self._delivery.leave()
        self._stop()
        if self._loop is not None:
            self._loop.call_later(STOP_PATIENCE_S, self.cut_off)

    def cut_off(self) -> None:
        """End at once. What is committed is whole."""
        if self._task is not None and not self._task.done():
            self._is_cut_off = True
            self._task.cancel()

    def on_end(self, tell: Callable[[], None]) -> None:
        """Have something called when it has ended; at once if it has."""
        if self._task is None or self._task.done():
            tell()
        else:
            self._task.add_done_callback(lambda task: tell())

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        stop_if_only_loaded()  # before a folder is made
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._task = self._loop.create_task(self._work())
        self._task.add_done_callback(self._ended)

    async def _work(self) -> None:
        plan = self._plan
        try:
            with errors_logged():
                if plan.responses not in _RESPONSES:
                    raise BadInput(f"responses are 'pages' or 'all', not {plan.responses!r}")
                self._folder = folder = HeldFolder(plan.output)
                self._crawl = crawl = plan.opens(folder.path)
                if self._is_stopping:  # since before it was opened
                    crawl.stop()
                self.summary = await told_run(
                    crawl, self._delivery, is_kept=folder.is_kept, allow_empty=plan.allow_empty
                )
        except CrawlFailed as failed:
            self.summary = failed.summary
            raise
        except asyncio.CancelledError:
            self._sum_up_cut_off()
            if not self._is_cut_off:
                raise

    def _sum_up_cut_off(self) -> None:
        """The figures of a run that was not waited for."""
        words, figures = "Cut off before it began.", {}
        if (crawl := self._crawl) is not None:
            self.summary = summary_of(crawl, Ending.INTERRUPTED.value, time.monotonic() - self._began)
            goes_on = f", and {way_on(crawl)}" if self._plan.output is not None else ""
            words, figures = f"Cut off; what was finished is kept{goes_on}.", end_figures(self.summary)
        log_end(Ending.INTERRUPTED.value, words, figures)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self._delivery is not None:
            self._delivery.end()
        if not task.cancelled():
            task.exception()  # if the reader is gone, there is nobody to tell

    async def _until_ended(self) -> None:
        """Wait for the end; raises the error that ended it."""
        assert self._task is not None
        await asyncio.wait({self._task})
        self._folder = None
        self._task.result()

    def _stop(self) -> None:
        if self._crawl is not None:
            self._crawl.stop()

    def _soon(self, call: Callable[[], None]) -> None:
        if self._loop is not None and not self.has_ended and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)

    def _state(self) -> StateRows | None:
        return self._crawl.state if self._crawl is not None else None

    def _state_name(self) -> State:
        if self._task is None:
            return "new"
        if self._task.done():
            return "ended"
        return "stopping" if self._is_stopping else "running"


def _loop_of_this_thread() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _loaded(crawl: Crawl | None, row: PageRow, kept: Fetched | None, folder: HeldFolder | None) -> Fetched:
    """The response of a page, which holds the folder for it."""
    assert crawl is not None
    return kept or crawl.load(row)
