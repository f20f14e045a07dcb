"""Which page ended its worker, and when it is to blame.

A worker marks the page that it is at (`parts.Mark`), so a death concerns one page of its stretch, and the others are
given out again. That page is tried again, alone, as one death may have other causes; but a function that ends workers
again and again is believed at the first death, and a run in which it does so on MOST_BLAMED pages ends.
"""

from __future__ import annotations

from typing import Final

import msgspec

from weft.errors import WorkerFailed
from weft.extract.messages import Stretch
from weft.extract.stretches import Place
from weft.workers.suspicion import DEATHS_TO_BLAME, HANG_COUNTS_AS_DEATHS, Death
from weft.workers.worker_process import CREDIT_BYTES, HANG_AFTER_S

BLAMED_TO_BELIEVE: Final = 5
MOST_BLAMED: Final = 1000


class StretchTask:
    """A stretch in hand."""

    size_bytes = CREDIT_BYTES // 2  # a worker has one to do, and one that waits

    def __init__(self, serial: int, file: str, places: list[Place]) -> None:
        self.serial = serial
        self.file = file
        self.places = places
        self.deaths = 0  # of workers that had it in hand
        self.part = 0  # of the worker that has it
        self.extra_s = 0.0  # that its present page may take longer

    @property
    def message(self) -> msgspec.Struct:
        """For a worker."""
        return Stretch(self.serial, [row for _, row in self.places])

    def patience_s(self) -> float:
        """How long a worker may be silent: it is heard of every second, between two pages."""
        return HANG_AFTER_S + self.extra_s


class Blame:
    """What follows from deaths of workers."""

    def __init__(self) -> None:
        self._deaths: dict[tuple[str, int], int] = {}  # of pages that are tried again; bound: workers
        self.blamed = 0

    def pieces(self, death: Death[StretchTask], mark: tuple[int, int]) -> tuple[list[list[Place]], Place | None]:
        """What of the stretch is to be done again, piece by piece, and the page that is to blame, if one is."""
        task = death.suspect
        serial, index = mark
        if serial != task.serial:  # it was at no page
            if task.deaths >= DEATHS_TO_BLAME:
                raise WorkerFailed(f"the workers end before they begin with a page: {death.how}")
            return [task.places], None
        before, suspect, after = task.places[:index], task.places[index], task.places[index + 1 :]
        if self._is_to_blame((task.file, suspect[0]), death):
            return [piece for piece in (before, after) if piece], suspect
        return [piece for piece in (before, [suspect], after) if piece], None

    def _is_to_blame(self, place: tuple[str, int], death: Death[StretchTask]) -> bool:
        deaths = self._deaths.pop(place, 0) + (HANG_COUNTS_AS_DEATHS if death.was_hung else 1)
        if deaths < DEATHS_TO_BLAME and self.blamed < BLAMED_TO_BELIEVE:
            self._deaths[place] = deaths
            return False
        self.blamed += 1
        if self.blamed > MOST_BLAMED:
            raise WorkerFailed(f"more than {MOST_BLAMED:,} pages have ended their worker, the last one so: {death.how}")
        return True
