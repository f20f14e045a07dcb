"""`weft.crawl_sync` and `weft.resume_sync`: a crawl in a script or notebook, without `async`.

    for page in weft.crawl_sync("https://example.org", depth=2):
        print(page.url, page.title)

The crawl runs in a thread with a loop of its own, so it does not matter whether one runs already.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar, Unpack

from weft.api.crawl import plan_to_crawl, plan_to_resume
from weft.api.crawl_run import NOT_RUNNING, STOP_PATIENCE_S, CrawlRun, Plan, Responses
from weft.api.loop_thread import LoopThread
from weft.api.stats import Stats
from weft.errors import BadInput
from weft.live.summary import Summary
from weft.page import Page, Request, RequestOptions
from weft.program import stop_if_only_loaded  # in this thread: it is told in none but it
from weft.settings.keywords import CrawlSettings

Result = TypeVar("Result")

PATIENCE_S: Final = STOP_PATIENCE_S + 10.0  # what is cut off has to close its files, too


def crawl_sync(
    *urls: str,
    output: str | Path | None = None,
    responses: Responses = "pages",
    allow_empty: bool = False,
    **settings: Unpack[CrawlSettings],
) -> SyncCrawling:
    """As `weft.crawl`, for programs without `async`: iterate over the result with `for`, or call its `run()`."""
    return SyncCrawling(plan_to_crawl(urls, output, responses, settings, allow_empty=allow_empty))


def resume_sync(
    folder: str | Path,
    *urls: str,
    retry_failed: bool = False,
    responses: Responses = "pages",
    allow_empty: bool = False,
    **settings: Unpack[CrawlSettings],
) -> SyncCrawling:
    """As `weft.resume`, for programs without `async`."""
    return SyncCrawling(
        plan_to_resume(folder, urls, responses, settings, retry_failed=retry_failed, allow_empty=allow_empty)
    )


class SyncCrawling:
    """A crawl to be iterated over, once, with `for`. Leaving the loop stops it; nothing that it fetched is lost.

    Ctrl-C ends the crawl in order and raises KeyboardInterrupt; a second one does not wait. In a `with` block the crawl
    has certainly ended when the block has; without one it ends beside the program, or with it.
    """

    def __init__(self, plan: Plan) -> None:
        self._run = _SyncRun(plan)

    def run(self) -> Summary:
        """Crawl to the end without handing out pages, or what is left of it; returns the figures."""
        return self._run.to_end()

    def follow(self, url: str | Request, **options: Unpack[RequestOptions]) -> None:
        """Visit this URL, too: a link of the page that the loop has, found by the program. As `Crawling.follow`."""
        self._run.follow(url, options)

    def stop(self) -> None:
        """End early, in order: the loop gets what is under way, and then ends. From any thread, or a signal handler."""
        self._run.crawl.stop()

    @property
    def stats(self) -> Stats:
        """How it stands at this moment: before it begins, while it runs, and after."""
        return self._run.crawl.stats()

    @property
    def summary(self) -> Summary | None:
        """The figures of the run, once it has ended, however it ended; None before.

        After the loop was left, it waits for the end.
        """
        return self._run.summary()

    def __iter__(self) -> Iterator[Page]:
        return _SyncPages(self._run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._run.end()


class _SyncPages(Iterator[Page]):
    """What a loop holds, and nobody else: when it goes, the loop has been left."""

    def __init__(self, run: _SyncRun) -> None:
        self._run = run

    def __next__(self) -> Page:
        if (page := self._run.next_page()) is None:
            raise StopIteration
        return page

    def __del__(self) -> None:
        self._run.leave_soon()


class _SyncRun:
    """A run and the thread it lives in."""

    def __init__(self, plan: Plan) -> None:
        self.crawl = CrawlRun(plan)
        self._thread = LoopThread(self._leave, PATIENCE_S)
        self._is_left = False

    def next_page(self) -> Page | None:
        """The next page; None when the crawl has ended. Raises the error that ended it, once."""
        stop_if_only_loaded()
        if self._thread.has_ended:
            return None
        page = self._call(self.crawl.next_page)
        if page is None:
            self.end()
        return page

    def to_end(self) -> Summary:
        """Hand out nothing more, and wait for the end."""
        stop_if_only_loaded()
        if not self._thread.has_ended:
            self._call(self.crawl.to_end)
            self.end()
        return self.crawl.result()

    def follow(self, url: str | Request, options: RequestOptions) -> None:
        """Queue what the reader asks for."""

        async def follow() -> None:
            self.crawl.follow(url, options)

        if self.crawl.has_ended:
            raise BadInput(NOT_RUNNING)
        try:
            self._thread.call(follow)
        except CancelledError:
            raise BadInput(NOT_RUNNING) from None

    def summary(self) -> Summary | None:
        """The figures; if the reader has left, as soon as they are there."""
        if self._is_left:
            self._thread.wait()
        return self.crawl.summary

    def leave_soon(self) -> None:
        """The reader is gone, and does not wait."""
        self._is_left = True
        self._thread.leave_soon()

    def end(self) -> None:
        """Stop in order, and wait until all has ended. Who is interrupted here does not wait any longer."""
        self._thread.leave_soon()
        try:
            self._thread.wait()
        except KeyboardInterrupt:
            self._thread.soon(self.crawl.cut_off)
            self._thread.wait()
            raise

    def _call(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result | None:
        try:
            return self._thread.call(work)
        except CancelledError:  # it was ended by another thread
            return None
        except BaseException:  # the error that ended the crawl, or Ctrl-C
            self.end()
            raise

    def _leave(self, when_over: Callable[[], None]) -> None:
        self.crawl.leave()
        self.crawl.on_end(when_over)
