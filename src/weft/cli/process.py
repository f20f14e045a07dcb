"""What a process must have before it does anything."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO, cast

from weft.errors import FolderError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

COMPLETION_REQUEST = "_WEFT_COMPLETE"  # a shell that wants completions sets it and runs weft


def have_all_streams() -> None:
    """One that was closed (`2>&-`) leads nowhere: else a file of the crawl would get its number, and what is said."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere == descriptor:
                os.set_inheritable(descriptor, True)  # as the other way has it: workers are to have all streams, too
            else:
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))
    if sys.stdout is sys.__stdout__:  # else it lasts already, or is a test's
        sys.stdout = _lasting(cast("TextIO", sys.stdout), "replace")
    if sys.stderr is sys.__stderr__:
        sys.stderr = _lasting(cast("TextIO", sys.stderr), "backslashreplace")


class Outlet(io.BufferedWriter):
    """Standard output or standard error, for what a person reads. Work goes on, and ends by its own code, when the
    reader goes away, as `head` does, or there is no room: then the rest is dropped.

    Results that may be long are written by `printed`, which stops instead. Not a stream of its own below the buffer: a
    signal after its write and before its return would have the buffer write the same again.
    """

    def __init__(self, descriptor: int, *, at_once: bool) -> None:
        super().__init__(io.FileIO(descriptor, "wb", closefd=False))
        self._at_once = at_once
        self.is_full = False

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            written = super().write(data)
        except OSError as error:
            self._give_up(error)
            written = super().write(data)
        if self._at_once:
            self.flush()
        return written

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)
            super().flush()

    def _give_up(self, error: OSError) -> None:
        if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT):
            raise error
        self.is_full = self.is_full or error.errno != errno.EPIPE
        lead_nowhere(self.fileno())


def _lasting(stream: TextIO, errors: str) -> TextIO:
    """The same stream, but nothing that is said ends weft: a character that its encoding lacks does not, either."""
    is_by_line, at_once = stream.line_buffering, getattr(stream, "write_through", False)  # PYTHONUNBUFFERED
    outlet = Outlet(stream.fileno(), at_once=at_once)
    return io.TextIOWrapper(
        outlet, write_through=at_once, encoding=stream.encoding, errors=errors, line_buffering=bool(is_by_line)
    )


def lead_nowhere(descriptor: int) -> None:
    """Nobody reads what is written there. What is still in a buffer must go nowhere at exit, too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def has_lost_output() -> bool:
    """Whether standard output has found no room for all that was said."""
    sys.stdout.flush()
    outlet = getattr(sys.stdout, "buffer", None)
    return isinstance(outlet, Outlet) and outlet.is_full


def let_import_from_here() -> None:
    """A user's own filter lies where the user is."""
    try:
        sys.path.append(os.getcwd())
    except FileNotFoundError:
        raise FolderError("the folder in which weft was started is gone") from None
