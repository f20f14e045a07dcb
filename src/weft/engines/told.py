"""Which links the other engines were told of in this run, so that most go out once.

In memory only: what a run before told, or what is forgotten here, goes out once more, and is known there.
"""

from __future__ import annotations

from typing import Final

from weft.seen.known_ids import MOST_DEPTH, KnownIds

TOLD_BYTES: Final = 7 * 1024 * 1024  # for 430,000 ids; few links lead to another host, and these mostly to few pages
# What is told as a guess, at whatever depth: any link to it is news. So a record has half of the depths it can hold.
GUESSED: Final = (MOST_DEPTH + 1) // 2


class Told:
    """URLs with the smallest depth told. Filled by is_news; bound: `memory_bytes`."""

    def __init__(self, memory_bytes: int = TOLD_BYTES) -> None:
        self._ids = KnownIds(memory_bytes)

    def is_news(self, url_id: bytes, depth: int, *, is_guess: bool) -> bool:
        """Whether this is to be told: the URL is new, nearer than it was, or linked and was a guess. It is, then."""
        known = self._ids.depth(url_id)
        if known is not None:
            if known < GUESSED:
                if depth >= known:
                    return False
                is_guess = False
            elif is_guess:
                if depth >= known - GUESSED:
                    return False
            else:
                depth = min(depth, known - GUESSED)
        if depth < GUESSED:  # else it is told each time
            self._ids.put(url_id, depth + GUESSED if is_guess else depth)
        return True
