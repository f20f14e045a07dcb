"""The curves of a crawl over all its runs, in a file that stays small: when it is full, every second point goes."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import msgspec

from weft.live.status import Moment
from weft.whole_file import appearing_whole

HISTORY = Path("state") / "history.jsonl"
MOST_POINTS = 1_200
FIRST_STEP_S = 1.0

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Moment).decode


class History:
    """Appends to state/history.jsonl."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._moments = read_moments(path)
        self._step_s = FIRST_STEP_S
        if len(self._moments) > 1:  # gaps between runs are no steps
            steps = sorted(b.at - a.at for a, b in pairwise(self._moments))
            self._step_s = max(FIRST_STEP_S, round(steps[len(steps) // 2]))
        with suppress(OSError):  # the disk is full, perhaps: a picture is not worth a crawl
            self._rewrite()  # without what a kill left of a line

    def add(self, moment: Moment) -> None:
        """A point, unless the last one is too near."""
        # A tick may come a little early: without this, every second one would be left out.
        if self._moments and abs(moment.at - self._moments[-1].at) < self._step_s - FIRST_STEP_S / 2:
            return
        self._moments.append(moment)
        if len(self._moments) > MOST_POINTS:
            self._moments = self._moments[::2]
            self._step_s *= 2
            self._rewrite()
        else:
            with self._path.open("ab") as file:
                file.write(_encode(moment) + b"\n")

    def _rewrite(self) -> None:
        with appearing_whole(self._path) as file:
            file.writelines(_encode(moment) + b"\n" for moment in self._moments)


def read_moments(path: Path) -> list[Moment]:
    """The points of a file, the oldest first; lines that cannot be read are left out."""
    moments: list[Moment] = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    for line in lines[-2 * MOST_POINTS :]:
        try:
            moments.append(_decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return moments
