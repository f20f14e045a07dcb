"""All experiments of paper 3."""

from __future__ import annotations

from bench.command import bench_scratch
from bench.groups import SMALL, staged_groups
from bench.papers.paper3.groups import run_all_groups
from bench.papers.paper3.seasons import run_seasons
from bench.papers.paper3.swing import run_swing
from bench.papers.part import PaperPart, joined


def run_paper_3(*, is_tiny: bool) -> PaperPart:
    """Groups, swing, seasons."""
    swing = run_swing()
    with bench_scratch("paper-3", is_kept=False) as scratch, staged_groups(SMALL.pages_a_host, scratch) as stage:
        groups = run_all_groups(stage, 5.0 if is_tiny else SMALL.seconds, scratch)
        seasons = run_seasons(stage, *((2.0, 3.0) if is_tiny else (6.0, 9.0)), scratch)
    return joined([groups, swing, seasons])
