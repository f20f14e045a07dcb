"""Percentiles in constant memory: values are counted in buckets whose width grows with the value."""

from __future__ import annotations

import math

# Buckets from a microsecond (or less than a byte) to 10^12, forty a decade: each is 6 % wide, so that a percentile is
# off by 3 % at most.
LEAST_EXPONENT = -6
MOST_EXPONENT = 12
BUCKETS_PER_DECADE = 40
_LAST = (MOST_EXPONENT - LEAST_EXPONENT) * BUCKETS_PER_DECADE
_LEAST = 10.0**LEAST_EXPONENT


class LogHistogram:
    """Counts of values that are zero or more; the smallest, the largest and the total are exact."""

    def __init__(self) -> None:
        self._counts = [0] * (_LAST + 1)
        self.count = 0
        self.total = 0.0
        self.smallest = math.inf
        self.largest = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[_bucket_of(value)] += 1
        self.count += 1
        self.total += value
        if value < self.smallest:
            self.smallest = value
        if value > self.largest:
            self.largest = value

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """The value that this many percent of all do not exceed, within 3 %; 0 of nothing."""
        if not self.count:
            return 0.0
        rank = math.ceil(self.count * percent / 100)
        passed = 0
        for bucket, count in enumerate(self._counts):
            passed += count
            if passed >= rank:
                return min(max(_middle_of(bucket), self.smallest), self.largest)
        return self.largest


def _bucket_of(value: float) -> int:
    if value <= _LEAST:
        return 0
    return min(1 + int((math.log10(value) - LEAST_EXPONENT) * BUCKETS_PER_DECADE), _LAST)


def _middle_of(bucket: int) -> float:
    if not bucket:
        return 0.0
    return math.pow(10.0, LEAST_EXPONENT + (bucket - 0.5) / BUCKETS_PER_DECADE)
