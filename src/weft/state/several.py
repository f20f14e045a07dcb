"""The databases of several engines, read as if they were one.

Each engine has a run of buckets of its own, so a row that begins with its host's bucket lies in one of them, and their
rows, one database after the other, are in order. What begins with something else may lie in any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from weft.state.database import Batch, Family, State
from weft.url import BUCKET_BYTES, BUCKETS

# Whose rows begin with a bucket …
OF_HOSTS: Final[frozenset[Family]] = frozenset((
    "seen", "queue", "place", "patience", "host", "robots", "page", "visits", "relax", "undelivered", "over",
    "forbidden", "refused", "rule", "earlier", "repeat", "cookie", "graph", "links",
))  # fmt: skip
# … of these one that tells of a link lies where its page is, if its host's engine did not refuse it, too …
OF_LINKS: Final[frozenset[Family]] = frozenset(("refused",))
LETTERED: Final[frozenset[Family]] = frozenset(("mirror", "traps"))  # … and those that have a letter before it

Row = tuple[bytes, bytes]

_key = itemgetter(0)


class Runs:
    """How the buckets are shared out: to each engine one run of them, all of about the same length."""

    def __init__(self, engines: int) -> None:
        self.engines = engines

    def of_bucket(self, bucket: bytes) -> int:
        """The engine that has a bucket; whatever follows its two bytes is left alone."""
        return (int.from_bytes(bucket[:BUCKET_BYTES], "big") * self.engines) // BUCKETS

    def first(self, engine: int) -> bytes:
        """An engine's first bucket."""
        return (-(-engine * BUCKETS // self.engines)).to_bytes(BUCKET_BYTES, "big")


class SeveralStates(State):
    """Reads only: who writes has one database."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._runs = Runs(len(paths))
        with ExitStack() as opened:
            self.parts = []
            for path in paths:
                self.parts.append(state := State(path, is_read_only=True))
                opened.callback(state.close)
            self._opened = opened.pop_all()

    def batch(self) -> Batch:
        raise NotImplementedError

    def write(self, batch: Batch) -> None:
        raise NotImplementedError

    def sync(self) -> None:
        raise NotImplementedError

    def get(self, family: Family, key: bytes) -> bytes | None:
        """One row's value."""
        if family in OF_HOSTS:
            row = self.parts[self._runs.of_bucket(key)].get(family, key)
            if row is not None or family not in OF_LINKS:
                return row
        return next(iter(self.each(family, key)), None)

    def each(self, family: Family, key: bytes) -> list[bytes]:
        """The values of a row that each engine has for itself."""
        return [row for state in self.parts if (row := state.get(family, key)) is not None]

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[Row]:
        """Rows with start ≤ key < stop, in order; of those of one key the first engine's, or the host's."""
        scans = [state.scan(family, start, stop) for state in self.parts]
        if family in OF_LINKS:
            return of_links(scans)
        if family in OF_HOSTS:
            return chain.from_iterable(scans)
        return (next(same) for _, same in groupby(merge(*scans, key=_key), key=_key))

    def close(self) -> None:
        """Close them all."""
        self._opened.close()


def of_links(scans: Sequence[Iterator[Row]]) -> Iterator[Row]:
    """Rows of `OF_LINKS` from each engine's database, in order; of those of one key that of the host's engine."""
    runs = Runs(len(scans))

    def ranked(engine: int, scan: Iterator[Row]) -> Iterator[tuple[bytes, bool, bytes]]:
        return ((key, runs.of_bucket(key) != engine, value) for key, value in scan)

    in_order = merge(*(ranked(engine, scan) for engine, scan in enumerate(scans)))
    firsts = (next(same) for _, same in groupby(in_order, key=_key))
    return ((key, value) for key, _, value in firsts)
