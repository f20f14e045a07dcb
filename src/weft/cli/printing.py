"""Standard output, for what may be long and is read by others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from weft.cli.exits import Exit
from weft.errors import DiskFull, told_when_full


@contextmanager
def printed() -> Iterator[BinaryIO]:
    """Standard output as bytes. Whoever reads may go away, and a file that it goes to may find no room."""
    try:
        with told_when_full("to standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        leave_pipe()
        sys.exit(Exit.DONE)
    except DiskFull:
        leave_pipe()
        raise


def leave_pipe() -> None:
    """Whoever read has read enough, as `head` does. What is still in the buffer must go nowhere at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def printable(text: str) -> str:
    """What comes from a server, without what would move the cursor or turn the direction of writing."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
