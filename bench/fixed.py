"""Corpus d by fixed settings: which number of connections and workers is best there, beside weft left to itself."""

from __future__ import annotations

from bench.targets import AUTOMATIC
from bench.tools import Tool, weft

CONNECTIONS = (128, 256, 512, 1024)  # 64 are far too few there, and take a minute
WORKERS = (1, 2)


def automatic() -> Tool:
    """weft that is told no number."""
    return weft(AUTOMATIC, is_automatic=True)


def grid() -> list[Tool]:
    """The fixed settings that are tried, with the automatic one before, in the middle and after: noise hits all."""
    tried = [
        weft(
            f"weft, {connections} × {workers}", "--fixed", "--connections", str(connections), "--workers", str(workers)
        )
        for connections in CONNECTIONS
        for workers in WORKERS
    ]
    middle = len(tried) // 2
    return [automatic(), *tried[:middle], automatic(), *tried[middle:], automatic()]
