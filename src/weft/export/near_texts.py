"""Which texts are almost those of others, in memory: 24 bytes a text, whatever its length.

    fingerprints   8 bytes each, in the order in which they came
    four tables    by the first, second, third and fourth quarter of a fingerprint: for each of its 65,536 values the
                   last one that has it, and for each fingerprint, 4 bytes, the one before it with the same quarter

Fingerprints within 3 bits of each other have at least one quarter in common, so what is like a new one is in one of its
four chains. `store.similar` has the same of a crawl, on disk. A chain is as long as there are texts / 65,536, unless
the texts have much in common; of a longer one than MOST_IN_A_CHAIN only the newest are looked at, and a duplicate may
stay.
"""

from __future__ import annotations

from array import array
from typing import Final

from weft.parse.simhash import NO_TEXT
from weft.store.similar import NEAR_BITS

MOST_IN_A_CHAIN: Final = 2_000
_QUARTERS: Final = NEAR_BITS + 1
_QUARTER_BITS: Final = 64 // _QUARTERS
_VALUES: Final = 1 << _QUARTER_BITS


class NearTexts:
    """The texts that were met; one that is almost another's is not added, so that chains stay short."""

    def __init__(self) -> None:
        self._prints = array("Q")
        self._last = [array("I", bytes(4 * _VALUES)) for _ in range(_QUARTERS)]  # 0: none; else a number from 1 on
        self._before = [array("I") for _ in range(_QUARTERS)]

    def is_new(self, fingerprint: int) -> bool:
        """Whether no text that is almost the same came before. A text without words is always new."""
        if fingerprint == NO_TEXT:
            return True
        quarters = [fingerprint >> (place * _QUARTER_BITS) & (_VALUES - 1) for place in range(_QUARTERS)]
        prints = self._prints
        for last, before, quarter in zip(self._last, self._before, quarters, strict=True):
            number = last[quarter]
            for _ in range(MOST_IN_A_CHAIN):
                if not number:
                    break
                if (prints[number - 1] ^ fingerprint).bit_count() <= NEAR_BITS:
                    return False
                number = before[number - 1]
        prints.append(fingerprint)
        for last, before, quarter in zip(self._last, self._before, quarters, strict=True):
            before.append(last[quarter])
            last[quarter] = len(prints)
        return True
