"""The exact set of known URLs, and what makes asking it cheap."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Final

from weft.seen.bloom import LayeredBloom
from weft.seen.known_ids import KnownIds
from weft.state import Batch, Family, State

# Two generations of this size; about 1.5 MB together.
HOT_CACHE_IDS = 6_000
# For 430,000 ids. Small, so that memory stays as it is; but the ids of the hosts that are visited at a time fit in: a
# row that is read instead costs thirty times as much.
KNOWN_IDS_BYTES = 7 * 1024 * 1024
REBUILD_STEP_ROWS = 2_000
DEPTH_BYTES = 4
# A URL that only scripts seem to name is known as if it was this much deeper: any link to it is news.
GUESSED = 1 << 31


class Found(Enum):
    """What adding a URL told."""

    NEW = "new"
    NEARER = "nearer"  # known, but on a longer way
    LINKED = "linked"  # known, but only as a guess
    KNOWN = "known"


NEW: Final = Found.NEW  # kept, as these are asked for each link: to look up a member takes as long as five calls
KNOWN: Final = Found.KNOWN


class Seen:
    """Known URLs with the smallest depth they were found at.

    `add` decides and puts its row into the caller's batch; `settle` makes memory follow once the batch is written.
    Until then the answers for the same batch come from `_pending`.
    """

    def __init__(
        self,
        state: State,
        *,
        is_new_crawl: bool,
        family: Family = "seen",
        known_ids_bytes: int = KNOWN_IDS_BYTES,
    ) -> None:
        self._state = state
        self._family = family
        self._pending: dict[bytes, int] = {}  # depths, of guesses with GUESSED; so in all that follow
        self._forgotten: set[bytes] = set()  # in this batch: their rows are still there
        # What was read from the disk, for depths that the table of ids does not hold; filled by `_remember`, bound:
        # HOT_CACHE_IDS.
        self._young: dict[bytes, int] = {}
        self._old: dict[bytes, int] = {}  # likewise, before that
        self._known = KnownIds(known_ids_bytes)
        self._bloom = LayeredBloom()
        self._layers = self._bloom.layers
        # A filter that lacks old rows cannot say "certainly new".
        self._bloom_is_whole = is_new_crawl
        self.answered_by_cache = 0
        self.answered_by_filter = 0
        self.answered_by_disk = 0
        self.false_positives = 0

    def add(self, batch: Batch, url_id: bytes, depth: int, is_guess: bool = False) -> Found:
        """Make a URL known at this depth, if that is news."""
        known = self._look_up(url_id)
        if known is None:
            news = NEW
        elif known <= depth:
            return KNOWN
        else:
            news = Found.NEARER if depth < known % GUESSED else Found.LINKED
            if news is Found.LINKED and is_guess:
                return KNOWN
            depth = min(depth, known % GUESSED)
            is_guess = is_guess and known >= GUESSED
        stored = depth + GUESSED if is_guess else depth
        batch.put(self._family, url_id, stored.to_bytes(DEPTH_BYTES, "big"))
        self._pending[url_id] = stored
        return news

    def forget(self, batch: Batch, url_id: bytes) -> None:
        """Make a URL unknown again. The filter still knows it, which costs a look-up if it is found again."""
        batch.delete(self._family, url_id)
        for known in (self._pending, self._young, self._old):
            known.pop(url_id, None)
        self._known.remove(url_id)
        self._forgotten.add(url_id)

    def forget_range(self, start: bytes, stop: bytes | None) -> None:
        """The rows between these keys are taken away: let memory follow."""
        for known in (self._young, self._old):
            for url_id in [one for one in known if start <= one and (stop is None or one < stop)]:
                del known[url_id]
        self._known.clear()  # what of it is still there is asked for again

    def depth(self, url_id: bytes) -> int | None:
        """The smallest depth a URL was found at, None for an unknown one."""
        known = self._look_up(url_id)
        return None if known is None else known % GUESSED

    def is_guess(self, url_id: bytes) -> bool:
        """Whether no link to it is known."""
        known = self._look_up(url_id)
        return known is None or known >= GUESSED

    def _look_up(self, url_id: bytes) -> int | None:
        depth = self._pending.get(url_id)
        if depth is not None:
            self.answered_by_cache += 1
            return depth
        if self._bloom_is_whole:
            for layer in self._layers:  # not `in self._bloom`: most links ask, as workers leave out what they told
                if url_id in layer:
                    break
            else:
                self.answered_by_filter += 1
                return None
        depth = self._known.depth(url_id)
        if depth is None:
            depth = self._young.get(url_id, self._old.get(url_id))
        if depth is not None:
            self.answered_by_cache += 1
            return depth
        self.answered_by_disk += 1
        row = None if url_id in self._forgotten else self._state.get(self._family, url_id)
        if row is None:
            self.false_positives += self._bloom_is_whole
            return None
        depth = int.from_bytes(row, "big")
        self._known.put(url_id, depth)
        self._remember(url_id, depth)
        return depth

    def settle(self) -> None:
        """The batch that holds the pending rows is written."""
        pending = self._pending
        if pending:
            self._bloom.add_all(pending)
            self._known.put_all(pending)
            for url_id in (pending.keys() & self._young.keys()) | (pending.keys() & self._old.keys()):
                self._remember(url_id, pending[url_id])
            pending.clear()
        self._forgotten.clear()

    async def rebuild_filter(self) -> None:
        """Fill the filter of a resumed crawl from the rows, a little at a time between other work."""
        if self._bloom_is_whole:
            return
        start = b""
        while True:
            last = b""
            count = 0
            for url_id, _ in self._state.scan(self._family, start):
                self._bloom.add(url_id)
                last = url_id
                count += 1
                if count == REBUILD_STEP_ROWS:
                    break
            if count < REBUILD_STEP_ROWS:
                break
            start = last + b"\0"
            await asyncio.sleep(0.005)
        self._bloom_is_whole = True

    def answers(self) -> dict[str, int]:
        """Who answered how often."""
        return {
            "cache": self.answered_by_cache,
            "filter": self.answered_by_filter,
            "disk": self.answered_by_disk,
            "false_positives": self.false_positives,
        }

    def statistics(self) -> dict[str, int]:
        """Who answered how often, and what the filter takes."""
        return self.answers() | self._bloom.statistics()

    def _remember(self, url_id: bytes, depth: int) -> None:
        self._young[url_id] = depth
        if len(self._young) >= HOT_CACHE_IDS:
            self._old = self._young
            self._young = {}


def depth_in(row: bytes) -> int:
    """The depth that a row says."""
    return int.from_bytes(row, "big") % GUESSED
