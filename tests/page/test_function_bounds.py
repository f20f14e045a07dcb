"""The bounds on a user's functions: what they interrupt, what they undo, and that good functions feel nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import WITHIN_S, own_environment
from weft.workers.time_bound import EXIT_DEAF

MIB = 1024 * 1024


class Called:
    """Functions that were called one after the other, in a process of their own."""

    def __init__(
        self, folder: Path, *names: str, time_s: float = 30.0, memory_bytes: int = 10**9, log_bytes: int = 10 * MIB
    ) -> None:
        read_end, write_end = os.pipe()
        log = folder / "log"
        bounds = [str(write_end), str(log), str(time_s), str(memory_bytes), str(log_bytes)]
        command = [sys.executable, "-m", "tests.page.bounded", *bounds, *names]
        with subprocess.Popen(
            command, pass_fds=[write_end], stdin=subprocess.DEVNULL, env=own_environment()
        ) as process:
            os.close(write_end)
            with open(read_end, "rb") as reports:
                self.reports: list[dict[str, Any]] = [json.loads(line) for line in reports]
            self.code = process.wait(WITHIN_S)
        self.log = log.read_bytes()

    @property
    def failed(self) -> list[int]:
        return [report["failed"] for report in self.reports]


def test_what_takes_too_long_is_interrupted_and_the_next_call_has_all_its_time(tmp_path: Path) -> None:
    names = ["loop", "be_quick", "sleep", "backtrack", "loop_in_except", "yield_nothing_for_ever", "be_quick"]
    called = Called(tmp_path, *names, time_s=0.5)
    assert (called.code, called.failed) == (0, [1, 0, 1, 1, 1, 1, 0])
    assert called.log.count(b"TookTooLong: it took longer than 0.5 s") >= 5


def test_what_cannot_be_interrupted_ends_its_worker(tmp_path: Path) -> None:
    called = Called(tmp_path, "swallow", "be_quick", time_s=0.1)
    assert (called.code, called.reports) == (EXIT_DEAF, [])


def test_an_error_that_takes_for_ever_to_write_is_interrupted_too(tmp_path: Path) -> None:
    called = Called(tmp_path, "raise_unspeakable", "be_quick", time_s=0.5)
    assert (called.code, called.failed) == (0, [1, 0])
    assert b"Unspeakable" in called.log


def test_growth_ends_in_a_memory_error_and_the_next_call_has_all_its_memory(tmp_path: Path) -> None:
    called = Called(tmp_path, "grow", "grow_at_once", "be_quick", memory_bytes=100 * MIB)
    assert (called.code, called.failed) == (0, [1, 1, 0])
    assert called.log.count(b"MemoryError") == 2
    assert not any(report["grown"] for report in called.reports), "it was given back"


@pytest.mark.parametrize("bad", ["change_signals", "change_folder", "close_streams", "replace_streams"])
def test_what_a_function_changes_is_as_before_in_the_next_call(tmp_path: Path, bad: str) -> None:
    called = Called(tmp_path, "look", bad, "look", "loop", "say", time_s=0.5)
    assert (called.code, called.failed) == (0, [0, 0, 0, 1, 0])
    assert called.reports[0]["items"] == called.reports[2]["items"]
    assert b"words on stdout" in called.log
    assert b"words on stderr" in called.log


@pytest.mark.parametrize("bad", ["write_for_ever", "print_for_ever"])
def test_what_is_printed_is_bounded_and_errors_are_told_all_the_same(tmp_path: Path, bad: str) -> None:
    called = Called(tmp_path, "say", bad, "say", bad, "leave", time_s=1.0, log_bytes=MIB)
    assert (called.code, called.failed) == (0, [0, 1, 0, 1, 1])
    first, after_flood, *later = [report["log"] for report in called.reports]
    assert first < MIB < after_flood
    assert later[-1] - after_flood < 100_000, "nothing but errors"
    assert called.log.count(b"words on stdout") == 1
    assert called.log.count(b"what functions print is left out from here on") == 1
    assert b"SystemExit: 0" in called.log


def test_a_good_function_feels_nothing(tmp_path: Path) -> None:
    called = Called(tmp_path, *["be_quick"] * 50, time_s=0.5)
    assert (called.code, sum(called.failed)) == (0, 0)
    assert called.log == b""


def test_who_takes_long_within_its_time_shows_that_it_lives(tmp_path: Path) -> None:
    called = Called(tmp_path, "be_quick", "be_slow")
    assert [(report["failed"], report["signs"] > 0) for report in called.reports] == [(0, False), (0, True)]
