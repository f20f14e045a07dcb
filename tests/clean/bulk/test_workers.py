"""A worker's death loses no page, and only a page that ends worker after worker is set aside."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import uvloop

from tests.pipeline.engine_process import await_others
from weft.clean import PRESETS, Form
from weft.clean.bulk import Cleaning, CleanJob, RawPage, Result, Sizes
from weft.clock import FakeClock
from weft.errors import WeftError
from weft.workers import process
from weft.workers.grace import GRACE_S

from .databases import Place, assert_all_cleaned, count_cleaned, small_page, small_pages, sqlite_place
from .running import WITHIN_S, CleanProcess, cleaning

SMALL = Sizes(read_rows=30, block_pages=10, buffer_blocks=3, write_rows=10, workers=2)


class Listed:
    """Pages of a list, and what became of them: a source and its sink."""

    def __init__(self, pages: Sequence[RawPage]) -> None:
        self._pages = list(pages)
        self.results: list[Result] = []
        self.batches: list[int] = []
        self.is_closed = False

    def remaining(self) -> int:
        return len(self._pages)

    def read(self, rows: int) -> Sequence[RawPage]:
        pages, self._pages = self._pages[:rows], self._pages[rows:]
        return pages

    def write(self, results: Sequence[Result]) -> None:
        self.results += results
        self.batches.append(len(results))

    def close(self) -> None:
        self.is_closed = True


def pages_of(count: int) -> list[RawPage]:
    return [RawPage(f"http://site.test/{number}", small_page(number).encode(), "", number) for number in range(count)]


def run(listed: Listed, sizes: Sizes = SMALL) -> Cleaning:
    bulk = Cleaning(CleanJob(listed, listed), PRESETS["paper"], Form.HTML, sizes)
    assert uvloop.run(bulk.run())
    assert listed.is_closed
    return bulk


def test_pages_are_written_in_the_order_of_reading_and_in_batches() -> None:
    listed = Listed(pages_of(95))
    run(listed)
    assert [result.page.place for result in listed.results] == list(range(95))
    assert listed.batches == [10] * 9 + [5]


def test_nothing_to_do_is_done() -> None:
    listed = Listed([])
    assert run(listed).totals.pages == 0


def test_text_is_cleaned_as_well_as_bytes() -> None:
    listed = Listed([RawPage("http://site.test/", "<p>Straße<script>x</script>")])
    run(listed)
    (result,) = listed.results
    assert result.cleaned is not None
    assert "Straße" in result.cleaned.content
    assert "script" not in result.cleaned.content


def test_workers_that_die_now_and_then_lose_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CRASH_AT", "cleaning:20")  # each worker ends at its twentieth page
    listed = Listed(pages_of(150))
    bulk = run(listed)
    assert [result.page.place for result in listed.results] == list(range(150))
    assert bulk.totals.set_aside == 0
    assert bulk.worker_deaths >= 5


def test_a_page_that_ends_every_worker_is_set_aside_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CRASH_AT", "cleaning:1")
    listed = Listed(pages_of(2))
    run(listed)
    assert [result.reason for result in listed.results] == ["its worker was ended by SIGKILL"] * 2


def test_workers_that_cannot_start_end_it_with_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "turbohtml.py").write_text("raise ImportError('turbohtml is broken')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(process, "start_process", subprocess.Popen)  # a fork would have loaded the good one
    listed = Listed(pages_of(2))
    bulk = Cleaning(CleanJob(listed, listed), PRESETS["paper"], Form.HTML, SMALL)
    with pytest.raises(WeftError, match="turbohtml is broken"):
        uvloop.run(bulk.run())
    assert listed.is_closed


def test_an_error_of_the_source_ends_it_at_once() -> None:
    class Broken(Listed):
        def read(self, rows: int) -> Sequence[RawPage]:
            raise WeftError("the table is gone")

    listed = Broken(pages_of(2))
    bulk = Cleaning(CleanJob(listed, listed), PRESETS["paper"], Form.HTML, SMALL)
    with pytest.raises(WeftError, match="the table is gone"):
        uvloop.run(bulk.run())
    assert listed.is_closed


def test_a_stop_finishes_what_is_in_hand_and_reads_no_more() -> None:
    class Stopping(Listed):
        bulk: Cleaning

        def write(self, results: Sequence[Result]) -> None:
            super().write(results)
            self.bulk.stop()

    listed = Stopping(pages_of(500))
    listed.bulk = Cleaning(CleanJob(listed, listed), PRESETS["paper"], Form.HTML, SMALL)
    assert not uvloop.run(listed.bulk.run())
    places = [result.page.place for result in listed.results]
    assert places == list(range(len(places)))
    assert 10 <= len(places) < 300


def is_further(process: CleanProcess, queue: Place, before: int) -> bool:
    """Whether there are workers, and more is done than before; or all is done."""
    return not process.is_running() or (bool(process.worker_pids()) and count_cleaned(queue) > before)


def test_workers_killed_again_and_again_lose_no_page(tmp_path: Path) -> None:
    queue = sqlite_place(tmp_path)
    pages = small_pages(3000, padding_chars=20_000)
    queue.fill(pages)
    kills = 0
    with cleaning(queue.url, queue.url, "--workers", "2") as process:
        while kills < 4:
            # The first one at once: on a busy machine all may be done soon.
            before = count_cleaned(queue) if kills else -1
            await_others(partial(is_further, process, queue, before), "more pages")
            if not process.is_running():
                break
            with suppress(ProcessLookupError, ValueError):
                os.kill(min(process.worker_pids()), signal.SIGKILL)  # the oldest: one that has begun to work
                kills += 1
        summary = process.wait()
    assert kills >= 1
    assert summary["set_aside"] == 0
    assert_all_cleaned(queue, pages)


def test_stop_ends_a_run_whose_workers_hang_and_leaves_their_pages_for_another() -> None:
    clock = FakeClock()
    listed = Listed(pages_of(95))
    bulk = Cleaning(CleanJob(listed, listed), PRESETS["paper"], Form.HTML, SMALL, clock)

    async def hang_and_stop() -> bool:
        running = asyncio.ensure_future(bulk.run())
        pids: list[int] = []
        while not pids:  # a worker that is stopped before it is ready hangs just as well
            await asyncio.sleep(0.01)
            pids = bulk.worker_pids()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        bulk.stop()
        clock.advance(GRACE_S)
        return await running

    assert not uvloop.run(asyncio.wait_for(hang_and_stop(), WITHIN_S))
    assert listed.is_closed
    assert [result.page.place for result in listed.results] == list(range(len(listed.results)))
    assert len(listed.results) < 95
