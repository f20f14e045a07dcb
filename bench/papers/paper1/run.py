"""All experiments of paper 1."""

from __future__ import annotations

from bench.papers.claims import Exhibit, cannot
from bench.papers.paper1.designs import run_designs
from bench.papers.paper1.name_loads import run_names
from bench.papers.paper1.portals import run_portals
from bench.papers.paper1.queueing import run_queueing
from bench.papers.part import PaperPart, joined

ELSEWHERE = "it is a figure of their network: the crawlers of table 2 take it as given"
DRAWN = "they are drawn, not measured: table 1 has their figures"
ORDERS = "the paper measures none of them; `make bench-order` does: [order-bench.md](order-bench.md)"


def run_paper_1(*, is_tiny: bool) -> PaperPart:
    """Tables 1 and 2, figure 6, equation (3), the DNS table."""
    parts = [
        run_portals(5 if is_tiny else 50),
        run_designs(1.0 if is_tiny else 4.0),
        run_queueing(5 if is_tiny else 20),
        run_names(*((2_000, 5_000) if is_tiny else (20_000, 60_000))),
    ]
    others = PaperPart(
        {},
        [],
        [
            Exhibit(1, "§2.2", "100 look-ups of names: 327 ms each, on average", cannot(ELSEWHERE)),
            Exhibit(1, "figure 4 and equation (2)", "time slices of blocking and event threads", cannot(DRAWN)),
            Exhibit(1, "§1.2", "PageRank, HITS, best-first and Fish search", cannot(ORDERS)),
        ],
        {},
        {},
    )
    return joined([*parts, others])
