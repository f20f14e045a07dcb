"""The DNS table of paper 1, §2.2.1, as the paper describes it, and what stands beside it.

A name is hashed by its first character and its length to a pool. A pool is walked from its first name on; at the first
character that differs the walk jumps to the next name. A hit adds to a name's weight; every so many operations all
pools are sorted by weight, heaviest first. A new name goes to the last free place; when a pool is full, its lightest
names go.
"""

from __future__ import annotations

from typing import Protocol

from bench.dns_cache import ADDRESSES, TTL_S, LruCache
from weft.dns import NameCache

SORT_EVERY = 1_000  # operations; the paper says "some"
REPLACED_SHARE = 0.1  # of a full pool: "some of the light ones"
RECENT = 1.0  # of a use, against those before: weight = uses + recency, worn at each sort
WORN = 0.5


class NameTable(Protocol):
    """What is asked of each."""

    def knows(self, name: str) -> bool:
        """Whether it has the name; it counts as a use."""

    def add(self, name: str) -> None:
        """After a miss."""


class Entry:
    """A name and its weight."""

    __slots__ = ("name", "weight")

    def __init__(self, name: str) -> None:
        self.name = name
        self.weight = RECENT


class PaperTable:
    """The pools. `compared` counts the names that hits looked at, whatever the language."""

    def __init__(self, room: int, pools: int, *, is_sorted: bool = True) -> None:
        self._is_sorted = is_sorted
        self._room = max(2, room // pools)  # of each pool: the paper's have a fixed number of places
        self._pools: dict[tuple[str, int], list[Entry]] = {}  # heaviest first, after a sort
        self._operations = 0
        self.compared = self.hits = 0
        self.replaced = 0

    def knows(self, name: str) -> bool:
        """Walk the pool."""
        self._operate()
        pool = self._pools.get((name[:1], len(name)), [])
        for place, entry in enumerate(pool):
            if entry.name == name:
                entry.weight += RECENT
                self.compared += place + 1
                self.hits += 1
                return True
        return False

    def add(self, name: str) -> None:
        """At the end; before that the light ones of a full pool go."""
        self._operate()
        pool = self._pools.setdefault((name[:1], len(name)), [])
        if len(pool) >= self._room:
            gone = max(1, round(REPLACED_SHARE * len(pool)))
            for entry in sorted(pool, key=lambda entry: entry.weight)[:gone]:
                pool.remove(entry)
            self.replaced += gone
        pool.append(Entry(name))

    def _operate(self) -> None:
        self._operations += 1
        if self._operations % SORT_EVERY == 0:
            for pool in self._pools.values():
                if self._is_sorted:
                    pool.sort(key=lambda entry: entry.weight, reverse=True)
                for entry in pool:
                    entry.weight *= WORN


class PlainDict:
    """Without a bound: nothing is ever replaced."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}

    def knows(self, name: str) -> bool:
        """One look."""
        return name in self._names

    def add(self, name: str) -> None:
        """One entry."""
        self._names[name] = ADDRESSES


class Lru:
    """An ordered dict; the one that was used longest ago goes."""

    def __init__(self, room: int) -> None:
        self._names = LruCache(room)

    def knows(self, name: str) -> bool:
        """A use moves it to the end."""
        return self._names.get(name, 0.0) is not None

    def add(self, name: str) -> None:
        """With its time to live."""
        self._names.put(name, ADDRESSES, TTL_S, 0.0)


class Weft:
    """What weft uses."""

    def __init__(self, room: int) -> None:
        self._names = NameCache(room)

    def knows(self, name: str) -> bool:
        """A look and a count."""
        return self._names.get(name, 0.0) is not None

    def add(self, name: str) -> None:
        """With its time to live."""
        self._names.put(name, ADDRESSES, TTL_S, 0.0)
