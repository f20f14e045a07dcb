"""Idle connections that wait for the next request to the same place.

Filled by: the fetcher, after a response whose connection may be used again. Emptied by: the fetcher's next
request, the server closing, time. Bound: `max_total`, and `max_per_key` for each place.

Everything is O(1) a connection: found by its place, dropped by itself, and the oldest stands first in a line.
The pool closes nothing; it says what is to be closed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Generic, Protocol, TypeVar

_MOST_NOISY: Final = 10_000

# The place a connection leads to, whichever of its addresses it goes to: scheme, host and port.
Key = tuple[str, str, int]


class Poolable(Protocol):
    """What the pool needs to know of a connection."""

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""


C = TypeVar("C", bound=Poolable)


class Pool(Generic[C]):
    """Idle connections by place, the most recently used first: it is the likeliest to be alive."""

    def __init__(self, max_total: int, max_per_key: int, idle_timeout_s: float) -> None:
        self._max_total = max_total
        self._max_per_key = max_per_key
        self._idle_timeout_s = idle_timeout_s
        self._by_key: dict[Key, dict[C, None]] = {}  # the last one was used last; made and dropped all the time
        self._by_age: OrderedDict[C, tuple[Key, float]] = OrderedDict()  # idle longest first
        # Places of which no connection is kept. Filled by `keep_none`, emptied when full; bound: _MOST_NOISY.
        self._noisy: set[Key] = set()

    def __len__(self) -> int:
        return len(self._by_age)

    def take(self, key: Key) -> C | None:
        """An idle connection to this place, which is then no longer in the pool."""
        while (idle := self._by_key.get(key)) is not None:
            connection = next(reversed(idle))
            self.discard(connection)
            if not connection.closed:
                return connection
        return None

    def put(self, key: Key, connection: C, now_s: float) -> C | None:
        """Keep a connection; returns the one that must be closed to make room, perhaps itself."""
        if connection.closed or self._max_per_key <= 0 or self._max_total <= 0 or key in self._noisy:
            return connection
        evicted = None
        idle = self._by_key.get(key)
        if idle is not None and len(idle) >= self._max_per_key:
            evicted = next(iter(idle))
        elif len(self._by_age) >= self._max_total:
            evicted = next(iter(self._by_age))
        if evicted is not None:
            self.discard(evicted)
        self._by_key.setdefault(key, {})[connection] = None
        self._by_age[connection] = (key, now_s)
        return evicted

    def keep_none(self, key: Key) -> None:
        """This place sends what nobody asked for, which would be taken for the next answer: none of its is kept."""
        if len(self._noisy) >= _MOST_NOISY:
            self._noisy.clear()
        self._noisy.add(key)

    def discard(self, connection: C, *, is_noisy: bool = False) -> None:
        """Forget a connection, if it is here."""
        entry = self._by_age.pop(connection, None)
        if entry is None:
            return
        key = entry[0]
        if is_noisy:
            self.keep_none(key)
        idle = self._by_key[key]
        del idle[connection]
        if not idle:
            del self._by_key[key]

    def take_expired(self, now_s: float) -> list[C]:
        """The connections that have been idle for too long; they are to be closed."""
        expired = []
        for connection, (_, since_s) in self._by_age.items():
            if now_s - since_s < self._idle_timeout_s:
                break
            expired.append(connection)
        for connection in expired:
            self.discard(connection)
        return expired
