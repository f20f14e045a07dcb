"""Crawls that lost their database, and what the tests of `weft repair` look at."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from tests.pipeline.crawling import CRAWL_WITHIN_S, CrawlFiles, crawl_all, quick_config
from tests.pipeline.engine_process import prepare_folder
from tests.pipeline.small_web import SmallWeb
from weft.folder.layout import database_of, load_config
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimDns, SimProcess, SimServer
from weft.types import PageRow, SideRow, Timing

from .crawls import resuming, wait_for_writes

# What the archive does not tell; or tells only in part, as with the time.
UNKNOWN_FIELDS = {"attempts": 1, "timing": Timing(), "noindex": False, "simhash": 0, "near": "", "fetched_at": 0.0,
                  "outside": 0}  # fmt: skip


def lose_database(folder: Path) -> None:
    shutil.rmtree(database_of(folder))


def rows_of(folder: Path) -> dict[str, PageRow]:
    with CrawlReader(folder) as reader:
        return {row.url: row for row in reader.rows()}


def sides_of(folder: Path) -> list[tuple[str, SideRow]]:
    with CrawlReader(folder) as reader:
        return sorted((f"{reader.file_name(file)} {offset:012}", row) for file, offset, row in reader.sides())


def as_far_as_known(row: PageRow) -> PageRow:
    return msgspec.structs.replace(row, **UNKNOWN_FIELDS)


def asked_for(log: RequestLog, port: int) -> dict[str, int]:
    """How often each URL was answered in full."""
    by_url = log.requests_by_url(port)
    return {url: times for url, asked in by_url.items() if (times := sum(request.whole for request in asked))}


def archived(folder: Path) -> Counter[str]:
    """The pages in an archive, whatever its state."""
    files = CrawlFiles.__new__(CrawlFiles)
    files.warcs = sorted((folder / "archive").glob("*.gz"))
    return files.records()["response"]


def half_done(folder: Path, sim: SimProcess, pages: int = 60, **changes: Any) -> None:
    """A crawl stopped in order in the middle."""
    crawl_all(folder, quick_config(sim, max_pages=pages, **changes))


def killed(folder: Path, sim: SimProcess, writes: int = 40, **changes: Any) -> None:
    """A crawl killed in the middle: its files are open."""
    prepare_folder(folder, quick_config(sim, workers=2, fixed=True, **changes))
    settings = folder / "state" / "config.json"
    as_it_was = settings.read_bytes()
    with resuming(folder, "--rate", "30") as run:  # so it is not over before
        assert wait_for_writes(folder, run, writes)
    settings.write_bytes(as_it_was)
    assert list((folder / "archive").glob("*.open"))


def next_record(file: Path, offset: int) -> int:
    return file.read_bytes().index(b"\x1f\x8b\x08", offset + 1)


def cut_off(folder: Path, row: PageRow) -> None:
    """Take a page out of its file, and all that is behind it."""
    with CrawlReader(folder) as reader:
        os.truncate(folder / "archive" / reader.file_name(row.file), row.offset)


def keep_only_page(folder: Path, url: str) -> None:
    """Cut the archive behind a page, as if the crawl had been killed then."""
    row = rows_of(folder)[url]
    with CrawlReader(folder) as reader:
        name = reader.file_name(row.file)
    for file in (folder / "archive").iterdir():
        if file.name != name:
            file.unlink()
    file = folder / "archive" / name
    behind = [
        other.offset for other in rows_of(folder).values() if other.file == row.file and other.offset > row.offset
    ]
    os.truncate(file, min(behind, default=file.stat().st_size))


class RestartedWeb(SmallWeb):
    """A web that can be served again at the ports that it had."""

    def resume(self, folder: Path, **changes: Any) -> Ending:
        async def serve_and_resume() -> Ending:
            async with SimServer(self.web, self.web.port) as server:
                dns_port = int(load_config(folder).dns_servers[0].rpartition(":")[2])
                async with SimDns(server.web, port=dns_port):
                    return await Crawl.resume(folder, **changes).run()

        return uvloop.run(asyncio.wait_for(serve_and_resume(), CRAWL_WITHIN_S))


class StoppedError(Exception):
    """Stands for a kill."""


def stop_at_second_file() -> Callable[[str, int], None]:
    files = set()

    def progress(file: str, pages: int) -> None:
        files.add(file)
        if len(files) == 2:
            raise StoppedError

    return progress
