"""What a crawl has done so far: counters that are committed with the pages they count."""

from weft.stats.counters import Counters

__all__ = ["Counters"]
