"""Which pages say nearly the same: their fingerprints, found again by any quarter of their bits.

    fingerprint      3f2a 91c0 07de b514            a page within 3 bits of it has at least one of the four
    rows in          0 3f2a <URL id> → fingerprint  quarters unchanged, so it is among the rows that begin with
    `similar`        1 91c0 <URL id> → fingerprint  the same quarter at the same place
                     2 07de <URL id> → fingerprint
                     3 b514 <URL id> → fingerprint

A look-up reads four short runs of rows. How long they are depends on the pages: of 100,000 unrelated ones, two
rows a run; pages of one template share some of their bits, and their runs grow with the site. So at most
MAX_CANDIDATES rows of a run are looked at, and in a large crawl of pages that are alike but not near each other,
some near duplicates are not found: among 5,000 pages of javadoc 1 of 1,603. Runs stay shorter if only pages are
added that have no near duplicate yet.

With 100,000 pages `find` takes about 50 µs when it finds nothing (four scans), less when it finds something, and
`add` with its share of the write 15 µs; at worst, with four runs that are cut, `find` takes half a millisecond.
"""

from __future__ import annotations

from typing import Final

from weft.state import Batch, Family, State

NEAR_BITS: Final = 3
MAX_CANDIDATES: Final = 200

_FAMILY: Final[Family] = "similar"
_FINGERPRINT_BYTES = 8
_QUARTERS = NEAR_BITS + 1
_QUARTER_BYTES = _FINGERPRINT_BYTES // _QUARTERS
_RUN_BYTES = 1 + _QUARTER_BYTES
_NO_TEXT = 0  # a page without words is like no other


class NearDuplicates:
    """The fingerprints of pages, to be asked before a page is added.

    `add` and `remove` put rows into the caller's batch. Until the batch is written and `settle` is called, the
    answers for its pages come from `_pending`.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._pending: dict[bytes, int | None] = {}  # None: removed
        self.candidates_seen = 0  # rows compared, for the report
        self.runs_cut = 0  # runs longer than MAX_CANDIDATES

    def find(self, simhash: int, *, besides: bytes = b"") -> bytes | None:
        """The id of a page that says nearly the same, if one is known; `besides` is the asking page's own."""
        if simhash == _NO_TEXT:
            return None
        for url_id, known in self._pending.items():
            if known is not None and url_id != besides and (known ^ simhash).bit_count() <= NEAR_BITS:
                return url_id
        for run in _runs(simhash):
            if (found := self._find_in_run(run, simhash, besides)) is not None:
                return found
        return None

    def find_or_add(self, batch: Batch, url_id: bytes, simhash: int) -> bytes | None:
        """The page that stands for this one from now on; None: it stands for itself."""
        found = self.find(simhash, besides=url_id)
        if found is None:
            self.add(batch, url_id, simhash)
        return found

    def add(self, batch: Batch, url_id: bytes, simhash: int) -> None:
        """Make a page known. One that is known with another fingerprint must be removed first."""
        if simhash == _NO_TEXT:
            return
        row = simhash.to_bytes(_FINGERPRINT_BYTES)
        for run in _runs(simhash):
            batch.put(_FAMILY, run + url_id, row)
        self._pending[url_id] = simhash

    def remove(self, batch: Batch, url_id: bytes, simhash: int) -> None:
        """Forget a page that was added with this fingerprint."""
        for run in _runs(simhash):
            batch.delete(_FAMILY, run + url_id)
        self._pending[url_id] = None

    def settle(self) -> None:
        """The batch that holds the pending rows is written."""
        self._pending.clear()

    def statistics(self) -> dict[str, int]:
        """How much was looked at."""
        return {"candidates_seen": self.candidates_seen, "runs_cut": self.runs_cut}

    def _find_in_run(self, run: bytes, simhash: int, besides: bytes) -> bytes | None:
        stop = (int.from_bytes(run) + 1).to_bytes(_RUN_BYTES)
        for number, (key, row) in enumerate(self._state.scan(_FAMILY, run, stop)):
            if number == MAX_CANDIDATES:
                self.runs_cut += 1
                break
            self.candidates_seen += 1
            if (int.from_bytes(row) ^ simhash).bit_count() <= NEAR_BITS:
                url_id = key[_RUN_BYTES:]
                if url_id != besides and url_id not in self._pending:
                    return url_id
        return None


def _runs(simhash: int) -> list[bytes]:
    """The beginnings of the keys of a page's four rows."""
    row = simhash.to_bytes(_FINGERPRINT_BYTES)
    return [bytes((place,)) + row[place * _QUARTER_BYTES : (place + 1) * _QUARTER_BYTES] for place in range(_QUARTERS)]
