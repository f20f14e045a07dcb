"""Rows go to another number of engines, while nothing runs: `weft resume --engines N` with another N than before.

The new databases are filled beside the old ones, and hold from one moment on (`folder.databases`). Before that, a crawl
that was killed is settled: its files are cut and closed, and links that were on their way arrive (`crawl`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

import msgspec

from weft.crash_points import crash_point
from weft.folder.databases import databases_of, new_set, switch
from weft.folder.items_parts import ITEMS_FILE, items_file_of, join_items
from weft.folder.refused_rows import RuleRow, decode_rule
from weft.pipeline.growing_scope import GROWN, SEEDS
from weft.state import FAMILIES, Batch, Family, State
from weft.state.keys import host_of_wake_key
from weft.state.several import LETTERED, OF_HOSTS, OF_LINKS, Runs, of_links
from weft.stats import Counters
from weft.stats.counters import added_up
from weft.store.archive import has_open_files
from weft.store.items import ITEMS_END, Items
from weft.url import ID_BYTES, bucket_of

ROWS_PER_BATCH: Final = 2_000
COUNTERS: Final = b"counters"
RUN: Final = b"run"
_NONE_LEFT: Final[tuple[Family, ...]] = ("unsynced", "outbox", "news", "items")  # in a crawl that has been settled
_OF_ONE_RUN: Final[tuple[Family, ...]] = ("meta", "sent", *_NONE_LEFT)  # made again, or as it is in all

_encode = msgspec.msgpack.Encoder().encode
_decode_counters = msgspec.msgpack.Decoder(Counters).decode
_decode_seeds = msgspec.msgpack.Decoder(list[str]).decode


def is_settled(paths: Sequence[Path]) -> bool:
    """Whether the last run came to its end: no file is open, and nothing is on its way."""
    with ExitStack() as opened:
        for path in paths:
            state = State(path, is_read_only=True)
            opened.callback(state.close)
            if has_open_files(state) or any(next(state.scan(family), None) for family in _NONE_LEFT):
                return False
    return True


def move(folder: Path, engines: int) -> None:
    """Have the rows of a settled crawl in the databases of this many engines."""
    place = new_set(folder)
    paths = [place / str(number) for number in range(engines)]
    with ExitStack() as opened:
        old, new = [], []
        for path in databases_of(folder):
            old.append(state := State(path, is_read_only=True))
            opened.callback(state.close)
        for path in paths:
            new.append(state := State(path))
            opened.callback(state.close)
        parts = [
            Items(state, items_file_of(folder, path)) for state, path in zip(old, databases_of(folder), strict=True)
        ]
        file = folder / ITEMS_FILE if engines == 1 else items_file_of(folder, paths[0])
        _Move(old, new, join_items(parts, file)).run()
        for state in new:
            state.sync()
    crash_point("engines-filled")
    switch(folder, paths)


def empty(folder: Path, engines: int) -> list[Path]:
    """Where the databases of a crawl that begins with several engines will be."""
    place = new_set(folder)
    return [place / str(number) for number in range(engines)]


class _Move:
    def __init__(self, old: Sequence[State], new: Sequence[State], items: tuple[int, int]) -> None:
        self._old = old
        self._new = new
        self._items = items  # the length of their file, and how many
        self._runs = Runs(len(new))
        self._batches = [state.batch() for state in new]
        self._rows = [0] * len(new)  # in these batches
        self._seen = [0] * len(new)
        self._queued = [0] * len(new)

    def run(self) -> None:
        for family in FAMILIES:
            if family not in _OF_ONE_RUN:
                for key, value in self._rows_of(family):
                    for engine in self._owners(family, key, value):
                        self._put(engine, family, key, value)
        for engine, batch in enumerate(self._batches):
            self._put_meta(engine, batch)
            self._new[engine].write(batch)

    def _rows_of(self, family: Family) -> Iterator[tuple[bytes, bytes]]:
        scans = [state.scan(family) for state in self._old]
        if family in OF_LINKS:
            return of_links(scans)
        return _counts_added(scans) if family == "rule" else chain.from_iterable(scans)

    def _owners(self, family: Family, key: bytes, value: bytes) -> Iterable[int]:
        """Who has a row."""
        of_bucket = self._runs.of_bucket
        if family in OF_HOSTS:
            return (of_bucket(key),)
        if family in LETTERED:
            return (of_bucket(key[1:]),)
        match family:
            case "wake":
                return (of_bucket(bucket_of(host_of_wake_key(key))),)
            case "digest":
                return (of_bucket(value),)
            case "similar":
                return (of_bucket(key[-ID_BYTES:]),)
            case "warc":  # closed files, which pages of any engine may be in
                return range(len(self._new))
        return (0,)  # records that are no page's

    def _put(self, engine: int, family: Family, key: bytes, value: bytes) -> None:
        self._seen[engine] += family == "seen"
        self._queued[engine] += family == "queue"
        self._batches[engine].put(family, key, value)
        self._rows[engine] += 1
        if self._rows[engine] >= ROWS_PER_BATCH:
            self._new[engine].write(self._batches[engine])
            self._batches[engine], self._rows[engine] = self._new[engine].batch(), 0

    def _put_meta(self, engine: int, batch: Batch) -> None:
        """What holds for all of the crawl, each engine knows; what was counted, the first one does."""
        for key, values in self._meta().items():
            batch.put("meta", key, max(values) if key == RUN else values[0])
        if seeds := self._values(SEEDS):
            known = list(dict.fromkeys(seed for row in seeds for seed in _decode_seeds(row)))
            batch.put("meta", SEEDS, _encode(known))
            if self._values(GROWN):  # then all pages with links out of scope are read again
                batch.put("meta", GROWN, _encode(len(known)))
        if self._items[0] and not engine:
            batch.put("meta", ITEMS_END, _encode(self._items))
        before = [_decode_counters(row) for row in self._values(COUNTERS)]
        counters = added_up(before) if not engine else Counters()
        counters.seen, counters.queued = self._seen[engine], self._queued[engine]
        counters.sequence = max((one.sequence for one in before), default=0)
        batch.put("meta", COUNTERS, _encode(counters))

    def _meta(self) -> dict[bytes, list[bytes]]:
        rows: dict[bytes, list[bytes]] = {}
        for state in self._old:
            for key, value in _plain_meta(state):
                rows.setdefault(key, []).append(value)
        return rows

    def _values(self, key: bytes) -> list[bytes]:
        return [row for state in self._old if (row := state.get("meta", key)) is not None]


def _plain_meta(state: State) -> Iterator[tuple[bytes, bytes]]:
    return ((key, value) for key, value in state.scan("meta") if key not in (COUNTERS, SEEDS, GROWN, ITEMS_END))


def _counts_added(scans: Sequence[Iterator[tuple[bytes, bytes]]]) -> Iterator[tuple[bytes, bytes]]:
    """What a rule refused on a host, wherever that was linked."""
    for key, same in groupby(merge(*scans), key=itemgetter(0)):
        rows = [decode_rule(row) for _, row in same]
        yield key, _encode(RuleRow(sum(row.listed for row in rows), sum(row.more for row in rows)))
