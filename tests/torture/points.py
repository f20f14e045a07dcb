"""A crash at each named place of `weft.crash_points`, where something is half done; then the crawl is resumed."""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.pipeline.crawling import quick_config
from tests.pipeline.engine_process import (
    WITHIN_S,
    WeftProcess,
    prepare_folder,
    start_weft,
    weft_environment,
)
from tests.scratch import scratch_folder
from weft import crash_points
from weft.cli.exits import Exit
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Stream

from .judging import EXTRACTOR, NOTHING_WRONG, Findings, judge
from .killing import CrawlBroke
from .options import Options
from .table import table

# The process that each place is in, as the table there says.
POINTS = re.findall(r"^\| `([a-z-]+)` \| (engine|worker|clean|cleaner) \|", crash_points.__doc__ or "", re.MULTILINE)
POINTS_OF_COMMANDS = {"command-applied", "command-logged"}  # tests/live/test_steering.py sees to them
PROCESS_OF = {
    name: process for name, process in POINTS if process in ("engine", "worker") and name not in POINTS_OF_COMMANDS
}
# Those of `weft extract`: tests/extract/test_kills.py sees to them.
POINTS_OF_EXTRACT = set(
    re.findall(r"^\| `([a-z-]+)` \| (?:extract|extractor) \|", crash_points.__doc__ or "", re.MULTILINE)
)
# Those of `weft export`: tests/export/test_corpus.py and test_reading.py see to them.
POINTS_OF_EXPORT = set(re.findall(r"^\| `([a-z-]+)` \| (?:export|reader) \|", crash_points.__doc__ or "", re.MULTILINE))
# Those of several engines: tests/engines/test_kills.py sees to them.
POINTS_OF_ENGINES = set(re.findall(r"^\| `([a-z-]+)` \| engines \|", crash_points.__doc__ or "", re.MULTILINE))
# Those of `weft clean`: tests/clean/bulk sees to them.
POINTS_OF_CLEAN = {name for name, _ in POINTS} - PROCESS_OF.keys() - POINTS_OF_COMMANDS

SITE = "large.test"
LARGE_FILES = 4
LARGE_BYTES = 1_100_000  # more than is kept in memory, so each goes to a spool file
SMALL_FILE_BYTES = 5_000  # a crawl fills some dozen of them


class At(NamedTuple):
    """A place, and at which pass of it a process dies."""

    point: str
    number: int = 1
    who: str = ""  # "group": with all others of its crawl

    def __str__(self) -> str:
        return f"{self.point}:{self.number}:{self.who}"


class CrawlEnded(Exception):
    """A crawl came to its end, and no process died where it should have."""


@contextmanager
def point_web(seed: int = 3) -> Iterator[SimProcess]:
    """A small web that takes no time, and a site with large files."""
    large: dict[tuple[str, str], Behaviour] = {
        (SITE, f"/{number}"): Stream(LARGE_BYTES, prefix=b"file %d\n" % number) for number in range(LARGE_FILES)
    }
    with SimProcess(WebSpec(hosts=6, pages=60, seed=seed), large) as sim:
        yield sim


class PointCrawl:
    """A crawl of that web, with an item for each page."""

    def __init__(self, sim: SimProcess, folder: Path, **changes: Any) -> None:
        self.folder = folder
        large = [sim.web.url(SITE, f"/{number}") for number in range(LARGE_FILES)]
        self._status = sim.web.truth().status | dict.fromkeys(large, 200)
        seeds = (*large, *sim.seeds)
        patience = {"response_timeout_s": WITHIN_S, "idle_timeout_s": WITHIN_S}  # on a machine that is busy, too
        prepare_folder(folder, quick_config(sim, seeds=seeds, extractors=(EXTRACTOR,), **patience, **changes))

    def change(self, **changes: Any) -> None:
        """Other settings from now on."""
        Crawl.resume(self.folder, **changes).folder.close()

    def crash(self, at: At) -> None:
        """Run until the process that the place is in dies there; a worker takes its engine with it.

        An engine that outlived it would start another, which dies there, too, and soon give up the page.
        """
        who = "group" if PROCESS_OF[at.point] == "worker" else ""
        with self._engine(at._replace(who=who)) as process:
            _, told = process.communicate(timeout=WITHIN_S)
        if process.returncode in (Exit.DONE, Exit.LIMIT):
            raise CrawlEnded(str(at))
        if process.returncode != -signal.SIGKILL:
            raise CrawlBroke(f"{at}: {told.decode()}")

    def finish_with_dying_workers(self, at: At) -> int:
        """Run to the end, with workers that die at the place again and again; gives how many did."""
        with self._workers_say_nothing():
            self._finish(at)
        with CrawlReader(self.folder) as reader:
            return reader.counters.workers_died

    def finish(self) -> Findings:
        """Run to the end without a crash; gives what is wrong with the crawl."""
        self._finish()
        return self.findings()

    def findings(self) -> Findings:
        """What is wrong with the crawl, now that it is over."""
        return judge(self.folder, self._status)

    @contextmanager
    def _workers_say_nothing(self) -> Iterator[None]:
        """Workers that die meanwhile die of a signal: one that ends in another way says why in the log."""
        log = self.folder / "state" / "workers.log"
        known = len(log.read_text()) if log.exists() else 0
        yield
        if log.exists() and (told := log.read_text()[known:]):
            raise CrawlBroke(f"a worker ended by itself: {told}")

    def _finish(self, at: At | None = None) -> None:
        with self._engine(at) as process:
            _, told = process.communicate(timeout=WITHIN_S)
        if process.returncode != Exit.DONE:
            raise CrawlBroke(f"not done: {told.decode()}")

    @contextmanager
    def _engine(self, at: At | None) -> Iterator[WeftProcess]:
        environment = weft_environment() | ({"WEFT_CRASH_AT": str(at)} if at else {})
        process = start_weft("resume", str(self.folder), "--quiet", environment=environment)
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=WITHIN_S)


# What a crawl must be like to come by a place more than once, or in its middle.
SETTINGS: dict[str, dict[str, Any]] = {
    **{point: {"rate": 40.0, "warc_bytes": SMALL_FILE_BYTES} for point in ("file-known", "renaming", "renamed")},
    # A sync comes every second.
    **{point: {"rate": 40.0} for point in ("files-synced", "items-appended", "sync-written")},
}
LAST_PASS = {
    "file-known": 3,
    "renaming": 2,
    "renamed": 2,
    "files-synced": 2,
    "items-appended": 2,
    "sync-written": 2,
    "record-begun": 2,
}
AT_THE_END = frozenset(("index",))  # of a run, which a limit brings about
AT_THE_START = frozenset(("recovered",))
PAGES_A_RUN = 10
ENOUGH_CRASHES, MOST_CRAWLS = 8, 3


def crash_often(crawl: PointCrawl, point: str, chance: random.Random, times: int) -> int:
    """Crashes at a place, after a while or at once, each followed by one in the recovery; gives how many there were."""
    crashes = 0
    for number in range(times):
        if point in AT_THE_END:
            crawl.change(max_pages=(number + 1) * PAGES_A_RUN)
        once = point in AT_THE_END | AT_THE_START
        try:
            crawl.crash(At(point, 1 if once else chance.randint(1, LAST_PASS.get(point, 8))))
        except CrawlEnded:
            break
        crawl.crash(At("recovered"))
        crashes += 2
    crawl.change(max_pages=None)
    return crashes


def run(options: Options) -> bool:
    """Crashes at all places; True if nothing was lost or doubled, and every place was come by."""
    box = options.time_box()
    chance = random.Random(options.seed)
    rows: list[tuple[object, ...]] = []
    faults: list[str] = []
    with point_web(options.seed) as sim:
        for point, process in PROCESS_OF.items():
            if box.is_over():
                break
            crashes, found = 0, Findings()
            for _ in range(MOST_CRAWLS):
                if crashes < ENOUGH_CRASHES:
                    with scratch_folder() as folder:
                        crawl = PointCrawl(sim, folder / "crawl", **SETTINGS.get(point, {}))
                        crashes += crash_often(crawl, point, chance, times=5)
                        found += crawl.finish()
            lost_and_doubled = (found.pages_lost, found.stored_twice, found.items_lost, found.items_doubled)
            rows.append((point, process, crashes, *lost_and_doubled, not found.faults))
            faults += found.faults
            if not crashes:
                faults.append(f"{point}: not come by")
            elif found != NOTHING_WRONG:
                faults.append(f"{point}: something is lost, doubled or unsound")
    heads = ("point", "in", "crashes", "pages lost", "stored twice", "items lost", "items doubled", "archive clean")
    print(table(heads, rows))
    print("\n".join(faults) or "nothing was lost", flush=True)
    return not faults
