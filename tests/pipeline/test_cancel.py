"""A crawl that is cancelled closes nothing that is still in use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tests.test_in_thread import several_turns
from weft.errors import FolderError
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import Doors
from weft.pipeline.engine import Ending
from weft.pipeline.run import alone
from weft.simweb import SimProcess, WebSpec
from weft.state import Family

from .crawling import (
    CRAWL_WITHIN_S,
    CrawlFiles,
    assert_archive_is_consistent,
    assert_fetched_the_truth,
    quick_config,
    resume,
    until,
)

WEB = WebSpec(hosts=3, pages=30, seed=1)


class Halt:
    """Whoever reads the database in a thread of its own is held up within a scan."""

    def __init__(self) -> None:
        self.is_reached, self.is_over = threading.Event(), threading.Event()

    def open_doors(self, context: Context) -> Doors:
        scan = context.state.scan

        def halting(family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
            for row in scan(family, start, stop):
                if threading.current_thread() is not threading.main_thread():
                    self.is_reached.set()
                    self.is_over.wait()
                yield row

        context.state.scan = halting  # type: ignore[method-assign]
        return alone(context)


def test_a_crawl_cancelled_while_its_index_is_written_halts_that_and_ends_in_order(tmp_path: Path) -> None:
    folder, halt = tmp_path / "crawl", Halt()

    async def cancel_it(crawl: Crawl) -> None:
        running = asyncio.ensure_future(crawl.run(open_doors=halt.open_doors))
        await until(halt.is_reached.is_set)
        for _ in range(2):  # as Ctrl-C is pressed again and again
            running.cancel()
            await several_turns()
        try:
            with pytest.raises(FolderError, match="is in use"):
                Crawl.resume(folder)
        finally:
            halt.is_over.set()
        with pytest.raises(asyncio.CancelledError):
            await running

    with SimProcess(WEB) as sim:
        crawl = Crawl.create(folder, quick_config(sim))
        uvloop.run(asyncio.wait_for(cancel_it(crawl), CRAWL_WITHIN_S))
        assert not (folder / "pages.jsonl").exists()
        assert resume(folder)[0] is Ending.DONE
        files = CrawlFiles(folder)
        assert_fetched_the_truth(files, sim.web.truth())
        assert_archive_is_consistent(files)
