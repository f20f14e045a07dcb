"""What a crawl tells of itself while it runs and at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from weft.api.summary import crawl_to_end
from weft.live import watch as module
from weft.live.reader import read_history, read_status
from weft.live.status import State, Status
from weft.pipeline.crawl import Crawl
from weft.pipeline.run import Run
from weft.pipeline.run import alone as alone

from .hosts import Hosts


def told(folder: Path) -> Status:
    status = read_status(folder)
    assert status is not None
    return status


def test_the_last_status_has_the_figures_of_the_summary_however_short_the_crawl_was(tmp_path: Path) -> None:
    with Hosts(count=1, pages=4) as hosts:
        crawl = Crawl.create(tmp_path / "crawl", hosts.config(hosts=1, delay_s=0.0))
        summary = uvloop.run(crawl_to_end(crawl))
    status = told(tmp_path / "crawl")
    assert (status.state, status.exit, status.pages) == (State.ENDED, "done", 5)
    assert status.cpu_s == summary.cpu_s
    assert [(host.name, host.pages) for host in status.by_pages] == [(hosts.names[0], 5)]
    assert len(status.newest) == 5
    assert status.kinds["OK"] == 5
    assert status.under_way == status.parsing == 0
    assert status.warnings == []


def test_while_index_files_are_written_the_crawl_is_finishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[State] = []
    write = Run._write_index

    def looked_at(run: Run, is_halted: Callable[[], bool]) -> None:
        states.append(told(tmp_path / "crawl").state)
        write(run, is_halted)

    monkeypatch.setattr(Run, "_write_index", looked_at)
    with Hosts(count=1, pages=4) as hosts:
        uvloop.run(crawl_to_end(Crawl.create(tmp_path / "crawl", hosts.config(hosts=1, delay_s=0.0))))
    assert states == [State.FINISHING]


def test_a_status_that_cannot_be_written_costs_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path, status: Status) -> None:
        raise OSError(28, "No space left on device")

    with Hosts(count=1, pages=20) as hosts:
        crawl = Crawl.create(tmp_path / "crawl", hosts.config(hosts=1, delay_s=0.0))
        monkeypatch.setattr(module, "write_status", full)
        uvloop.run(asyncio.wait_for(crawl.run(open_doors=module.Watch(crawl).doors(alone)), 60))
    assert crawl.counters.pages == 21


def test_a_crawl_that_is_resumed_goes_on_with_its_curves_and_hosts(tmp_path: Path) -> None:
    with Hosts(count=1, pages=10) as hosts:
        config = hosts.config(hosts=1, delay_s=0.0, max_pages=3)
        uvloop.run(crawl_to_end(Crawl.create(tmp_path / "crawl", config)))
        before = read_history(tmp_path / "crawl")
        uvloop.run(crawl_to_end(Crawl.resume(tmp_path / "crawl", max_pages=None)))
    status = told(tmp_path / "crawl")
    assert (status.pages, status.by_pages[0].pages) == (11, 11)
    assert read_history(tmp_path / "crawl")[: len(before)] == before
