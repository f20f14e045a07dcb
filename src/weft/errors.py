"""Everything that weft raises.

    WeftError
    ├── BadInput          the user's word is wrong: one sentence, no traceback
    │   └── BadUrl        a string that is no URL, or none that weft fetches
    ├── FolderError       the crawl folder cannot be used: held by another, of another version, missing
    │   └── DamagedRecord  a record of the archive cannot be read
    ├── DiskFull          nothing more can be written; the state is whole and resumes
    ├── HostParked        a host is left for another run, so nothing more is asked of it in this one
    ├── HostGivenUp       a host is another node's from now on, so nothing more is asked of it here
    ├── GetFailed         `weft.get` brought no page; carries its Outcome or Refusal
    ├── FetchError        a request ended without a whole response; carries its Outcome
    ├── EngineDied        one of a crawl's engines was killed, or ended by itself
    ├── WorkerFailed      a worker cannot go on: it keeps dying at start, or it broke the protocol
    └── CrawlFailed       not one page could be fetched; in `api`, for it carries the figures of the run

Errors of libraries are translated into these where the library is called, nowhere else.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weft.types import Fetched, Outcome, Refusal

NO_THREAD: Final = "can't start new thread"  # Python's words: it has no kind of error for this


class WeftError(Exception):
    """The root of weft's own errors."""


class BadInput(WeftError):
    """What the user gave cannot be used; the message is one clear sentence."""


class BadUrl(BadInput):
    """Not a URL, or none that weft can fetch."""


class FolderError(WeftError):
    """The crawl folder cannot be used."""


class DamagedRecord(FolderError):
    """A record of the archive cannot be read."""


class DiskFull(WeftError):
    """The disk is full; what is committed is whole."""


@contextmanager
def told_in_words(what: object) -> Iterator[None]:
    """Writing in this block: whatever the system refuses is told as an error of weft's."""
    try:
        with told_when_full(what):
            yield
    except OSError as error:
        raise FolderError(f"cannot write {what}: {error.strerror or error}") from error


@contextmanager
def told_when_full(what: object) -> Iterator[None]:
    """Writing in this block: a full disk is told as DiskFull, with what could not be written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"cannot write {what}: the disk is full") from error
        raise


def in_words(error: OSError | RuntimeError) -> WeftError | None:
    """An error of the system that a person can do something about; None if it is another."""
    if isinstance(error, PermissionError):
        return FolderError(f"cannot use {error.filename}: {error.strerror}")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return WeftError("no more files may be open at once: `ulimit -n 4096` allows more; `weft resume` goes on")
    if str(error) == NO_THREAD:
        return WeftError("no more threads may run at once: `ulimit -u` allows more; `weft resume` goes on")
    return None


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that ended the others: one of weft's own if there is one."""
    own, _ = group.split(WeftError)
    error: BaseException = own or group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class HostParked(WeftError):
    """The host is left for another run."""


class HostGivenUp(WeftError):
    """The host is another node's from now on."""


class GetFailed(WeftError):
    """`weft.get` brought no page: `reason` says what stood in its way, `detail` in a few words how."""

    def __init__(self, url: str, reason: Outcome | Refusal, detail: str = "") -> None:
        super().__init__(f"{url} was not fetched: {reason}" + (f", {detail}" if detail else ""))
        self.url = url  # the last one of a row of redirects
        self.reason = reason
        self.detail = detail


class FetchError(WeftError):
    """A request that ended without a whole response.

    `partial` is what had arrived, if the head was whole: kept as a truncated record when no try is left. `on_kept`
    tells that a kept connection ended before a byte of the answer, or carried what is none: most likely the server
    had done with it when the request came, but it may have read it.
    """

    def __init__(
        self, outcome: Outcome, detail: str = "", partial: Fetched | None = None, *, on_kept: bool = False
    ) -> None:
        super().__init__(f"{outcome}: {detail}" if detail else str(outcome))
        self.outcome = outcome
        self.detail = detail
        self.partial = partial
        self.on_kept = on_kept


class EngineDied(WeftError):
    """One of a crawl's engines is gone, and with it the hosts that it had."""


class WorkerFailed(WeftError):
    """A worker cannot go on."""
