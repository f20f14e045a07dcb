"""Where in the queue each URL waits, and how it stands: written down if the order may change its mind.

Each page has news of dozens of URLs that wait. To write all of their rows each time would take as long as everything
else the engine does for a page. So news goes into a log, one row a batch (`news`), and into memory; when there is much
of it, rows are written, and the log begins again. After a kill the log is read. A row's queue key is always true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct

from weft.frontier.host import Host
from weft.frontier.patience import FRONT, Patience
from weft.state import Batch, State
from weft.state.keys import LAST_RANK, host_of_queue_key, rank_of, sequence_of, with_rank, with_sequence
from weft.types import Link, Standing
from weft.url import ID_BYTES, id_of

REMEMBERED = 20_000  # rows, twice; a page's menu is on every page, so most links are met again soon
FOLD_AT = 10_000  # URLs of which there is news

_STANDING = Struct("<dd")
_SIZE = _STANDING.size


def read_place(row: bytes) -> tuple[Standing, bytes]:
    """A row of `place`: the standing, and the queue key."""
    return Standing(*_STANDING.unpack_from(row)), row[_SIZE:]


class Places:
    """The rows of `place`: URL id → standing, queue key. What a batch does to a URL is written at its end, once."""

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
        # Of the batch under way, emptied by settle: rows (empty: it waits no more), news, and queue rows of hosts in
        # memory that went.
        self._rows: dict[bytes, bytes] = {}
        self._heard = bytearray()
        self._gone: list[tuple[Host, bytes]] = []
        # How URLs stand of which the log has news, and which of those wait no more. Filled by restand, emptied by
        # _fold; bound: FOLD_AT, and what one batch adds.
        self._changed: dict[bytes, Standing] = {}
        self._left: set[bytes] = set()
        self._number = 0  # of the log's next row
        self._folds = False  # at the end of this batch
        # What is written. Filled by settle and _row, emptied when they are full; bound: REMEMBERED.
        self._young: dict[bytes, bytes] = {}
        self._old: dict[bytes, bytes] = {}

    def put(self, batch: Batch, host: str, link: Link, key: bytes) -> None:
        """A URL was queued, perhaps again."""
        self.puts += 1
        standing = self.first(link) if link.standing is None else link.standing
        own_id = id_of(link, host)
        self._rows[own_id] = _STANDING.pack(standing.score, standing.inherited) + key
        if own_id in self._left:  # old news is not of this row
            self._folds = True
        if self._patience is not None:
            self._patience.put(batch, host, own_id, sequence_of(key))

    def remove(self, batch: Batch, host: str, url_id: bytes, key: bytes) -> None:
        """Its visit is over."""
        self._rows[url_id] = b""
        if self._changed.pop(url_id, None) is not None:
            self._left.add(url_id)
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
        row = self._row(url_id)
        if not row:
            return
        known = self._changed.get(url_id) or Standing(*_STANDING.unpack_from(row))
        new = merged(known, news)
        if new == known:
            return
        rank = self.rank(new.score)
        if self.renews:  # the row is written anyway
            packed = _STANDING.pack(new.score, new.inherited)
            if not self._move(batch, url_id, packed, row[_SIZE:], rank):
                self._rows[url_id] = packed + row[_SIZE:]
            return
        self._changed[url_id] = new
        self._heard += url_id
        self._heard += _STANDING.pack(news.score, news.inherited)
        if rank_of(row) != rank:
            self._move(batch, url_id, row[:_SIZE], row[_SIZE:], rank)

    def recall(self, merged: Callable[[Standing, Standing], Standing]) -> None:
        """A run begins: what the log has news of stands as it did."""
        for key, heard in self._state.scan("news"):
            self._number = int.from_bytes(key, "big") + 1
            for at in range(0, len(heard), ID_BYTES + _SIZE):
                one = heard[at : at + ID_BYTES]
                if row := self._row(one):
                    known = self._changed.get(one) or Standing(*_STANDING.unpack_from(row))
                    self._changed[one] = merged(known, Standing(*_STANDING.unpack_from(heard, at + ID_BYTES)))
                else:
                    self._left.add(one)

    def put_standing(self, batch: Batch, url_id: bytes, standing: Standing) -> None:
        """How a URL stands is known better than from news of it."""
        if row := self._row(url_id):
            self._changed[url_id] = standing
            self._folds = True
            self._move(batch, url_id, row[:_SIZE], row[_SIZE:], self.rank(standing.score))

    def fold(self) -> None:
        """Write the rows of all of which there is news, at the end of this batch."""
        self._folds = True

    def move(self, batch: Batch, url_id: bytes, rank: int) -> bool:
        """Give a URL that waits another rank; False if it does not wait, is a retry, or its turn has come."""
        row = self._row(url_id)
        return bool(row) and self._move(batch, url_id, row[:_SIZE], row[_SIZE:], rank)

    def seal(self, batch: Batch) -> None:
        """Last before the write."""
        if self._heard:
            batch.put("news", self._number.to_bytes(8, "big"), bytes(self._heard))
            self._number += 1
            self._heard.clear()
        if self._folds or len(self._changed) + len(self._left) > FOLD_AT:
            self._fold(batch)
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

    def forget(self, start: bytes, stop: bytes | None) -> None:
        """The rows between these keys are taken away by this batch, and may come again by another."""
        self._young, self._old = {}, {}
        for one in [one for one in self._changed if start <= one and (stop is None or one < stop)]:
            del self._changed[one]
        self._folds = True

    def _row(self, url_id: bytes) -> bytes:
        for known in (self._rows, self._young, self._old):
            if (row := known.get(url_id)) is not None:
                return row
        row = self._young[url_id] = self._state.get("place", url_id) or b""
        return row

    def _fold(self, batch: Batch) -> None:
        for one, standing in self._changed.items():
            if row := self._row(one):
                self._rows[one] = _STANDING.pack(standing.score, standing.inherited) + row[_SIZE:]
        self._changed.clear()
        self._left.clear()
        self._folds = False
        batch.delete_range("news", b"", self._number.to_bytes(8, "big"))

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
