"""Where balance matters today: the network changes after the numbers were chosen, or nobody knew them.

Answers are quick at first, then ten times as slow. A fixed group has as many slots as the balanced one found in the
quick season; another has thirty, paper 1's number. All crawl the same pages for the same time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from bench.corpus import Stage
from bench.group_samples import Sample, speeds_of
from bench.groups import crawl_settings, watched
from bench.papers.charts import Lines, draw
from bench.papers.claims import claim, claims_table
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, PaperPart
from bench.record import say
from weft.config import CrawlConfig

QUICK, SLOW = 0.1, 1.0  # times corpus d's waits of 20 ms to 3 s
GUESS = 30
PLOT = "3-seasons.svg"
BALANCED, FIXED, GUESSED = "balanced", "fixed in the quick season", f"fixed at {GUESS}"


class Season(msgspec.Struct, frozen=True):
    """A group in both seasons."""

    group: str
    slots: float  # of the quick season, on average
    slow_slots: float
    quick_pages_per_s: float
    slow_pages_per_s: float
    pages: int


Run = dict[str, tuple[Season, list[Sample]]]


def run_seasons(stage: Stage, quick_s: float, slow_s: float, scratch: Path) -> PaperPart:
    """Three runs of the three groups."""
    runs: list[Run] = []
    settings = crawl_settings(stage, quick_s + slow_s)
    for number in range(RUNS):
        say(f"paper 3, seasons: run {number + 1}")
        found = {BALANCED: _crawl(BALANCED, settings, stage, quick_s, scratch)}
        for group, slots in ((FIXED, round(found[BALANCED][0].slots)), (GUESSED, GUESS)):
            fixed = msgspec.structs.replace(
                settings, fixed=True, connections=max(1, slots), workers=os.cpu_count() or 1
            )
            found[group] = _crawl(group, fixed, stage, quick_s, scratch)
        runs.append(found)
    stage.server.be_slower(1.0)
    return shown(runs, quick_s, slow_s)


def _crawl(
    group: str, settings: CrawlConfig, stage: Stage, quick_s: float, scratch: Path
) -> tuple[Season, list[Sample]]:
    samples: list[Sample] = []
    to_come = [(0.0, QUICK), (quick_s, SLOW)]
    stage.server.be_slower(QUICK)
    for sample in watched("bench.group_crawl", settings, stage, scratch):
        if to_come and sample.at_s >= to_come[0][0]:
            stage.server.be_slower(to_come.pop(0)[1])
        samples.append(sample)
    return season(group, samples, quick_s), samples


def season(group: str, samples: Sequence[Sample], quick_s: float) -> Season:
    """What a group did in each season. Pure."""
    quick = [sample for sample in samples if sample.at_s < quick_s]
    slow = [sample for sample in samples if sample.at_s >= quick_s]
    return Season(
        group, fmean(sample.slots for sample in quick), fmean(sample.slots for sample in slow), _speed(quick),
        _speed(slow), samples[-1].pages,
    )  # fmt: skip


def shown(runs: Sequence[Run], quick_s: float, slow_s: float) -> PaperPart:
    """Table, plot and claims. Pure."""
    rows = [["group", "slots, quick", "slots, slow", "pages/s, quick", "pages/s, slow", "of balanced, slow", "runs"]]
    for name in runs[0]:
        same = [run[name][0] for run in runs]
        shares = [run[name][0].slow_pages_per_s / run[BALANCED][0].slow_pages_per_s for run in runs]
        rows.append([
            name, f"{fmean(one.slots for one in same):.0f}", f"{fmean(one.slow_slots for one in same):.0f}",
            f"{fmean(one.quick_pages_per_s for one in same):,.0f}",
            f"{fmean(one.slow_pages_per_s for one in same):,.0f}", f"{fmean(shares):.0%}",
            f"{min(shares):.0%}–{max(shares):.0%}",
        ])  # fmt: skip
    claims = [
        claim(f"slow season: {name} has less than 80 % of balanced", (
            run[name][0].slow_pages_per_s < 0.8 * run[BALANCED][0].slow_pages_per_s for run in runs))
        for name in (FIXED, GUESSED)
    ]  # fmt: skip
    key = f"{quick_s:g} s with answers {QUICK:g} times as late as on d, then {slow_s:g} s {SLOW:g} times; {RUNS} runs"
    lines = {
        name: [
            (float(second), speed) for second, speed in enumerate(speeds_of(samples, 0.0)) if second < quick_s + slow_s
        ]
        for name, (_, samples) in runs[0].items()
    }
    title = f"Where balance matters: answers take ten times as long from second {quick_s:g} on (first run)"
    block = "\n\n".join([picture(PLOT, "Pages a second, as answers become slow"), markdown(rows, key),
                         markdown(claims_table(claims))])  # fmt: skip
    figures: dict[str, object] = {"seasons": [{name: found for name, (found, _) in run.items()} for run in runs]}
    plot = draw([Lines(title, "seconds", "pages/s", lines)])
    return PaperPart({"3-seasons": block}, claims, [], {PLOT: plot}, figures)


def _speed(samples: Sequence[Sample]) -> float:
    """Of the second half: until then counts are being found."""
    half = samples[len(samples) // 2 :]
    seconds = half[-1].at_s - half[0].at_s
    return (half[-1].pages - half[0].pages) / seconds if seconds else 0.0
