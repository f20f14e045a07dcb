"""`weft.crawl` and `weft.resume`: a crawl in a program of yours.

    async for page in weft.crawl("https://example.org", depth=2):
        print(page.url, page.title)

    summary = await weft.crawl("https://example.org", output="crawl-example.org").run()

The crawl runs in a task that owns all of it. A loop holds nothing but an iterator; when it lets go of that, the task
is told to end.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import msgspec

from weft.api.summary import crawl_to_end
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.folder.layout import CrawlFolder, load_config
from weft.live.summary import Summary
from weft.page import Page
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.seeds import with_seeds_logins
from weft.settings.keywords import CrawlSettings
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.values import read_keywords
from weft.types import Fetched, PageRow
from weft.workers.grace import GRACE_S

# After a loop is left, what is under way may take this long to end in order; then it is cut off. Both can be resumed.
# A stop ends by itself when its time of grace is over, and has its index files written then.
STOP_PATIENCE_S = GRACE_S + 10.0


def crawl(*urls: str, output: str | Path | None = None, **settings: Unpack[CrawlSettings]) -> Crawling:
    """Crawl from these URLs; iterate over the result to get its pages, or `await` its `run()`.

    `output` is the crawl folder; one that holds a crawl already is resumed. Without it, the archive goes to a
    temporary folder, which is removed when the crawl has ended and none of its pages is held. The settings are those
    of the command line, politeness included: one request a second to a host, robots.txt obeyed.
    """
    return Crawling(Path(output) if output is not None else None, lambda folder: _open(folder, urls, settings))


def resume(folder: str | Path, *urls: str, retry_failed: bool = False, **settings: Unpack[CrawlSettings]) -> Crawling:
    """Go on with the crawl in a folder; the settings take the place of those it began with, the URLs join its seeds.

    With `retry_failed` what failed for good is tried again, too.
    """
    return Crawling(
        Path(folder), lambda path: open_again(path, urls, read_keywords(settings), retry_failed=retry_failed)
    )


def _open(folder: Path, urls: tuple[str, ...], settings: CrawlSettings) -> Crawl:
    fields = read_keywords(settings)
    if not CrawlFolder.is_one(folder):
        return Crawl.create(folder, CrawlConfig(seeds=urls, **fields))
    stored = load_config(folder)
    if urls and (seeds := _with_seeds(stored, urls, fields).seeds) != stored.seeds:
        raise BadInput(f"{folder} holds a crawl of other URLs: {', '.join(stored.seeds)}; not {', '.join(seeds)}")
    return open_again(folder, urls, fields)


def open_again(folder: Path, urls: Iterable[str], fields: Mapping[str, Any], *, retry_failed: bool = False) -> Crawl:
    """The crawl in a folder, to go on with these fields of its settings changed, and with further seeds."""
    stored = load_config(folder)
    for setting in CRAWL_SETTINGS:
        name = str(setting.field)
        if not setting.on_resume and name in fields and fields[name] != getattr(stored, name):
            raise BadInput(f"{folder} holds a crawl with another {setting.name!r}, which cannot be changed any more")
    asked = _with_seeds(stored, urls, fields)
    seeds = tuple(dict.fromkeys((*stored.seeds, *asked.seeds)))
    return Crawl.resume(folder, retry_failed=retry_failed, **{**fields, "seeds": seeds, "auth": asked.auth})


def _with_seeds(stored: CrawlConfig, urls: Iterable[str], fields: Mapping[str, Any]) -> CrawlConfig:
    """The settings with these seeds; logins that stand in them are settings, too."""
    auth = fields.get("auth", stored.auth)
    return with_seeds_logins(msgspec.structs.replace(stored, seeds=tuple(urls), auth=auth))


class Crawling:
    """A crawl to be iterated over, once. Leaving the loop stops it; nothing that it fetched is lost.

    A slow reader slows the crawl, and no more than a few dozen pages wait in memory. In an `async with` block the
    crawl has certainly ended when the block has.
    """

    def __init__(self, output: Path | None, opens: Callable[[Path], Crawl]) -> None:
        self._run = _Run(output, opens)

    async def run(self) -> Summary:
        """Crawl to the end without handing out pages; returns the figures that the command prints."""
        return await self._run.to_end()

    @property
    def summary(self) -> Summary | None:
        """The figures of the run, once it has ended."""
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

    def __init__(self, run: _Run) -> None:
        self._run = run

    async def __anext__(self) -> Page:
        return await self._run.next_page()

    def __del__(self) -> None:
        self._run.stop_soon()


class _Run:
    """The crawl while it runs: a task, and what is wanted of it from outside."""

    def __init__(self, output: Path | None, opens: Callable[[Path], Crawl]) -> None:
        self._output = output
        self._opens = opens
        self.summary: Summary | None = None
        self._crawl: Crawl | None = None
        self._is_stopping = False
        self._task: asyncio.Task[None] | None = None
        self._folder: _Folder | None = None

    async def next_page(self) -> Page:
        """The next page; StopAsyncIteration when the crawl has ended, or the error that ended it."""
        if self._task is None:
            self._begin()
        delivered = await self._delivery.next(lambda: self._crawl.state if self._crawl is not None else None)
        if delivered is None:
            await self.end()
            assert self._task is not None
            self._task.result()
            raise StopAsyncIteration
        row, kept = delivered
        return Page(row, partial(_loaded, self._crawl, row, kept, self._folder))

    async def to_end(self) -> Summary:
        """Run without a reader."""
        folder = _Folder(self._output)
        self.summary = await crawl_to_end(self._opens(folder.path))
        return self.summary

    def stop_soon(self) -> None:
        """As `_stop`, from wherever the garbage collector runs."""
        if self._task is not None and not self._task.done() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop)

    async def end(self) -> None:
        """Stop, and wait until everything has ended."""
        if self._task is not None and not self._task.done():
            self._stop()
            await asyncio.wait({self._task})
        self._folder = None

    def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._delivery = Delivery()
        self._task = self._loop.create_task(self._work())
        self._task.add_done_callback(self._ended)

    async def _work(self) -> None:
        self._folder = _Folder(self._output)
        self._crawl = self._opens(self._folder.path)
        if self._is_stopping:  # since before it was opened
            self._crawl.stop()
        self.summary = await crawl_to_end(self._crawl, self._delivery)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._delivery.end()
        if not task.cancelled():
            task.exception()  # if the reader is gone, there is nobody to tell

    def _stop(self) -> None:
        """End in order; what takes too long is cut off."""
        assert self._task is not None
        self._delivery.leave()
        self._is_stopping = True
        if self._crawl is not None:
            self._crawl.stop()
        self._loop.call_later(STOP_PATIENCE_S, self._task.cancel)


class _Folder:
    """The crawl folder; a temporary one is removed when nobody holds it any more: neither the crawl, nor a page."""

    def __init__(self, output: Path | None) -> None:
        if output is not None:
            self.path = output
            return
        temporary = tempfile.mkdtemp(prefix="weft-")
        self.path = Path(temporary) / "crawl"
        weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)


def _loaded(crawl: Crawl | None, row: PageRow, kept: Fetched | None, folder: _Folder | None) -> Fetched:
    """The response of a page, which holds the folder for it."""
    assert crawl is not None
    return kept or crawl.load(row)
