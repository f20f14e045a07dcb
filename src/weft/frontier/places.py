"""Where in the queue each URL waits, for an order that changes its mind: only then is it written down."""

from __future__ import annotations

from weft.frontier.host import Host
from weft.state import Batch, State
from weft.state.keys import LAST_RANK, rank_of, with_rank
from weft.types import Link
from weft.url import url_id


class Places:
    """The rows of `place`: URL id → queue key."""

    def __init__(self, state: State) -> None:
        self._state = state
        # Of the batch under way: who has moved, and which row of which host in memory went for it.
        self._moved: dict[bytes, tuple[Host | None, bytes]] = {}

    def put(self, batch: Batch, host: str, link: Link, key: bytes) -> None:
        """A URL was queued, perhaps again."""
        batch.put("place", url_id(link.url, host), key)

    def remove(self, batch: Batch, url_id: bytes) -> None:
        """Its visit is over."""
        batch.delete("place", url_id)

    def move(self, batch: Batch, url_id: bytes, rank: int, host: Host | None) -> tuple[bytes, bytes] | None:
        """Move a URL's row; returns that row. None for one that does not wait (any more, or yet), or is a retry.

        A URL moves once a batch, and one that was queued in it stays where it is: its rank was asked for just now.
        """
        key = self._state.get("place", url_id)
        if key is None or url_id in self._moved or rank_of(key) in (rank, LAST_RANK):
            return None
        is_taken = host is not None and key in host.outstanding
        if is_taken or (value := self._state.get("queue", key)) is None:
            return None
        moved = with_rank(key, rank)
        batch.delete("queue", key)
        batch.put("queue", moved, value)
        batch.put("place", url_id, moved)
        self._moved[url_id] = host, key
        return moved, value

    def settle(self) -> None:
        """The batch is written: memory forgets the rows that went."""
        for host, key in self._moved.values():
            if host is not None:
                host.lane_of_row(key).remove(key)
        self._moved.clear()
