"""Standard output, for what may be long and is read by others."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from weft.cli.exits import Exit
from weft.cli.process import lead_nowhere
from weft.errors import DiskFull, told_when_full


@contextmanager
def printed() -> Iterator[BinaryIO]:
    """Standard output as bytes. Whoever reads may go away, and a file that it goes to may find no room."""
    try:
        with told_when_full("to standard output"):
            sys.stdout.flush()
            with open(sys.stdout.fileno(), "wb", closefd=False) as out:
                yield out
    except BrokenPipeError:
        leave_pipe()
        sys.exit(Exit.DONE)
    except DiskFull:
        leave_pipe()
        raise


def leave_pipe() -> None:
    """Whoever read has read enough, as `head` does."""
    lead_nowhere(sys.stdout.fileno())


def printable(text: str) -> str:
    """What comes from a server, without what would move the cursor or turn the direction of writing."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
