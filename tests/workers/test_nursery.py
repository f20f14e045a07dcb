"""Workers that a command has forked are as those that it starts by exec."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.engine_process import await_others, is_alive
from weft.workers.nursery_process import be_shown_as

WITHIN_S = 60.0


def said_by(command: str, cwd: bytes | None = None, **variables: str) -> str:
    """What a command of `nursery_command` prints; it must succeed."""
    done = subprocess.run(
        _words(command), env=_environment() | variables, cwd=cwd, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _words(command: str) -> list[str]:
    return [sys.executable, "-c", f"from tests.workers import nursery_command; nursery_command.{command}()"]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_fork_finds_what_exec_would_have_given_it() -> None:
    forked, by_exec = map(json.loads, said_by("look", ASKED="yes").splitlines())
    assert len(forked["descriptors"]) == 3 + 4  # nothing else that the command, or its nursery, has open
    assert forked["blocked"]  # it begins deaf
    assert forked == by_exec


@pytest.mark.parametrize("variables", [{"PYTHONSAFEPATH": "1"}, {"PYTHONSAFEPATH": ""}, {"ASKED": "\udcff"}])
def test_it_is_the_same_with_odd_variables_and_folders(variables: dict[str, str], tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    forked, by_exec = map(json.loads, said_by("look", folder, **variables).splitlines())
    assert forked == by_exec


def test_a_fork_ends_as_a_process_ends() -> None:
    assert said_by("endings").splitlines() == ["3 ", "0 ", "0 said at exit", "1 LookupError: this one fails"]


def test_a_fork_may_run_what_the_command_has_imported() -> None:
    assert said_by("known") == "0 \n"


def test_what_the_command_has_printed_before_is_said_once() -> None:
    assert said_by("unsaid") == "once "


def test_where_the_nursery_was_killed_workers_are_started_by_exec() -> None:
    assert said_by("killed").splitlines() == ["Popen True", "Popen True"]


def test_a_nursery_that_does_not_answer_is_ended() -> None:
    assert said_by("stopped").splitlines() == ["Popen True"]


def test_a_command_ends_also_where_its_nursery_does_not() -> None:
    assert said_by("stopped_at_last") == "over\n"


def test_a_nursery_has_ended_and_was_waited_for_when_its_command_ends() -> None:
    """So its CPU counts as the command's."""
    assert said_by("at_last").splitlines() == ["True", "none left"]


def test_a_nursery_that_is_killed_at_work_leaves_no_worker_that_nobody_knows() -> None:
    assert said_by("killed_at_work").splitlines() == ["ForkedChild 1", "Popen 1"]


def test_a_fork_that_is_late_does_not_begin() -> None:
    assert said_by("late").splitlines() == ["Popen", "1"]


def test_workers_with_other_variables_are_started_by_exec() -> None:
    assert said_by("changed").splitlines() == ["Popen", "ForkedChild"]


def test_a_worker_ends_without_what_the_command_does_at_its_end() -> None:
    assert said_by("within").splitlines() == ["not in a worker", "3 ", "1 words", "1 KeyboardInterrupt"]


def test_the_last_descriptor_that_there_may_be_can_be_given() -> None:
    assert said_by("full").splitlines() == ["ForkedChild True"]


def test_another_program_has_no_nursery(tmp_path: Path) -> None:
    """What it has open, or does at its end, would be done by each worker, too."""
    program = tmp_path / "program.py"
    program.write_text("from tests.workers import nursery_command\nnursery_command.changed()")
    done = subprocess.run([sys.executable, program], env=_environment(), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Popen", "Popen"]


def test_a_fork_is_shown_as_far_as_there_is_room() -> None:
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            be_shown_as(["/usr/bin/python-of-ours", "-m", "x" * 100_000])
            os.write(writer, Path("/proc/self/cmdline").read_bytes()[:30])
            os.write(writer, Path("/proc/self/comm").read_bytes())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(writer)
    with open(reader, "rb") as said:
        assert said.read().startswith(b"python-of-ours\0-m\0" + b"x" * 12 + b"python-of-ours\n")


def test_a_nursery_that_cannot_load_runs_nothing_of_its_command(tmp_path: Path) -> None:
    assert said_by("unloadable", RAN=str(tmp_path / "ran")).splitlines() == ["Popen"]
    assert (tmp_path / "ran").read_text() == "once "


@pytest.mark.parametrize(("command", "started_by"), [("orphaned", "Popen"), ("interrupted", "ForkedChild")])
def test_whatever_ends_a_nursery_that_begins_its_commands_code_runs_once(command: str, started_by: str) -> None:
    assert said_by(command) == f"here {started_by}\n"


@pytest.mark.parametrize("system", ["old_headers", "another_library"])
def test_where_the_system_lacks_something_there_is_no_nursery(system: str) -> None:
    assert said_by(system).splitlines() == ["Popen"]


def test_a_command_that_may_not_fork_has_no_nursery() -> None:
    assert said_by("no_process").splitlines() == ["Popen"]


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
