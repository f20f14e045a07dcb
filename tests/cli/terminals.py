"""A command in a terminal of its own, of any size."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.pipeline.engine_process import weft_command

from .running import WITHIN_S, own_environment

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*3\dm")


def _without_size(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """`weft` with its streams on a pseudo terminal; it does not outlive the block."""

    def __init__(self, *arguments: str, cwd: Path, columns: int = 80, lines: int = 24, **environment: str) -> None:
        self._own, theirs = pty.openpty()
        self.resize(columns, lines)
        self.said = ""  # all of it
        self.process = subprocess.Popen(
            weft_command(*arguments),
            env=_without_size(own_environment()) | {"TERM": "xterm"} | environment,
            cwd=cwd,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # Ctrl-C comes by it
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(WITHIN_S)
        os.close(self._own)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._own, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self._own, keys.encode())

    def read_until(self, has_come: Callable[[str], bool]) -> str:
        """All that was said so far, once it is enough."""
        deadline = time.monotonic() + WITHIN_S
        while not has_come(self.said):
            assert self._read(deadline), f"it has ended: {self.said}"
        return self.said

    def end(self) -> int:
        """Its exit code, when it has ended by itself."""
        deadline = time.monotonic() + WITHIN_S
        while self._read(deadline):
            pass
        return self.process.wait(WITHIN_S)

    def lines(self) -> list[str]:
        """What was written from one movement of the cursor to another."""
        return [line for line in re.split(r"[\r\n]+", ESCAPE.sub("\n", self.said)) if line]

    def _read(self, deadline: float) -> bool:
        assert time.monotonic() < deadline, f"it does not end: {self.said}"
        ready, _, _ = select.select([self._own], [], [], WITHIN_S)
        assert ready, f"nothing more came: {self.said}"
        try:
            came = os.read(self._own, 1 << 16)
        except OSError:  # nobody has the other side open any more
            return False
        self.said += came.decode(errors="replace")
        return bool(came)
