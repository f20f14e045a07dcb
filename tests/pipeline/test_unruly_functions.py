"""Functions of a user that do all they should not: each costs its page's items at most, and nothing else."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from weft.live.summary import summary_of
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawling import CrawlFiles, assert_archive_is_consistent, quick_config, run
from .engine_process import await_others
from .unruly import BAD, FAILING, GOING_ON

SITE = "site.test"
HERE = f"{__package__}.unruly"
NAMES = [*FAILING, *GOING_ON]


def site(paths: list[str]) -> dict[tuple[str, str], Behaviour]:
    """A home page that leads to the paths, each of which leads to one more."""
    links = "".join(f'<p><a href="{path}">x</a>' for path in paths)
    made: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Fixed(f"<!DOCTYPE html><title>Home</title>{links}".encode())}
    for path in paths:
        made[SITE, path] = Fixed(f'<!DOCTYPE html><title>x</title><a href="/from{path}">x</a>'.encode())
        made[SITE, f"/from{path}"] = Fixed(b"<!DOCTYPE html><title>the end</title>")
    return made


class Crawled:
    """A crawl of such a site with a function."""

    def __init__(self, folder: Path, function: str, paths: list[str], **changes: Any) -> None:
        with SimProcess(WebSpec(hosts=1, pages=1), site(paths)) as sim:
            config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), extractors=(f"{HERE}:{function}",), **changes)
            self.crawl = Crawl.create(folder, config)
            self.ending = run(self.crawl)
            self.origin = sim.web.url(SITE, "/")[:-1]
        self.files = CrawlFiles(folder)
        self.log = (folder / "state" / "workers.log").read_text(errors="replace")
        self.items: list[Any] = [json.loads(line) for line in (folder / "items.jsonl").read_bytes().splitlines()]

    def url(self, path: str) -> str:
        return self.origin + path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    paths = [f"{BAD}{name}" for name in NAMES]
    bounds = {"handler_time_s": 1.0, "handler_memory_bytes": 150_000_000}
    return Crawled(tmp_path_factory.mktemp("unruly"), "misbehave", paths, workers=2, **bounds)


def test_the_crawl_goes_on_to_its_end(crawled: Crawled) -> None:
    assert crawled.ending is Ending.DONE
    assert_archive_is_consistent(crawled.files)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_kept_and_its_links_are_followed(crawled: Crawled, name: str) -> None:
    row = crawled.files.row(crawled.url(f"{BAD}{name}"))
    assert (row.outcome, row.status, bool(row.file)) == ("response", 200, True)
    assert crawled.files.row(crawled.url(f"/from{BAD}{name}")).status == 200


def test_the_items_of_all_other_pages_come_once(crawled: Crawled) -> None:
    others = ["/", *(f"/from{BAD}{name}" for name in NAMES)]
    urls = Counter(item["url"] for item in crawled.items if isinstance(item, dict))
    assert urls == Counter(crawled.url(path) for path in others)


def test_what_they_gave_before_they_failed_is_kept(crawled: Crawled) -> None:
    assert crawled.items.count("before") == 1
    assert 0 < crawled.items.count(1) <= 100_001
    given = Counter(item for item in crawled.items if isinstance(item, str))
    assert given == Counter(
        {"before": 1, "forked": 2, "closed": 1, "replaced": 1, "started": 1, "changed": 2, "printed": 1}
    )


def test_each_that_fails_is_counted_and_named_with_its_page(crawled: Crawled) -> None:
    summary = summary_of(crawled.crawl, "done", 1.0)
    assert summary.calls_failed == len(FAILING)
    assert summary.items == len(crawled.items)
    ended = {"swallow", "exit_at_once", "close_all"}
    for name in FAILING:
        url = crawled.url(f"{BAD}{name}")
        if name in ended:
            assert f"the functions are not called with {url}," in crawled.log
        else:
            assert f"the function '{HERE}:misbehave' failed on {url}:\n" in crawled.log, name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("loop", "TookTooLong: it took longer than 1 s"),
        ("sleep", "TookTooLong"),
        ("backtrack", "TookTooLong"),
        ("grow_at_once", "MemoryError"),
        ("leave", "SystemExit: 0"),
        ("recurse", "RecursionError"),
    ],
)
def test_why_it_failed_is_told_with_the_line_of_the_function(crawled: Crawled, name: str, told: str) -> None:
    report = crawled.log.partition(f"failed on {crawled.url(BAD + name)}:\n")[2].partition("failed on")[0]
    assert told in report
    assert "unruly.py" in report


def test_nothing_that_they_started_is_left(crawled: Crawled) -> None:
    """A process that a function forked has the command line of its worker, and so the number of this process."""
    ours = str(os.getpid()).encode()

    def nothing_is_left() -> bool:
        lines = [_command_line(pid).split(b"\0") for pid in os.listdir("/proc") if pid.isdigit()]
        return not any(b"weft.pipeline.worker" in line and ours in line for line in lines)

    await_others(nothing_is_left, "the end of all")


def test_a_worker_that_functions_let_grow_makes_room_for_another(tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(12)]
    made = Crawled(tmp_path, "hoard", paths, workers=1, handler_memory_bytes=100_000_000)
    assert made.ending is Ending.DONE
    assert Counter(item["url"] for item in made.items) == Counter(
        made.url(path) for path in ["/", *paths, *(f"/from{path}" for path in paths)]
    )
    of_worker = Counter(item["worker"] for item in made.items)
    assert len(of_worker) >= 4
    assert max(of_worker.values()) <= 6
    assert made.crawl.counters.items_failed == 0
    assert "keep more memory than they may" in made.log


def _command_line(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""
