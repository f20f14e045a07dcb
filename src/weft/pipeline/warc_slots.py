"""Each slot of the parse workers has a WARC file: who comes next into the slot goes on in it, until it is full."""

from __future__ import annotations

from collections.abc import Callable

from weft.pipeline.messages import Setup, UseFile
from weft.store import Archive, OpenFile
from weft.workers.worker_process import Hold, TaskT, Worker


class WarcSlots:
    """Which file the worker of each slot writes."""

    def __init__(self, archive: Archive, setup: Callable[[OpenFile], Setup]) -> None:
        self._archive = archive
        self._setup = setup
        self._file_ids: dict[int, int] = {}  # by slot

    def set_up(self, slot: int) -> Setup:
        """How a new worker of the slot begins."""
        return self._setup(self._file_for(slot))

    def rotate_if_full(self, worker: Worker[TaskT]) -> None:
        """Let a worker finish what it has if its file is large enough, and then go on in another one."""
        file_id = self._file_ids[worker.slot]
        if not self._archive.is_full(file_id):
            return
        worker.holds.add(Hold.PAUSED)
        if not worker.pending:
            self._archive.retire(file_id)
            if Hold.LEAVING not in worker.holds:  # else whoever comes next into the slot begins a file
                worker.tell(UseFile(self._file_for(worker.slot)))
                worker.holds.discard(Hold.PAUSED)

    def _file_for(self, slot: int) -> OpenFile:
        file = self._archive.file_for(slot)
        self._file_ids[slot] = file.id
        return file
