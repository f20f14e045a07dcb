"""Functions of a user's that fail are in the log, with their pages; the tracebacks are in the crawl folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.logs import logger
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, Finished
from weft.pipeline.run import OpenDoors
from weft.state import Batch
from weft.stats.verdict import counted

_log = logger("functions")


class FunctionTroubles:
    """Hears how visits end, and tells of those on which functions failed."""

    def __init__(self, tracebacks: Path) -> None:
        self._tracebacks = tracebacks

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A visit has ended."""
        if visit.processed is not None and (failed := visit.processed.items_failed):
            calls = counted(failed, "call")
            _log.warning("%s of a function failed on %s: see %s", calls, visit.page.url, self._tracebacks)

    def settle(self) -> None:
        """The batch is written."""


def with_function_troubles(tracebacks: Path, others: OpenDoors) -> OpenDoors:
    """Doors by which failed functions are told of, beside others."""

    def open_doors(context: Context) -> Doors:
        doors = others(context)
        return msgspec.structs.replace(doors, witnesses=(*doors.witnesses, FunctionTroubles(tracebacks)))

    return open_doors
