"""What became of the pages of an export: how many are in it, and which filter left out how many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from weft.export.shards import shard_path
from weft.stats.verdict import counted

NOT_CHOSEN = "not chosen by URL, media type or status"
NEAR_DUPLICATE = "near duplicate"
POISON = "poison, of which a process dies that reads it"
DAMAGED = "damaged in the archive"
# In the order in which they are asked.
REASONS = (NOT_CHOSEN, POISON, DAMAGED, "too short", "too long", "another language", NEAR_DUPLICATE)
NAMED = 3  # pages that are poison


class Tally:
    """Counted while an export is made."""

    def __init__(self) -> None:
        self.pages = 0
        self.shards = 0  # files; 0: the export is not cut by size
        self.left_out: Counter[str] = Counter()
        self.poison: list[str] = []  # the first URLs
        self.languages: Counter[str] = Counter()  # of the pages that are in it; empty: nobody knows

    def files(self, path: Path) -> str:
        """What the files are called that were asked for by this name."""
        if not self.shards:
            return str(path)
        return " to ".join(str(shard_path(path, number)) for number in dict.fromkeys((1, self.shards)))

    def leave_out(self, url: str, why: str) -> None:
        """A page is not in it."""
        self.left_out[why] += 1
        if why == POISON and len(self.poison) < NAMED:
            self.poison.append(url)

    def sentence(self) -> str:
        """For a person; empty if no page was left out by what it says."""
        told = [f"{self.left_out[why]:,} {why}" for why in REASONS[1:] if self.left_out[why]]
        if self.poison:
            told[0] += f" ({' '.join(self.poison)}{' …' if self.left_out[POISON] > NAMED else ''})"
        return f"{counted(self.pages, 'page')}; left out: {', '.join(told)}" if told else ""
