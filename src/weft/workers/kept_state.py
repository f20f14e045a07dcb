"""What belongs to a process as a whole, and foreign code may have changed: it is as before when that has ended.

Streams: a descriptor that was closed would be given to the next file that is opened, the archive's among them, and
whatever is printed would go there. Signals: a worker is deaf to those that are meant for its engine. Also the folder by
which paths are understood, and the depth of recursion.

What the code prints goes to the log of the workers, up to a bound; from there on, nowhere.
"""

from __future__ import annotations

# The functions of `signal` make enums of all signals at each call: 30 µs, where these take 1.
import _signal  # type: ignore[import-not-found]
import os
import signal
import sys
from contextlib import suppress
from typing import Final

from weft.workers.process import GROUP_SIGNALS

MIB: Final = 1024 * 1024
MOST_LOG_BYTES: Final = 64 * MIB
_FIRST_FREE: Final = 200  # descriptors from here on are out of the way of those who close the lower ones
_STREAMS: Final = ("stdin", "stdout", "stderr")


class KeptState:
    """As it is when this is made. `restore` makes it so again."""

    def __init__(self) -> None:
        self._copies = [_copy_of(number) for number in range(3)]
        self._places = [_place(number) for number in range(3)]
        self._objects = [getattr(sys, name) for name in _STREAMS]
        self._folder = os.getcwd()
        self._recursion = sys.getrecursionlimit()
        self._mask = {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())}
        self._handlers = {int(number): _signal.getsignal(number) for number in GROUP_SIGNALS}
        self._is_mute = False

    def restore(self) -> None:
        """Undo what was changed. It costs some microseconds where nothing was."""
        for number, place in enumerate(self._places):
            if _place(number) != place:
                self._open_again(number)
        for name, stream in zip(_STREAMS, self._objects, strict=True):
            if getattr(sys, name) is not stream:
                setattr(sys, name, stream)
        if sys.stderr is None or sys.stderr.closed:
            self._objects[2] = sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
        if sys.stdout is None or sys.stdout.closed:
            self._objects[1] = sys.stdout = os.fdopen(1, "w", errors="backslashreplace", closefd=False)
        if sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
        with suppress(OSError):  # one that was removed meanwhile
            os.chdir(self._folder)
        _signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for number, handler in self._handlers.items():
            if _signal.getsignal(number) is not handler:
                _signal.signal(number, handler)

    def bound_log(self) -> None:
        """Let what is printed go nowhere once the log is long enough."""
        if self._is_mute:
            return
        with suppress(OSError):
            if os.fstat(self._copies[2]).st_size > MOST_LOG_BYTES:
                self._mute()

    def tell(self, text: str) -> None:
        """Write to the log, whatever has become of the streams."""
        with suppress(OSError):
            os.write(self._copies[2], text.encode("utf-8", "backslashreplace") + b"\n")

    def _mute(self) -> None:
        self._is_mute = True
        self.tell(f"the log has {MOST_LOG_BYTES:,} bytes: what functions print is left out from here on")
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for number in (1, 2):
            os.dup2(nowhere, number)
        os.close(nowhere)
        self._places = [_place(number) for number in range(3)]

    def _open_again(self, number: int) -> None:
        try:
            if self._is_mute:
                raise OSError
            os.dup2(self._copies[number], number)
        except OSError:  # the copy was closed, too, or must not be used
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
        self._places[number] = _place(number)


def _copy_of(number: int) -> int:
    import fcntl

    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    except OSError:  # it is closed
        return -1


def _place(number: int) -> tuple[int, int]:
    """Which file a descriptor leads to."""
    try:
        found = os.fstat(number)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)
