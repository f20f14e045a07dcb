"""URLs that robots.txt forbade return to the queue when it no longer does; for limits that do so, see `limits`.

    robots.txt ignored from now on       all that it forbade
    robots.txt with other rules          what they allow, as soon as they are known
    robots.txt that is old, on resume    one URL of its authority: its turn asks for the file, and the rest may follow

Each batch is whole in itself: what is killed between two of them is done by the next run. Rules are known before the
queued URL whose turn asked for them is visited, so after a kill the next run comes by here again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from weft.folder.refused_rows import RefusedRow, decode_refused
from weft.pipeline.ledger import Ledger
from weft.robots import RobotsRow
from weft.state import State
from weft.state.keys import authority_key, authority_of_prefix, authority_prefix, end_of
from weft.types import Refusal
from weft.url import ID_BYTES

ROWS_PER_BATCH = 500

_encode = msgspec.msgpack.Encoder().encode
_decode_robots = msgspec.msgpack.Decoder(RobotsRow).decode


class Readmission:
    """Of one crawl."""

    def __init__(self, state: State, ledger: Ledger) -> None:
        self._state = state
        self._ledger = ledger

    def adopt_robots(self, now: float, *, ignored: bool) -> None:
        """Before the first visit of a run: queue all that is no longer forbidden, or see to it that it is asked."""
        for authority in self._authorities():
            if ignored:
                for _ in self.of_authority(authority, lambda url: True):
                    pass
            elif not self._is_fresh(authority, now):
                # One URL: if it is still forbidden, it is refused when its turn comes, without a request.
                self._readmit(list(islice(self._forbidden(authority), 1)))

    def of_authority(self, authority: str, allows: Callable[[str], bool]) -> Iterator[None]:
        """Queue what is allowed by now, a batch a step."""
        rows = self._forbidden(authority)
        while some := list(islice(rows, ROWS_PER_BATCH)):
            self._readmit([(key, refused) for key, refused in some if allows(refused.link.url)])
            yield

    def _readmit(self, rows: list[tuple[bytes, RefusedRow]]) -> None:
        batch = self._ledger.batch()
        for key, refused in rows:
            batch.put("forbidden", key, _encode(msgspec.structs.replace(refused, withdrawn=True)))
            self._ledger.queue_again(batch, refused.link, Refusal.ROBOTS)
        self._ledger.write(batch)

    def _forbidden(self, authority: str) -> Iterator[tuple[bytes, RefusedRow]]:
        prefix = authority_prefix(authority)
        rows = ((key, decode_refused(row)) for key, row in self._state.scan("forbidden", prefix, end_of(prefix)))
        return ((key, refused) for key, refused in rows if not refused.withdrawn)

    def _authorities(self) -> Iterator[str]:
        start = b""
        while (row := next(self._state.scan("forbidden", start), None)) is not None:
            prefix = row[0][:-ID_BYTES]
            yield authority_of_prefix(prefix)
            start = end_of(prefix)

    def _is_fresh(self, authority: str, now: float) -> bool:
        row = self._state.get("robots", authority_key(authority))
        return row is not None and _decode_robots(row).is_fresh(now)
