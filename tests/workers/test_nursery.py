"""Workers that a command has forked are as those that it starts by exec."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.pipeline.engine_process import await_others, is_alive

WITHIN_S = 60.0


def said_by(command: str) -> str:
    """What a command of `nursery_command` prints; it must succeed."""
    done = subprocess.run(_words(command), env=_environment(), capture_output=True, text=True, timeout=WITHIN_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _words(command: str) -> list[str]:
    return [sys.executable, "-m", "tests.workers.nursery_command", command]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_fork_finds_what_exec_would_have_given_it() -> None:
    forked, by_exec = map(json.loads, said_by("look").splitlines())
    assert len(forked["descriptors"]) == 3 + 4  # nothing else that the command, or its nursery, has open
    assert forked["blocked"]  # it begins deaf
    assert forked == by_exec


def test_a_fork_ends_as_a_process_ends() -> None:
    assert said_by("endings").splitlines() == ["3 ", "0 ", "0 said at exit", "1 LookupError: this one fails"]


def test_what_the_command_has_printed_before_is_said_once() -> None:
    assert said_by("unsaid") == "once "


def test_where_the_nursery_was_killed_workers_are_started_by_exec() -> None:
    assert said_by("killed").splitlines() == ["Popen True", "Popen True"]


def test_a_nursery_that_does_not_answer_is_ended() -> None:
    assert said_by("stopped").splitlines() == ["Popen True"]


def test_a_program_with_threads_has_no_nursery() -> None:
    assert said_by("with_threads").splitlines() == ["Popen"]


def test_other_threads_and_forks_of_the_command_start_theirs_by_exec() -> None:
    assert said_by("elsewhere").splitlines() == ["Popen", "Popen True", "ForkedChild"]


def test_nursery_and_worker_die_with_the_command() -> None:
    with subprocess.Popen(_words("left"), env=_environment(), stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        pids = [int(word) for word in command.stdout.readline().split()]
        command.kill()
    await_others(lambda: not any(map(is_alive, pids)), "their end")
