"""The graph of links is ranked again and again while it grows, in a process of its own, and what waits moves.

The best come first, and no more than MOVES_AT_ONCE are told between two looks at anything else, MOVES_PER_S a second:
a queue of millions is not turned over for the sake of its end.
"""

from __future__ import annotations

import asyncio
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from weft.frontier import Frontier
from weft.graph.ranker import FRAME_BYTES
from weft.pipeline.ledger import Ledger
from weft.types import Standing
from weft.url import ID_BYTES

MODULE: Final = "weft.graph.ranker"
GROWTH: Final = 1.25  # of the pages since the last time
FEWEST_PAGES: Final = 100  # before which there is little to rank
LOOK_EVERY_S: Final = 0.5
MOVES_AT_ONCE: Final = 250
MOVES_PER_S: Final = 5_000
MOST_MOVES: Final = 100_000  # each time

_SCORE = struct.Struct("<d")


class Ranking:
    """A task beside the engine."""

    def __init__(self, by: str, database: Path, ledger: Ledger, frontier: Frontier) -> None:
        assert frontier.places is not None
        self._by = by
        self._database = database
        self._ledger = ledger
        self._places = frontier.places
        self.times = 0  # that the graph was ranked
        self.error = ""  # why that cannot be done

    async def keep_ranked(self) -> None:
        """Until it is cancelled."""
        ranked_pages = 0
        while not self.error:
            await asyncio.sleep(LOOK_EVERY_S)
            pages = self._ledger.counters.pages
            if pages >= max(FEWEST_PAGES, ranked_pages * GROWTH):
                ranked_pages = pages
                await self._rank()

    async def _rank(self) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", MODULE, str(self._database), self._by,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for _ in range(MOST_MOVES // MOVES_AT_ONCE):
                try:
                    frames = await process.stdout.readexactly(MOVES_AT_ONCE * FRAME_BYTES)
                except asyncio.IncompleteReadError as end:
                    self._move(end.partial)
                    break
                self._move(frames)
                await asyncio.sleep(MOVES_AT_ONCE / MOVES_PER_S)
            else:
                process.kill()  # the rest does not matter
            said = (await process.stderr.read()).decode(errors="replace").strip()
            if await process.wait() > 0:
                self._give_up(said)
            self.times += 1
        finally:
            with suppress(ProcessLookupError):
                process.kill()

    def _move(self, frames: bytes) -> None:
        batch = self._ledger.batch()
        nodes = self._ledger.counters.seen  # so that a score says how many times the average a page has
        for at in range(0, len(frames) - FRAME_BYTES + 1, FRAME_BYTES):
            (score,) = _SCORE.unpack_from(frames, at + ID_BYTES)
            if score > 0:  # nothing leads to it that was visited: it stands as it was found
                url_id = frames[at : at + ID_BYTES]
                self._places.restand(batch, url_id, Standing(score * nodes), _replaced)
        self._ledger.write(batch)

    def _give_up(self, said: str) -> None:
        self.error = said.splitlines()[-1] if said else "the ranking process failed"
        print(f"weft: the order goes on without ranks of the whole graph: {self.error}", file=sys.stderr)


def _replaced(_known: Standing, new: Standing) -> Standing:
    return new
