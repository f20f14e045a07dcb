"""A crawl as an object with a life: iterated over, looked at, stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self, Unpack

from weft.api.crawl_run import CrawlRun, Plan
from weft.api.stats import Stats
from weft.live.summary import Summary
from weft.page import Page, Request, RequestOptions


class Crawling:
    """A crawl to be iterated over, once. Leaving the loop stops it; nothing that it fetched is lost.

    A slow reader slows the crawl, and no more than a few dozen pages wait in memory. In an `async with` block the
    crawl has certainly ended when the block has.
    """

    def __init__(self, plan: Plan) -> None:
        self._run = CrawlRun(plan)

    async def run(self) -> Summary:
        """Crawl to the end without handing out pages; returns the figures that the command prints.

        After a loop that was left it hands out nothing more, waits for the end and returns the figures. Who cancels
        it has the crawl end in order.
        """
        return await self._run.to_end()

    def follow(self, url: str | Request, **options: Unpack[RequestOptions]) -> None:
        """Visit this URL, too: a link of the page that the loop has, found by the program.

        It goes the way of every link, through scope, filters and robots.txt, and its page comes to the loop. A POST
        has `data` or `json`. What is asked for is safe on disk on return; one that was asked for before is not again.
        """
        self._run.follow(url, options)

    def stop(self) -> None:
        """End early, in order: the loop gets what is under way, if that ends within ten seconds, and then ends.

        It may be called from everywhere: the loop, another thread, a signal handler. What is queued waits for `resume`.
        """
        self._run.stop()

    @property
    def stats(self) -> Stats:
        """How it stands at this moment: before it begins, while it runs, and after."""
        return self._run.stats()

    @property
    def summary(self) -> Summary | None:
        """The figures of the run, once it has ended, however it ended; None before."""
        return self._run.summary

    def __aiter__(self) -> AsyncIterator[Page]:
        return _Pages(self._run)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._run.end()


class _Pages(AsyncIterator[Page]):
    """What a loop holds, and nobody else: when it goes, the loop has been left."""

    def __init__(self, run: CrawlRun) -> None:
        self._run = run

    async def __anext__(self) -> Page:
        if (page := await self._run.next_page()) is None:
            raise StopAsyncIteration
        return page

    def __del__(self) -> None:
        self._run.leave_soon()
