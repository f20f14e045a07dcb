"""`for page in weft.crawl_sync(...)`: the same life without `async`, wherever it is called, and however it is left."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from tests.api.site import SITE, WITHIN_S, home, quick, serving, site, workers
from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent
from tests.pipeline.engine_process import weft_environment
from weft.simweb import SimProcess
from weft.simweb.behaviour import Behaviour, Delayed, Fixed, Stream

WITH_A_SLOW_PAGE: dict[tuple[str, str], Behaviour] = {
    (SITE, "/"): Fixed(b'<!DOCTYPE html><a href="/slow">x</a>'),
    (SITE, "/slow"): Delayed(600.0, Fixed(b"too late")),
}


def running() -> int:
    """Threads and processes of crawls."""
    return len(workers()) + sum(thread.name == "weft" for thread in threading.enumerate())


def until(holds: Callable[[], bool], what: str) -> None:
    give_up_at = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < give_up_at, f"waited in vain: {what}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    pages = site(120)
    pages[SITE, "/page7"] = Stream(2_000_000, content_type="text/plain")  # so large that it was never in memory
    with serving(pages) as serves:
        yield serves


def all_of(sim: SimProcess) -> list[str]:
    return sorted(sim.web.url(host, path) for host, path in site(120))


def test_a_loop_that_cannot_be_made_is_told_and_not_waited_for(
    sim: SimProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_loop() -> asyncio.AbstractEventLoop:
        raise OSError(errno.EMFILE, "Too many open files")

    crawling = weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim))
    told: list[BaseException] = []

    def crawl() -> None:
        try:
            crawling.run()
        except OSError as error:
            told.append(error)

    with monkeypatch.context() as patched:
        patched.setattr("uvloop.new_event_loop", no_loop)
        for _ in range(2):
            waiting = threading.Thread(target=crawl, daemon=True)
            waiting.start()
            waiting.join(WITHIN_S)
            assert not waiting.is_alive()
    assert [str(error) for error in told] == ["[Errno 24] Too many open files"] * 2
    until(lambda: running() == 0, "the threads end")
    assert crawling.run().pages == len(all_of(sim)), "there is room again"


# ── pages ──────────────────────────────────────────────────────────────────────────────────────────────


def test_every_page_comes_once_and_nothing_is_left_running(sim: SimProcess) -> None:
    crawling = weft.crawl_sync(home(sim), **quick(sim))
    assert crawling.stats == weft.Stats("new")
    kept = []
    for page in crawling:
        kept.append(page)
        assert crawling.stats.state == "running"
        assert crawling.stats.pages >= len(kept)
    assert running() == 0
    assert sorted(page.url for page in kept) == all_of(sim)
    assert max(len(page.body) for page in kept) == 2_000_000, "the temporary folder is there as long as pages are"
    assert crawling.summary is not None
    assert (crawling.summary.exit, crawling.summary.pages, crawling.stats.state) == ("done", 121, "ended")
    assert list(crawling) == []
    assert crawling.run() is crawling.summary


def test_it_runs_to_the_end_where_a_loop_runs_already(sim: SimProcess, tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> weft.Summary:
        return weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim) | {"depth": 0}).run()

    summary = asyncio.run(cell_of_a_notebook())
    assert (summary.exit, summary.pages) == ("done", 1)
    rest = weft.resume_sync(tmp_path / "crawl", depth=None)
    assert len([page.url for page in rest]) == 120
    assert running() == 0


def test_two_crawls_at_a_time_in_threads_do_not_mix(sim: SimProcess, tmp_path: Path) -> None:
    def crawl(name: str) -> None:
        with weft.crawl_sync(home(sim), output=tmp_path / name, **quick(sim)) as pages:
            got[name] = sorted(page.url for page in pages)

    got: dict[str, list[str]] = {}
    both = [threading.Thread(target=crawl, args=(name,)) for name in "ab"]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(WITHIN_S)
    assert got["a"] == got["b"] == all_of(sim)
    assert running() == 0


def test_errors_come_out_and_can_be_had_again(sim: SimProcess, tmp_path: Path) -> None:
    with pytest.raises(weft.BadInput, match="'pages' or 'all'"):
        list(weft.crawl_sync(home(sim), responses="some"))  # type: ignore[arg-type]
    crawling = weft.crawl_sync(home(sim), **quick(sim) | {"allow_private": False})
    for _ in range(2):
        with pytest.raises(weft.CrawlFailed, match="--allow-private permits it"):
            crawling.run()
    (tmp_path / "file").write_text("a file")
    with pytest.raises(weft.FolderError):
        weft.crawl_sync(home(sim), output=tmp_path / "file").run()
    assert running() == 0


# ── leaving ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_stop_hands_out_what_came_and_a_with_block_waits_for_the_end(sim: SimProcess, tmp_path: Path) -> None:
    came = []
    stopped = weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim))
    for page in stopped:
        came.append(page.url)
        stopped.stop()
    assert stopped.summary is not None
    assert (stopped.summary.exit, stopped.summary.pages) == ("interrupted", len(came))
    with weft.resume_sync(tmp_path / "crawl") as left:
        for page in left:
            came.append(page.url)
            break
    assert left.summary is not None
    assert left.summary.exit == "interrupted"
    assert running() == 0
    came += [page.url for page in weft.resume_sync(tmp_path / "crawl")]
    assert sorted(set(came)) == all_of(sim)
    assert len(came) == 122, "only the page at which the loop was left comes again"
    assert_archive_is_consistent(CrawlFiles(tmp_path / "crawl"))


def test_a_loop_that_is_left_ends_the_crawl_beside_the_program(sim: SimProcess, tmp_path: Path) -> None:
    gc.disable()
    try:
        crawling = weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim))
        for _ in crawling:
            break
        assert crawling.summary is not None
        assert crawling.summary.exit == "interrupted"
        assert crawling.run() is crawling.summary
        until(lambda: running() == 0, "the end of the thread")
    finally:
        gc.enable()
    assert workers() == []


def test_an_iterator_in_a_circle_of_garbage_ends_the_crawl_when_it_is_collected(
    sim: SimProcess, tmp_path: Path
) -> None:
    class Holder:
        def __init__(self) -> None:
            self.pages = iter(weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim)))
            self.me = self

    next(Holder().pages)
    gc.collect()
    until(lambda: running() == 0, "the end of the crawl")


def test_it_is_ended_by_another_thread_while_its_reader_waits(tmp_path: Path) -> None:
    """As by a button of a window."""
    came = []
    with serving(site(3)) as sim:
        crawling = weft.crawl_sync(
            home(sim), output=tmp_path / "crawl", **quick(sim) | {"delay": 600.0, "ignore_robots": True}
        )
        for page in crawling:
            came.append(page.url)
            threading.Thread(target=crawling.__exit__, args=(None, None, None)).start()
    assert len(came) == 1
    until(lambda: running() == 0, "the end of the crawl")
    assert crawling.summary is not None
    assert crawling.summary.exit == "interrupted"


# ── programs ───────────────────────────────────────────────────────────────────────────────────────────

PROGRAM = """
import sys
import weft
from tests.api.site import quick

class Sim: dns = sys.argv[2]

pages = weft.crawl_sync(sys.argv[1], output=sys.argv[3] or None, **quick(Sim))
"""
BODIES = {
    "break": "for page in pages:\n    print(page.url, flush=True)\n    break",
    "held": "held = iter(pages)\nprint(next(held).url, flush=True)",
    "raise": "for page in pages:\n    print(page.url, flush=True)\n    1 / 0",
    "fork": "import os\nheld = iter(pages)\nprint(next(held).url, flush=True)\n"
    "from weft.api import loop_thread\n"
    "if os.fork() == 0:\n    os._exit(len(loop_thread._running))\n"
    "sys.exit(os.wait()[1])",
}


def program(sim: SimProcess, body: str, output: Path | None, temporary: Path) -> subprocess.Popen[str]:
    """A user's program in a process of its own."""
    return subprocess.Popen(
        [
            sys.executable,
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            PROGRAM + body,
            home(sim),
            sim.dns,
            str(output or ""),
        ],
        env=weft_environment() | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("how", BODIES)
def test_a_program_that_ends_while_its_crawl_runs_ends_it_in_order(how: str, sim: SimProcess, tmp_path: Path) -> None:
    (temporary := tmp_path / "tmp").mkdir()
    process = program(sim, BODIES[how], tmp_path / "crawl", temporary)
    told, errors = process.communicate(timeout=WITHIN_S)
    assert told.split() == [home(sim)]
    assert (process.returncode, errors.count("Traceback")) == ((1, 1) if how == "raise" else (0, 0)), errors
    assert how == "raise" or errors == ""
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert (tmp_path / "crawl" / "pages.jsonl").exists(), "its index files are written"
    assert {home(sim)} <= {row.url for row in CrawlFiles(tmp_path / "crawl").rows}


def test_a_temporary_folder_goes_with_the_program(sim: SimProcess, tmp_path: Path) -> None:
    process = program(sim, BODIES["held"], None, tmp_path)
    _, errors = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []


WAITING = """
try:
    for page in pages:
        print(page.url, flush=True)
except KeyboardInterrupt:
    print(pages.summary.exit, pages.stats.state, flush=True)
    raise
"""


IN_A_LOOP = """
import asyncio

async def main():
    try:
        for page in pages:
            print(page.url, flush=True)
    except asyncio.CancelledError:
        print(pages.summary.exit, pages.stats.state, flush=True)
        raise

asyncio.run(main())
"""


@pytest.mark.parametrize("body", [WAITING, IN_A_LOOP], ids=["alone", "where a loop runs"])
def test_ctrl_c_ends_the_crawl_in_order_and_raises_keyboard_interrupt(body: str, tmp_path: Path) -> None:
    """It reaches all processes of the terminal at once, while the program waits for the next page."""
    with serving(pages := site(2000)) as sim:
        process = program(sim, body, tmp_path / "crawl", tmp_path)
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(20)]
        os.killpg(process.pid, signal.SIGINT)
        told += process.stdout.read().splitlines()
        _, errors = process.communicate(timeout=WITHIN_S)
        assert told.pop() == "interrupted ended"
        assert process.returncode == -signal.SIGINT
        assert errors.rstrip().endswith("KeyboardInterrupt")
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
        assert (tmp_path / "crawl" / "pages.jsonl").exists()
        rest = [page.url for page in weft.resume_sync(tmp_path / "crawl")]
        assert set(told + rest) == {sim.web.url(host, path) for host, path in pages}


def status_in(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "crawl" / "report.json").read_text())
    return report


def test_a_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    with serving(dict(WITH_A_SLOW_PAGE)) as sim:
        process = program(sim, WAITING, tmp_path / "crawl", tmp_path)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == home(sim)
        until(lambda: (status := status_in(tmp_path))["pages"] == status["under_way"] == 1, "the slow page")
        os.kill(process.pid, signal.SIGINT)
        until(lambda: status_in(tmp_path)["state"] == "stopping", "the stop")
        os.kill(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=WITHIN_S)
    assert rest.split() == ["interrupted", "ended"]
    assert not (tmp_path / "crawl" / "pages.jsonl").exists(), "it was cut off"
