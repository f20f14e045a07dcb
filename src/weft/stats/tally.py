"""Counting by name, where servers choose the names and so could choose a new one for each page."""

from __future__ import annotations

from collections.abc import Iterable

from weft.stats.figures import Count, Volume

# Far more than any honest web has media types, charsets or depths.
MOST_NAMES = 1_000
OTHERS = "(others)"
UNKNOWN = "(unknown)"


def percent_of(part: float, whole: float) -> float:
    """What a part is of a whole, in percent, to two decimals as tables print it; 0 of nothing."""
    return round(100 * part / whole, 2) if whole else 0.0


def counts(pairs: Iterable[tuple[str, int]], whole: int | None = None) -> list[Count]:
    """Rows of a table, the largest first; names that never came are left out. The whole is their sum unless given."""
    present = [(name, count) for name, count in pairs if count]
    total = sum(count for _, count in present) if whole is None else whole
    present.sort(key=lambda pair: (-pair[1], pair[0]))
    return [Count(name, count, percent_of(count, total)) for name, count in present]


class Tally:
    """How often each name came, and with how many bytes. Names beyond the first thousand are counted together."""

    def __init__(self, most_names: int = MOST_NAMES) -> None:
        self._most_names = most_names
        self._counts: dict[str, int] = {}
        self._bytes: dict[str, int] = {}

    def add(self, name: str, size_bytes: int = 0) -> None:
        """One more."""
        name = name or UNKNOWN
        if name not in self._counts:
            if len(self._counts) >= self._most_names:
                name = OTHERS
            self._counts.setdefault(name, 0)
            self._bytes.setdefault(name, 0)
        self._counts[name] += 1
        self._bytes[name] += size_bytes

    def counts(self) -> list[Count]:
        """The names with their counts, the most frequent first."""
        return counts(self._counts.items())

    def volumes(self) -> list[Volume]:
        """The same with bytes."""
        return [Volume(row.name, row.count, row.percent, self._bytes[row.name]) for row in self.counts()]
