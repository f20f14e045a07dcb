"""Crawls of several engines, and who of them did what."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvloop

from tests.pipeline.crawling import CRAWL_WITHIN_S, CrawlFiles
from tests.pipeline.engine_process import EngineProcess, await_others, children_of
from weft.config import CrawlConfig
from weft.engines.crawl import CrawlOfEngines
from weft.engines.number import MOST_ENGINES
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import WebSpec
from weft.state.several import Runs
from weft.url import bucket_of, host_of


def small_web(seed: int, pages: int = 240) -> WebSpec:
    return WebSpec(hosts=12, pages=pages, seed=seed, reset_share=0.02, latency_ms=(1, 10), page_bytes=1500)


def run(crawl: Crawl) -> Ending:
    return uvloop.run(asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S))


def crawl_all(folder: Path, config: CrawlConfig) -> tuple[Ending, CrawlFiles]:
    ending = run(CrawlOfEngines.create(folder, config))
    return ending, CrawlFiles(folder)


def resume(folder: Path, **changes: Any) -> tuple[Ending, CrawlFiles]:
    ending = run(CrawlOfEngines.resume(folder, **changes))
    return ending, CrawlFiles(folder)


def engines_by_host(files: CrawlFiles) -> dict[str, set[int]]:
    """Which engines archived something of each host: the number of a WARC file tells whose it is."""
    found: dict[str, set[int]] = defaultdict(set)
    for line in files.cdxj_lines:
        fields = json.loads(line.split(b" ", 2)[2])
        if not fields["url"].startswith("dns:"):
            number = int(fields["filename"].removesuffix(".warc.gz").rpartition("-")[2])
            found[host_of(fields["url"])].add(number % MOST_ENGINES)
    return found


def assert_each_host_is_one_engines(files: CrawlFiles, engines: int) -> None:
    """No host was asked by two, and each by the one that has its bucket."""
    runs = Runs(engines)
    by_host = engines_by_host(files)
    assert by_host == {host: {runs.of_bucket(bucket_of(host))} for host in by_host}
    assert len({engine for found in by_host.values() for engine in found}) > 1, "one alone had something to do"


def of_engine(engine: int, engines: int) -> str:
    """The name of a host that an engine has."""
    runs = Runs(engines)
    names = (f"site{number}.test" for number in range(10_000))
    return next(name for name in names if runs.of_bucket(bucket_of(name)) == engine)


def engine_pids(process: EngineProcess) -> list[int]:
    """The engines of a command that runs, but for its own."""
    return [pid for pid in children_of(process.pid) if is_engine(pid)]


def is_engine(pid: int) -> bool:
    try:
        return b"weft.engines.engine_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_an_engine(process: EngineProcess) -> None:
    """SIGKILL to one that is not the command's own."""
    await_others(lambda: bool(engine_pids(process)) or not process.is_running(), "an engine")
    for pid in engine_pids(process)[:1]:
        with suppress(ProcessLookupError):  # it may have ended with the crawl
            os.kill(pid, signal.SIGKILL)
