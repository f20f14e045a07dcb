# mypy: disable-error-code="import-untyped"
"""Running a command and measuring it from outside, the same way for every tool."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

PR_SET_PDEATHSIG = 1
POLL_S = 0.02
SAMPLE_MEMORY_EVERY_S = 0.25
STOP_TIMEOUT_S = 15.0

_libc = ctypes.CDLL(None)


class CommandFailed(Exception):
    """A tool that is measured did not end as it should."""


@dataclass(slots=True, frozen=True)
class Measured:
    """One run of a command."""

    seconds: float  # from its start to its exit
    cpu_s: float  # of the command and all processes it started and waited for
    peak_memory_bytes: int  # of all its processes at one moment; what they share counts once
    exit_code: int
    output: str


def die_with_parent() -> None:
    """For `preexec_fn`: the child ends when the bench does, however that ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run_measured(command: list[str], *, log: Path, cwd: Path | None = None) -> Measured:
    """Run a command to its end; what it says on stderr goes to `log`."""
    output = log.with_suffix(".out")
    with output.open("wb") as stdout, log.open("wb") as stderr:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=cwd,
            preexec_fn=die_with_parent,
        )
        try:
            peak_bytes, usage = _watch(process)
        finally:
            seconds = time.monotonic() - began
            if process.returncode is None:
                _stop(process)
    return Measured(
        seconds=seconds,
        cpu_s=usage[0] + usage[1],
        peak_memory_bytes=peak_bytes,
        exit_code=process.returncode,
        output=output.read_text(),
    )


def _watch(process: subprocess.Popen[bytes]) -> tuple[int, tuple[float, float]]:
    """Sample memory until the process ends; gives the peak, and user and system CPU seconds."""
    peak_bytes = 0
    sample_at = 0.0
    while True:
        # wait4 tells the CPU of the process with all the children it waited for; Popen.wait does not.
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return peak_bytes, (usage.ru_utime, usage.ru_stime)
        if time.monotonic() >= sample_at:
            peak_bytes = max(peak_bytes, _memory_bytes(process.pid))
            sample_at = time.monotonic() + SAMPLE_MEMORY_EVERY_S
        time.sleep(POLL_S)


def _memory_bytes(pid: int) -> int:
    """PSS of a process and its descendants: shared pages are divided among those who share them."""
    total = 0
    try:
        root = psutil.Process(pid)
        processes = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):  # just ended
            continue
    return total


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
