# mypy: disable-error-code="import-untyped"
"""Running a command and measuring it from outside, the same way for every tool."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

PR_SET_PDEATHSIG = 1
POLL_S = 0.02
SAMPLE_MEMORY_EVERY_S = 0.25
KIB = 1024
LOG_TAIL_CHARS = 2_000

_libc = ctypes.CDLL(None)


class CommandFailed(Exception):
    """A tool that is measured did not end as it should."""


@dataclass(slots=True, frozen=True)
class Measured:
    """One run of a command."""

    seconds: float  # from its start to its exit, or until it was stopped
    cpu_s: float  # of the command and all processes it started and waited for
    peak_memory_bytes: int  # of all its processes at one moment; what they share counts once
    exit_code: int
    was_stopped: bool  # by `enough`
    output: str


def die_with_parent() -> None:
    """For `preexec_fn`: the child ends when the bench does, however that ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run_measured(
    command: list[str],
    *,
    log: Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    enough: Callable[[float], bool] = lambda seconds: False,
) -> Measured:
    """Run a command to its end, or until it has done `enough`, which is told the seconds so far and then kills it.

    What it says on stderr goes to `log`.
    """
    output = log.with_suffix(".out")
    with output.open("wb") as stdout, log.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            preexec_fn=_be_alone,
        )
        try:
            watched = _watch(process, enough)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return Measured(
        seconds=watched.seconds,
        cpu_s=watched.cpu_s,
        peak_memory_bytes=watched.peak_memory_bytes,
        exit_code=process.returncode,
        was_stopped=watched.was_stopped,
        output=output.read_text(errors="replace"),
    )


def each_line(command: list[str], given: bytes, log: Path) -> Iterator[tuple[int, bytes]]:
    """Run a command that reads `given`, and yield each line that it says, with its process id.

    It ends when nobody listens any more. One that fails is CommandFailed, with the end of `log`, where its stderr goes.
    """
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, preexec_fn=die_with_parent
        )
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(given)
            process.stdin.close()
            for line in process.stdout:
                yield process.pid, line
            if process.wait():
                told = log.read_text(errors="replace")[-LOG_TAIL_CHARS:]
                raise CommandFailed(f"{' '.join(command)} ended with {process.returncode}:\n{told}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def memory_bytes(pid: int) -> int:
    """PSS of a process: what it shares is divided among those who share it. 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return next((int(line.split()[1]) * KIB for line in lines if line.startswith("Pss:")), 0)


def _be_alone() -> None:
    """A process group of its own, so that what the command starts can be ended with it."""
    die_with_parent()
    os.setpgrp()


@dataclass(slots=True)
class _Watched:
    seconds: float = 0.0
    cpu_s: float = 0.0
    peak_memory_bytes: int = 0
    was_stopped: bool = False


def _watch(process: subprocess.Popen[bytes], enough: Callable[[float], bool]) -> _Watched:
    """Sample memory until the process ends; what it took then."""
    watched = _Watched()
    began = time.monotonic()
    look_at = began
    while True:
        # wait4 tells the CPU of the process with all the children it waited for; Popen.wait does not.
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        now = time.monotonic()
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            watched.cpu_s = usage.ru_utime + usage.ru_stime
            if not watched.was_stopped:
                watched.seconds = now - began
            return watched
        if now >= look_at and not watched.was_stopped:
            watched.peak_memory_bytes = max(watched.peak_memory_bytes, _memory_of_all(process.pid))
            look_at = now + SAMPLE_MEMORY_EVERY_S
            if enough(now - began):
                os.killpg(process.pid, signal.SIGKILL)
                watched.seconds = time.monotonic() - began
                watched.was_stopped = True
        time.sleep(POLL_S)


def _memory_of_all(pid: int) -> int:
    """Of a process and its descendants."""
    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return 0
    return memory_bytes(pid) + sum(memory_bytes(child.pid) for child in children)
