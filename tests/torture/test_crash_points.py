"""A process dies where something is half done; after `resume` nothing is lost and nothing is there twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import weft
from tests.extract.test_kills import POINTS as EXTRACT_POINTS
from tests.scratch import scratch_folder

from .judging import NOTHING_WRONG, Findings
from .points import (
    AT_THE_END,
    POINTS_OF_CLEAN,
    POINTS_OF_COMMANDS,
    POINTS_OF_ENGINES,
    POINTS_OF_EXPORT,
    POINTS_OF_EXTRACT,
    PROCESS_OF,
    SETTINGS,
    At,
    CrawlEnded,
    PointCrawl,
    point_web,
)

KILLS = Path(__file__).parents[1] / "cluster" / "test_node_kills.py"
# Which passes; the later one comes first where the rest of the crawl may be too short for it.
PASSES = {
    "commit": (1, 6),
    "commit-written": (1, 4, 4, 4),  # three times in a row at the same one
    "file-known": (3, 1),
    **dict.fromkeys(("files-synced", "items-appended", "sync-written", "renaming", "renamed"), (2, 1)),
    **dict.fromkeys(AT_THE_END, (1, 1)),
}
LATER_PASS_OF_WORKERS = {"record-begun": 3, "record-written": 40, "records-flushed": 3, "answered": 3}
PAGES_A_RUN = 20
AT_ONCE = 3  # crawls; most of their time goes to starting processes, and some to waiting for a sync

Torment = Callable[[PointCrawl], Findings]


def kill_engine_at(point: str) -> Torment:
    """Some times; a run that comes there at its end is ended by a limit."""

    def torment(crawl: PointCrawl) -> Findings:
        for run, number in enumerate(PASSES[point], 1):
            if point in AT_THE_END:
                crawl.change(max_pages=run * PAGES_A_RUN)
            try:
                crawl.crash(At(point, number))
            except CrawlEnded:  # on a busy machine more is done at once
                if run <= 2:
                    raise
        crawl.change(max_pages=None)
        return crawl.finish()

    return torment


def kill_workers_at(point: str) -> Torment:
    """First a worker together with its engine, then one after another while the engine goes on."""

    def torment(crawl: PointCrawl) -> Findings:
        crawl.crash(At(point))
        if not crawl.finish_with_dying_workers(At(point, LATER_PASS_OF_WORKERS[point])):
            raise CrawlEnded(f"no worker died at {point}")
        return crawl.findings()

    return torment


def kill_in_recovery(crawl: PointCrawl) -> Findings:
    """Recovery from a record half written, from items without their row, and from a file renamed without its row."""
    crawl.change(max_pages=30)
    for point in ("record-begun", "items-appended", "renamed"):
        crawl.crash(At(point))
        crawl.crash(At("recovered"))
    crawl.change(max_pages=None)
    return crawl.finish()


TORMENTS: dict[str, Torment] = {
    **{point: kill_engine_at(point) for point in PASSES},
    **{point: kill_workers_at(point) for point in LATER_PASS_OF_WORKERS},
    "recovered": kill_in_recovery,
}


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[str, Future[Findings]]]:
    """All crawls, side by side in folders of their own."""

    def run(name: str) -> Findings:
        with scratch_folder() as folder:
            return TORMENTS[name](PointCrawl(sim, folder / "crawl", **SETTINGS.get(name, {})))

    with point_web() as sim, ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(run, name) for name in TORMENTS}


@pytest.mark.parametrize("name", TORMENTS)
def test_a_crawl_that_dies_there_loses_nothing(name: str, outcomes: dict[str, Future[Findings]]) -> None:
    assert outcomes[name].result() == NOTHING_WRONG


def test_every_crash_point_of_the_source_is_in_its_table_and_in_this_one() -> None:
    source = Path(weft.__file__).parent
    called = {name for path in source.rglob("*.py") for name in re.findall(r'crash_point\("(.+?)"\)', path.read_text())}
    of_a_cluster = {name for name in called if name.startswith("cluster-")}  # in KILLS
    elsewhere = POINTS_OF_CLEAN | POINTS_OF_COMMANDS | POINTS_OF_ENGINES | POINTS_OF_EXPORT | POINTS_OF_EXTRACT
    assert called - of_a_cluster == PROCESS_OF.keys() | elsewhere
    assert set(EXTRACT_POINTS) == POINTS_OF_EXTRACT
    assert of_a_cluster == set(re.findall(r"cluster-[a-z]+", KILLS.read_text()))
    assert PROCESS_OF.keys() == TORMENTS.keys()
