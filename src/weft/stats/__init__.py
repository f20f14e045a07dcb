"""What a crawl has done so far: counters that are committed with the pages they count, and the report.

    rows ──survey──▶ tallies, histograms, a table of hosts ──report──▶ figures, with a verdict in words

`weft.stats.report.build_report` makes the report; `figures` is its shape, which `weft report --json` prints.
"""

from weft.stats.counters import Counters, Span

__all__ = ["Counters", "Span"]
