"""Kills while extracting: the output is, byte for byte, what it would have been."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.pipeline.engine_process import await_others
from tests.scratch import scratch_folder

from .rig import expected, extracting, items_in, left_in, made

PAGES = 400
POINTS = ("extracting", "extracted", "extract-synced", "extract-entered", "extract-written", "extract-finished")


class Archive:
    """A crawl, and what an undisturbed run makes of it."""

    def __init__(self, folder: Path) -> None:
        self.crawl = made(folder / "crawl", range(PAGES))
        out = folder / "undisturbed.jsonl"
        with extracting(self.crawl, "slow_numbers", out, "--workers", "2") as process:
            assert process.wait() == (0, "")
        self.undisturbed = out.read_bytes()
        found = sorted(items_in(out), key=lambda item: (item["number"], item["place"]))
        assert found == expected(range(PAGES))


@pytest.fixture(scope="module")
def archive() -> Iterator[Archive]:
    with scratch_folder() as folder:
        yield Archive(folder)


def finish(archive: Archive, out: Path) -> None:
    with extracting(archive.crawl, "slow_numbers", out) as process:
        assert process.wait() == (0, "")


def assert_as_undisturbed(archive: Archive, out: Path) -> None:
    assert out.read_bytes() == archive.undisturbed
    assert left_in(out) == set()


def kill_again_and_again(archive: Archive, out: Path, kills: int, seed: int) -> int:
    """Kill engines, groups and workers; returns how many kills hit a run."""
    dice = random.Random(seed)
    hits = 0
    while hits < kills and not out.exists():
        with extracting(archive.crawl, "slow_numbers", out, "--workers", str(dice.randint(1, 3))) as process:
            more = process.written_bytes() + dice.randrange(1, len(archive.undisturbed) // kills)
            await_others(lambda: process.written_bytes() >= more or not process.is_running(), "items", 120)  # noqa: B023
            if dice.random() < 0.3:
                for pid in process.worker_pids()[:1]:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                more += 1000
                await_others(lambda: process.written_bytes() >= more or not process.is_running(), "items", 120)  # noqa: B023
            hits += process.is_running()
            process.kill(with_workers=dice.random() < 0.5)
    if not out.exists() or left_in(out):
        finish(archive, out)
    return hits


def test_kills_lose_and_double_no_item(archive: Archive, tmp_path: Path) -> None:
    kill_until_hit(archive, tmp_path, 2, kills=4)


@pytest.mark.large
def test_thirty_kills_lose_and_double_no_item(archive: Archive, tmp_path: Path) -> None:
    kill_until_hit(archive, tmp_path, 30, kills=10)


def kill_until_hit(archive: Archive, folder: Path, hits: int, kills: int) -> None:
    """Extract again and again until so many kills have hit; one that comes too late ends an extraction."""
    run = 0
    while hits > 0:
        run += 1
        out = folder / f"{run}.jsonl"
        hits -= kill_again_and_again(archive, out, kills, seed=run)
        assert_as_undisturbed(archive, out)


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_where_something_is_half_done_loses_and_doubles_no_item(
    archive: Archive, tmp_path: Path, point: str
) -> None:
    out = tmp_path / "out.jsonl"
    is_worker = point in ("extracting", "extracted")
    number = {"extracting": 60, "extracted": 3}.get(point, 1)
    environment = {"WEFT_CRASH_AT": f"{point}:{number}"}
    with extracting(archive.crawl, "slow_numbers", out, "--workers", "2", **environment) as process:
        if is_worker:  # each worker dies there, and the next one again: the engine goes on
            await_others(lambda: len(list(process.parts.glob("*.at"))) > 4 or not process.is_running(), "deaths", 120)
            process.kill(with_workers=True)
        else:
            code, _ = process.wait()
            assert code == -signal.SIGKILL
    if point != "extract-finished":
        finish(archive, out)
        assert_as_undisturbed(archive, out)
    else:  # what is left of the parts means nothing
        assert out.read_bytes() == archive.undisturbed
