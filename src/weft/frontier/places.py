"""Where in the queue each URL waits, and how it stands: written down if the order may change its mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct

from weft.frontier.host import Host
from weft.frontier.patience import FRONT, Patience
from weft.state import Batch, State
from weft.state.keys import LAST_RANK, host_of_queue_key, rank_of, sequence_of, with_rank, with_sequence
from weft.types import Link, Standing
from weft.url import url_id

REMEMBERED = 20_000  # rows, twice; a page's menu is on every page, so most links are met again soon

_STANDING = Struct("<dd")
_SIZE = _STANDING.size


def read_place(row: bytes) -> tuple[Standing, bytes]:
    """A row of `place`: the standing, and the queue key."""
    return Standing(*_STANDING.unpack_from(row)), row[_SIZE:]


class Places:
    """The rows of `place`: URL id → standing, queue key.

    What a batch does to a URL is written at its end, once: pages of one batch lead to the same URLs.
    """

    def __init__(
        self,
        state: State,
        put: dict[bytes, tuple[str, bytes]],
        hosts: Mapping[str, Host],
        next_sequence: Callable[[], int],
        patience: int | None,
    ) -> None:
        self._state = state
        self._put = put  # the frontier's, of the batch under way
        self._hosts = hosts
        self._next_sequence = next_sequence
        self._patience = Patience(state, patience, self.move) if patience is not None else None
        # An order that scores says: how a URL stands that has no standing yet; the rank of a score; and whether what
        # moves stands behind all that have its new rank, as if it had just been found.
        self.first: Callable[[Link], Standing] = lambda link: Standing()
        self.rank: Callable[[float], int] = lambda score: 0
        self.renews = False
        self.puts = 0  # URLs queued so far
        # Of the batch under way, emptied by settle: rows (empty: it waits no more), standings that have changed since,
        # and queue rows of hosts in memory that went.
        self._rows: dict[bytes, bytes] = {}
        self._changed: dict[bytes, Standing] = {}
        self._gone: list[tuple[Host, bytes]] = []
        # What is written. Filled by settle and _row, emptied when they are full; bound: REMEMBERED.
        self._young: dict[bytes, bytes] = {}
        self._old: dict[bytes, bytes] = {}

    def put(self, batch: Batch, host: str, link: Link, key: bytes) -> None:
        """A URL was queued, perhaps again."""
        self.puts += 1
        standing = self.first(link) if link.standing is None else link.standing
        own_id = url_id(link.url, host)
        self._rows[own_id] = _STANDING.pack(standing.score, standing.inherited) + key
        self._changed.pop(own_id, None)
        if self._patience is not None:
            self._patience.put(batch, host, own_id, sequence_of(key))

    def remove(self, batch: Batch, host: str, url_id: bytes, key: bytes) -> None:
        """Its visit is over."""
        self._rows[url_id] = b""
        self._changed.pop(url_id, None)
        if self._patience is not None:
            self._patience.end(batch, host, url_id, sequence_of(key))

    def standing(self, url_id: bytes) -> Standing | None:
        """How a URL stands; None if it does not wait."""
        if (changed := self._changed.get(url_id)) is not None:
            return changed
        row = self._row(url_id)
        return read_place(row)[0] if row else None

    def restand(
        self, batch: Batch, url_id: bytes, news: Standing, merged: Callable[[Standing, Standing], Standing]
    ) -> None:
        """There is news of a URL. If it waits, it stands as merged says, and moves if that changes its rank."""
        known = self._changed.get(url_id)
        if known is None:
            row = self._row(url_id)
            if not row:
                return
            known = Standing(*_STANDING.unpack_from(row))
        new = merged(known, news)
        if new != known:
            self._changed[url_id] = new
            if self.renews:  # in the order of the page, among the new ones
                self._stand(batch, url_id, self._changed.pop(url_id))

    def move(self, batch: Batch, url_id: bytes, rank: int) -> bool:
        """Give a URL that waits another rank; False if it does not wait, is a retry, or its turn has come."""
        row = self._row(url_id)
        return bool(row) and self._move(batch, url_id, row[:_SIZE], row[_SIZE:], rank)

    def seal(self, batch: Batch) -> None:
        """Last before the write."""
        for one, standing in self._changed.items():
            self._stand(batch, one, standing)
        self._changed.clear()
        for one, row in self._rows.items():
            if row:
                batch.put("place", one, row)
            else:
                batch.delete("place", one)

    def settle(self) -> None:
        """The batch is written: memory forgets the rows that went."""
        for host, key in self._gone:
            host.lane_of_row(key).remove(key)
        self._gone.clear()
        self._young |= self._rows
        self._rows.clear()
        if len(self._young) > REMEMBERED:
            self._old, self._young = self._young, {}
        if self._patience is not None:
            self._patience.settle()

    def forget(self) -> None:
        """Rows were taken away by somebody else."""
        self._young, self._old = {}, {}

    def _row(self, url_id: bytes) -> bytes:
        for known in (self._rows, self._young, self._old):
            if (row := known.get(url_id)) is not None:
                return row
        row = self._young[url_id] = self._state.get("place", url_id) or b""
        return row

    def _stand(self, batch: Batch, url_id: bytes, standing: Standing) -> None:
        packed, key = _STANDING.pack(standing.score, standing.inherited), self._row(url_id)[_SIZE:]
        if not self._move(batch, url_id, packed, key, self.rank(standing.score)):
            self._rows[url_id] = packed + key

    def _move(self, batch: Batch, url_id: bytes, standing: bytes, key: bytes, rank: int) -> bool:
        now = rank_of(key)
        if now in (rank, LAST_RANK) or (now == FRONT and self._patience is not None):
            return False
        put = self._put.get(key)
        name = put[0] if put is not None else host_of_queue_key(key)
        host = self._hosts.get(name)
        if host is not None and key in host.outstanding:
            return False
        value = put[1] if put is not None else self._state.get("queue", key)
        if value is None:
            return False
        moved = with_rank(key, rank)
        if self.renews:
            moved = with_sequence(moved, self._next_sequence())
        batch.delete("queue", key)
        batch.put("queue", moved, value)
        if put is not None:
            del self._put[key]
        elif host is not None:
            self._gone.append((host, key))
        self._put[moved] = name, value
        self._rows[url_id] = standing + moved
        return True
