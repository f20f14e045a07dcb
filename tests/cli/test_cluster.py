"""`weft cluster` from the command line."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pipeline.engine_process import await_others, children_of, is_alive, weft_command
from tests.scratch import scratch_folder
from weft.cli.app import _library_of
from weft.cluster.servers import is_healthy

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment


@contextmanager
def up(folder: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`weft cluster up`, and its first line."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        weft_command("cluster", "up", str(folder), *flags), env=own_environment(), stdout=pipe, stderr=pipe, text=True
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline()
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_servers_run_until_they_are_told_to_end(number: signal.Signals) -> None:
    with scratch_folder() as folder, up(folder / "nats") as (process, line):
        assert line.startswith("--nats nats://127.0.0.1:")
        assert line.count(",") == 2
        pids = children_of(process.pid)
        assert len(pids) == 3
        process.send_signal(number)
        assert process.communicate(timeout=WITHIN_S) == ("", "")
        assert process.returncode == 0
        assert not any(map(is_alive, pids))


def test_a_server_that_is_killed_is_started_again() -> None:
    with scratch_folder() as folder, up(folder, "--servers", "1") as (process, line):
        assert line.count("nats://") == 1
        (pid,) = children_of(process.pid)
        os.kill(pid, signal.SIGKILL)
        assert process.stderr is not None
        assert "server 1 has ended" in process.stderr.readline()
        port = int((folder / "ports.json").read_text().strip("[]").split(",")[2])
        await_others(lambda: is_healthy(port), "the server that is started again")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "a command is missing: `weft cluster --help` tells more"),
        (["upp"], 2, "there is no command upp; did you mean up?"),
        (["example.org"], 2, "`weft cluster --help` lists them"),
        (["up"], 2, "DIR is missing"),
        (["up", "nats", "--servers", "2"], 2, "--servers must be 1 or 3, not '2'"),
        (["up", "file"], 6, "file"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(arguments: list[str], code: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = Finished("cluster", *arguments, cwd=tmp_path)
    assert done.code == code
    assert_is_one_sentence(done)
    assert words in done.errors


def test_the_library_behind_nats_is_called_by_the_name_that_installs_it() -> None:
    assert _library_of(ModuleNotFoundError(name="nats.aio.client")) == ("nats-py", True)


def without_nats(*arguments: str, folder: Path) -> Finished:
    """A command where NATS' library is not installed."""
    (folder / "nats.py").write_text("raise ModuleNotFoundError(name='nats')")
    shadowed = {"PYTHONPATH": f"{folder}:{own_environment()['PYTHONPATH']}"}
    return Finished(*arguments, cwd=folder, environment=shadowed)


@pytest.mark.parametrize(
    "command", ["node", "cluster", *(f"cluster {name}" for name in ("up", "start", "status", "dashboard", "rebuild"))]
)
def test_help_is_there_before_the_library_behind_nats(command: str, tmp_path: Path) -> None:
    done = without_nats(*command.split(), "--help", folder=tmp_path)
    assert (done.code, done.errors) == (0, "")
    assert f"Usage: weft {command} " in done.out


@pytest.mark.parametrize("command", ["node big", "cluster start big https://example.org", "cluster status big"])
def test_without_the_library_behind_nats_a_command_says_how_to_get_it(command: str, tmp_path: Path) -> None:
    done = without_nats(*command.split(), "--nats", "nats://127.0.0.1:1", folder=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert "the library nats-py is missing: " in done.errors
