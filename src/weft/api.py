"""weft in a program of yours.

async for page in weft.crawl("https://example.org", depth=2):
print(page.url, page.title)

for page in weft.read("crawl-example.org"):
print(page.url, len(page.body))
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from weft.crawl_settings import CrawlSettings, config_from
from weft.errors import BadInput
from weft.page import Page
from weft.pipeline import Crawl, Ending
from weft.pipeline.delivery import Delivery
from weft.pipeline.reading import CrawlReader
from weft.types import Fetched, PageRow

# After a loop is left, what is under way may take this long to end in order; then it is cut off. Both can be resumed.
STOP_PATIENCE_S = 5.0


def crawl(*urls: str, output: str | Path | None = None, **settings: Unpack[CrawlSettings]) -> Crawling:
    """Crawl from these URLs; iterate over the result to get its pages.

    `output` is the crawl folder; one that holds a crawl already is resumed. Without it, the archive goes to a
    temporary folder that is removed at the end. The settings are those of `weft.CrawlConfig`, politeness included:
    one request a second to a host, robots.txt obeyed.
    """
    return Crawling(urls, Path(output) if output is not None else None, settings)


def read(folder: str | Path) -> Iterator[Page]:
    """The pages of a crawl folder (responses with a 2xx status), also while its crawl runs."""
    with CrawlReader(Path(folder)) as reader:
        for page in reader.pages():
            if 200 <= page.status < 300:
                yield page


class Crawling:
    """A crawl to be iterated over, once. Leaving the loop stops it; nothing that it fetched is lost.

    A slow reader slows the crawl, and no more than a few dozen pages wait in memory. In an `async with` block the
    crawl has certainly ended when the block has.
    """

    def __init__(self, urls: tuple[str, ...], output: Path | None, settings: CrawlSettings) -> None:
        self._urls = urls
        self._output = output
        self._settings = settings
        self._pages: AsyncGenerator[Page, None] | None = None

    def __aiter__(self) -> AsyncGenerator[Page, None]:
        self._pages = self._run()
        return self._pages

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._pages is not None:
            await self._pages.aclose()

    async def _run(self) -> AsyncGenerator[Page, None]:
        with _folder(self._output) as folder:
            crawl = self._open(folder)
            delivery = Delivery()
            running = asyncio.create_task(crawl.run(delivery))
            running.add_done_callback(lambda _: delivery.end())
            try:
                async with aclosing(delivery.pages(lambda: crawl.state)) as delivered:
                    async for row, kept in delivered:
                        yield Page(row, partial(_loaded, crawl, row, kept))
            finally:
                await _end(crawl, running)
            running.result()  # raises what ended the crawl

    def _open(self, folder: Path) -> Crawl:
        if (folder / "state" / "config.json").exists():
            if self._urls:
                raise BadInput(f"{folder} already holds a crawl; without URLs it is resumed")
            changed = config_from(self._settings)
            return Crawl.resume(folder, **{name: getattr(changed, name) for name in self._settings})
        return Crawl.create(folder, config_from(self._settings, self._urls))


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="weft-") as temporary:
        yield Path(temporary) / "crawl"


async def _end(crawl: Crawl, running: asyncio.Task[Ending]) -> None:
    crawl.stop()
    await asyncio.wait({running}, timeout=STOP_PATIENCE_S)
    if not running.done():
        running.cancel()
        await asyncio.wait({running})


def _loaded(crawl: Crawl, row: PageRow, kept: Fetched | None) -> Fetched:
    return kept or crawl.load(row)
