"""No URL waits for ever: after N visits to its host that began with it waiting, nothing that came later goes before it.

patience    bucket, host                    → how many visits to the host have ended
            bucket, host, NUL, sequence     → that number when the URL was found, and the URL's id
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from weft.state import Batch, State
from weft.state.keys import end_of, host_key, host_prefix

FRONT = 0  # the rank of a URL that has waited long enough
LOOKED_AT = 64  # of the oldest: some may be under way, or wait for another try


class Patience:
    """Whose turn it is by age. `move` gives a URL another rank, if it can be moved."""

    def __init__(self, state: State, visits: int, move: Callable[[Batch, bytes, int], bool]) -> None:
        self._state = state
        self._visits = visits
        self._move = move
        self._ended: dict[str, int] = {}  # of the batch under way, by host
        self._gone: set[bytes] = set()  # likewise, ids of URLs that wait no more

    def put(self, batch: Batch, host: str, url_id: bytes, sequence: bytes) -> None:
        """A URL was queued."""
        self._gone.discard(url_id)
        batch.put("patience", host_prefix(host) + sequence, self._ended_at(host).to_bytes(8, "big") + url_id)

    def end(self, batch: Batch, host: str, url_id: bytes, sequence: bytes) -> None:
        """A visit is over: whoever has waited too long is next."""
        batch.delete("patience", host_prefix(host) + sequence)
        self._gone.add(url_id)
        ended = self._ended[host] = self._ended_at(host) + 1
        batch.put("patience", host_key(host), ended.to_bytes(8, "big"))
        prefix = host_prefix(host)
        for _, row in islice(self._state.scan("patience", prefix, end_of(prefix)), LOOKED_AT):
            if ended - int.from_bytes(row[:8], "big") < self._visits:
                return
            if row[8:] not in self._gone and self._move(batch, row[8:], FRONT):
                return

    def settle(self) -> None:
        """The batch is written."""
        self._ended.clear()
        self._gone.clear()

    def _ended_at(self, host: str) -> int:
        known = self._ended.get(host)
        return int.from_bytes(self._state.get("patience", host_key(host)) or b"", "big") if known is None else known
