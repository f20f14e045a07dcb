"""The command `weft` in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.pipeline.engine_process import ArchiveWatcher, weft_command, weft_environment
from tests.warm_weft import WarmWeft, start_program
from weft.simweb import SimProcess

WITHIN_S = 60
SLOWED = ("--rate", "10")
UNSLOWED = ("--rate", "none")  # when it is resumed
FEW_WRITES = 5


class Finished:
    """A command that has ended. One with an environment of its own is started in the usual way."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        stdin: str | bytes = "",
        environment: dict[str, str] | None = None,
        within_s: float = WITHIN_S,
    ) -> None:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        run = _run_warm if environment is None else _run_cold
        self.code, out, errors = run(arguments, own_environment() | (environment or {}), cwd, given, within_s)
        self.out = out.decode()
        self.errors = errors.decode()

    def summary(self) -> dict[str, Any]:
        """The object that --json prints last."""
        summary = json.loads(self.out.splitlines()[-1])
        assert isinstance(summary, dict)
        return summary


def _run_warm(
    arguments: tuple[str, ...], environment: dict[str, str], cwd: Path, stdin: bytes, within_s: float
) -> tuple[int, bytes, bytes]:
    command = WarmWeft(*arguments, environment=environment, cwd=cwd, stdin=stdin)
    try:
        out, errors = command.communicate(timeout=within_s)
    finally:
        command.kill()
    return command.returncode, out, errors


def _run_cold(
    arguments: tuple[str, ...], environment: dict[str, str], cwd: Path, stdin: bytes, within_s: float
) -> tuple[int, bytes, bytes]:
    command = weft_command(*arguments)
    done = subprocess.run(command, env=environment, cwd=cwd, input=stdin, capture_output=True, timeout=within_s)
    return done.returncode, done.stdout, done.stderr


def logged(errors: str, subject: str) -> list[str]:
    """What the log of a crawl on standard error, as text, says of a subject."""
    lines = (line.partition(f" weft.{subject}: ") for line in errors.splitlines())
    return [message for _, is_of_subject, message in lines if is_of_subject]


def own_environment() -> dict[str, str]:
    """An environment in which no setting of the user's is found."""
    inherited = {name: value for name, value in weft_environment().items() if not name.startswith("WEFT_")}
    return inherited | {"XDG_CONFIG_HOME": os.devnull}


def simweb_flags(sim: SimProcess) -> list[str]:
    return ["--scope", "any", "--delay", "0", "--dns-server", sim.dns, "--allow-private"]


def crawl(sim: SimProcess, cwd: Path, *more: str) -> Finished:
    """`weft crawl` of a whole synthetic web into the folder `crawl`."""
    return Finished("crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim), *more, cwd=cwd)


def assert_is_one_sentence(done: Finished) -> None:
    """What a person reads after a mistake: a line from weft, no traceback, nothing on stdout."""
    assert done.out == ""
    lines = [line for line in done.errors.splitlines() if not line.startswith("Servers' owners like")]
    assert len(lines) == 1, done.errors
    assert lines[0].startswith("weft: ")
    assert "Traceback" not in done.errors


@contextmanager
def running_crawl(sim: SimProcess, cwd: Path, *seeds: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl that has written some pages and still has many to go; it does not outlive the block.

    It is slow, so that it is not over before a busy machine comes to the test again; UNSLOWED lets it go on faster.
    """
    (cwd / "crawl" / "archive").mkdir(parents=True)
    watcher = ArchiveWatcher(cwd / "crawl")
    flags = [*simweb_flags(sim), "--json", "--connections-per-host", "2", *SLOWED]
    process = start_program(
        weft_command("crawl", *(seeds or sim.seeds), "-o", "crawl", *flags),
        env=own_environment(),
        cwd=cwd,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert watcher.wait_for_writes(FEW_WRITES, lambda: process.poll() is not None)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)
