"""Where in the queue each URL waits, and how it stands: written down if the order may change its mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct

from weft.frontier.host import Host
from weft.frontier.patience import Patience
from weft.state import Batch, State
from weft.state.keys import LAST_RANK, host_of_queue_key, rank_of, sequence_of, with_rank, with_sequence
from weft.types import Link, Standing
from weft.url import url_id

_STANDING = Struct("<dd")
_SIZE = _STANDING.size


def read_place(row: bytes) -> tuple[Standing, bytes]:
    """A row of `place`: the standing, and the queue key."""
    return Standing(*_STANDING.unpack_from(row)), row[_SIZE:]


class Places:
    """The rows of `place`: URL id → standing, queue key.

    What a batch has done so far is known before it is written: pages of one batch may lead to the same URL.
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
        self.first: Callable[[Link], Standing] = lambda link: Standing()  # how one stands that has no standing yet
        self.renews = False  # what moves stands behind all that have its new rank, as if it had just been found
        # Of the batch under way, emptied by settle: the rows it has written (empty: removed), and the queue rows of
        # hosts in memory that went.
        self._rows: dict[bytes, bytes] = {}
        self._gone: list[tuple[Host, bytes]] = []

    def put(self, batch: Batch, host: str, link: Link, key: bytes) -> None:
        """A URL was queued, perhaps again."""
        standing = self.first(link) if link.standing is None else link.standing
        key_of_url = url_id(link.url, host)
        self._write(batch, key_of_url, _STANDING.pack(standing.score, standing.inherited) + key)
        if self._patience is not None:
            self._patience.put(batch, host, key_of_url, sequence_of(key))

    def remove(self, batch: Batch, host: str, url_id: bytes, key: bytes) -> None:
        """Its visit is over."""
        batch.delete("place", url_id)
        self._rows[url_id] = b""
        if self._patience is not None:
            self._patience.end(batch, host, url_id, sequence_of(key))

    def standing(self, url_id: bytes) -> Standing | None:
        """How a URL stands; None if it does not wait."""
        row = self._row(url_id)
        return read_place(row)[0] if row else None

    def move(self, batch: Batch, url_id: bytes, rank: int) -> bool:
        """Give a URL that waits another rank; False if it does not wait, is a retry, or its turn has come."""
        row = self._row(url_id)
        return bool(row) and self._move(batch, url_id, row[:_SIZE], row[_SIZE:], rank)

    def restand(
        self,
        batch: Batch,
        url_id: bytes,
        news: Standing,
        merged: Callable[[Standing, Standing], Standing],
        rank: Callable[[float], int],
    ) -> None:
        """There is news of a URL. If it waits, it stands as merged says, and moves if that changes its rank."""
        row = self._row(url_id)
        if not row:
            return
        known, key = read_place(row)
        new = merged(known, news)
        if new == known:
            return
        standing = _STANDING.pack(new.score, new.inherited)
        if not self._move(batch, url_id, standing, key, rank(new.score)):
            self._write(batch, url_id, standing + key)

    def settle(self) -> None:
        """The batch is written: memory forgets the rows that went."""
        for host, key in self._gone:
            host.lane_of_row(key).remove(key)
        self._gone.clear()
        self._rows.clear()
        if self._patience is not None:
            self._patience.settle()

    def _row(self, url_id: bytes) -> bytes:
        row = self._rows.get(url_id)
        return self._state.get("place", url_id) or b"" if row is None else row

    def _write(self, batch: Batch, url_id: bytes, row: bytes) -> None:
        batch.put("place", url_id, row)
        self._rows[url_id] = row

    def _move(self, batch: Batch, url_id: bytes, standing: bytes, key: bytes, rank: int) -> bool:
        if rank_of(key) in (rank, LAST_RANK):
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
        self._write(batch, url_id, standing + moved)
        return True
