"""URLs that robots.txt forbade return to the queue when it no longer does; for limits that do so, see `limits`.

    robots.txt ignored from now on       all that it forbade; of some hosts, if it is ignored there
    another name than in the last run    what robots.txt as it is known allows under that name
    robots.txt with other rules          what they allow, as soon as they are known
    robots.txt that is old, on resume    one URL of its authority: its turn asks for the file, and the rest may follow

Each batch is whole in itself: what is killed between two of them is done by the next run. Rules are known before the
queued URL whose turn asked for them is visited, so after a kill the next run comes by here again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import msgspec

from weft.folder.refused_rows import RefusedRow, decode_refused
from weft.pipeline.ledger import Ledger
from weft.robots import RobotsRow, Rules, rules_of
from weft.robots.by_host import RobotsByHost
from weft.state import State
from weft.state.keys import authority_key, authority_of_prefix, authority_prefix, end_of
from weft.types import Refusal
from weft.url import ID_BYTES, host_of

ROWS_PER_BATCH = 500
NAMES = b"robots-names"  # a row of `meta`: the names that robots.txt had for us in the last run

_encode = msgspec.msgpack.Encoder().encode
_decode_robots = msgspec.msgpack.Decoder(RobotsRow).decode


class Readmission:
    """Of one crawl."""

    def __init__(self, state: State, ledger: Ledger) -> None:
        self._state = state
        self._ledger = ledger

    def adopt_robots(self, now: float, robots: RobotsByHost, host_budget: int | None) -> None:
        """Before the first visit of a run: queue all that is no longer forbidden, or see to it that it is asked.

        A host that has used up its budget is not asked: whatever its robots.txt says, nothing would be fetched.
        """
        names = robots.names_hash()
        known = self._state.get("meta", NAMES)
        for authority in self._authorities():
            host = host_of(f"{authority}/")
            if robots.is_ignored(host):
                for _ in self.of_authority(authority, lambda url: True):
                    pass
            elif (row := self._fresh(authority, now)) is not None:
                if known is not None and known != names:
                    rules = rules_of(row, robots.name_for(host), now)
                    for _ in self.of_authority(authority, partial(_allows, rules, len(authority))):
                        pass
            elif host_budget is None or self._ledger.tally.visits_of(host) < host_budget:
                # One URL: if it is still forbidden, it is refused when its turn comes, without a request.
                self._readmit(list(islice(self._forbidden(authority), 1)))
        if known != names:
            batch = self._ledger.batch()
            batch.put("meta", NAMES, names)
            self._ledger.write(batch)

    def ask_for_robots(self) -> None:
        """An update asks for every robots.txt again, too: what it forbade may be allowed by now."""
        batch = self._ledger.batch()
        for key, stored in self._state.scan("robots"):
            batch.put("robots", key, _encode(msgspec.structs.replace(_decode_robots(stored), expires_at=0.0)))
        self._ledger.write(batch)

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

    def _fresh(self, authority: str, now: float) -> RobotsRow | None:
        stored = self._state.get("robots", authority_key(authority))
        row = _decode_robots(stored) if stored is not None else None
        return row if row is not None and row.is_fresh(now) else None


def _allows(rules: Rules, path_at: int, url: str) -> bool:
    return rules.allows(url[path_at:])
