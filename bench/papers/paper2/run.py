"""All experiments of paper 2."""

from __future__ import annotations

from bench.papers.paper2.exchange import run_exchange
from bench.papers.paper2.matrices import shown
from bench.papers.paper2.responses import run_responses
from bench.papers.part import RUNS, PaperPart, joined


def run_paper_2(*, is_tiny: bool) -> PaperPart:
    """Answers by kind, then the matrices."""
    phase_pages = 300 if is_tiny else 2_000
    exchanged = [run_exchange(phase_pages, number) for number in range(RUNS)]
    return joined([run_responses(900 if is_tiny else 10_000), shown(exchanged, phase_pages)])
