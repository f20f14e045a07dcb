"""Where pages come from and where they go: what the engine knows of tables, crawl folders and files.

A source and a sink belong together: what a sink has written is done, and its source does not give it again, also
after a kill. How, each pair says itself. They are called in threads, each by one at a time; the two at the same time
only if their `CleanJob` allows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from weft.clean import Cleaned


class RawPage(msgspec.Struct, frozen=True, array_like=True):
    """A page to be cleaned."""

    url: str
    content: bytes | str  # bytes are decoded as a browser would
    content_type: str = ""
    place: int = 0  # the source's own: where it stands in its order
    left_out_bytes: int = 0  # the content is so large that it is not here: `LoadsLarge.load` returns it
    template: dict[int, float] = {}  # what is known to stand on many pages of its site
    damage: str = ""  # why its content could not be read: it is set aside


class Result(msgspec.Struct, frozen=True):
    """What came of a page: it is cleaned, or set aside for a reason. Its own content is gone by then."""

    page: RawPage
    cleaned: Cleaned | None
    reason: str = ""


class Source(Protocol):
    """Gives each page that is not done yet once."""

    def remaining(self) -> int:
        """How many pages there are to do."""

    def read(self, rows: int) -> Sequence[RawPage]:
        """The next pages, fewer where they are large; none at the end."""


@runtime_checkable
class LoadsLarge(Protocol):
    """A source that leaves out the content of large pages."""

    def load(self, page: RawPage) -> RawPage:
        """The page with its content, now that its turn has come."""


@runtime_checkable
class Stoppable(Protocol):
    """A source that prepares for long."""

    def stop(self) -> None:
        """Nothing is to be read any more. May be called from another thread."""


class Sink(Protocol):
    """Takes what came of pages."""

    def write(self, results: Sequence[Result]) -> None:
        """Keep them. When this returns they are done, whatever happens to this process or to the machine."""

    def close(self) -> None:
        """Nothing more comes."""


class CleanJob(msgspec.Struct, frozen=True):
    """A source, its sink, and whether one may be read while the other writes."""

    source: Source
    sink: Sink
    is_parallel: bool = False
