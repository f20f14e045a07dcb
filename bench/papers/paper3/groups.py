"""Paper 3's tables 1 and 2 and figure 2: `bench.groups` three times at its small scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from bench.corpus import Stage
from bench.group_samples import Figures, Sample, speeds_of, variation
from bench.groups import PAPER, run_groups
from bench.papers.charts import Lines, draw
from bench.papers.claims import Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, PaperPart
from bench.record import say

START_S = 4.0  # until then a crawl is starting
PLOT = "3-figure-2.svg"
NAMES = ("balanced", "unbalanced", "serial")
Run = tuple[list[Figures], dict[str, list[Sample]]]


def run_all_groups(stage: Stage, seconds: float, scratch: Path) -> PaperPart:
    """All groups, three times."""
    runs = []
    for number in range(RUNS):
        say(f"paper 3, groups: run {number + 1}")
        runs.append(run_groups(stage, seconds, scratch))
    return shown(runs, seconds)


def shown(runs: Sequence[Run], seconds: float) -> PaperPart:
    """The paper's tables, its figure 2, and what held. Pure."""
    rows = [["group", "MB", "of balanced", "runs", "paper", "wildness", "buffer", "paper", "idle", "of them parse",
             "paper", "slots", "workers"]]  # fmt: skip
    for name in (figures.group for figures in runs[0][0]):
        same = [_of(run, name) for run in runs]
        shares = [one.megabytes / _of(run, "balanced").megabytes for one, run in zip(same, runs, strict=True)]
        paper = PAPER.get(name)
        of_paper = f"{paper.gigabytes / PAPER['balanced'].gigabytes:.0%}" if paper else "–"
        rows.append([
            name, f"{fmean(one.megabytes for one in same):,.0f}", f"{fmean(shares):.0%}",
            f"{min(shares):.0%}–{max(shares):.0%}", of_paper, f"{fmean(_wild(run, name) for run in runs):.0%}",
            f"{fmean(one.mean_buffer for one in same):.1f}", _known(paper.mean_buffer if paper else None),
            f"{fmean(one.idle for one in same):.1f}", f"{fmean(one.idle_parse for one in same):.2f}",
            _known(paper.idle if paper else None), f"{fmean(one.mean_slots for one in same):.0f}",
            f"{fmean(one.mean_workers for one in same):.1f}",
        ])  # fmt: skip
    volume = [
        claim("volume: balanced > unbalanced", (_mb(run, "balanced") > _mb(run, "unbalanced") for run in runs)),
        claim("volume: unbalanced > serial", (_mb(run, "unbalanced") > _mb(run, "serial") for run in runs)),
        claim("volume: balanced > serial", (_mb(run, "balanced") > _mb(run, "serial") for run in runs)),
    ]
    state = [
        claim("buffer: balanced smaller than unbalanced", (
            _of(run, "balanced").mean_buffer < _of(run, "unbalanced").mean_buffer for run in runs)),
        claim("idle workers: balanced fewer than unbalanced", (
            _of(run, "balanced").idle < _of(run, "unbalanced").idle for run in runs)),
    ]  # fmt: skip
    calm = claim("balanced is calmer than unbalanced", (_wild(run, NAMES[0]) < _wild(run, NAMES[1]) for run in runs))
    claims = [*volume, *state, calm]
    key = (
        f"{seconds:g} s a group (the paper: 7 h), {RUNS} runs on corpus d: answers 20 ms to 3 s late; wildness: "
        f"standard deviation of the pages of each second after the first {START_S:g}, of their mean; buffer: pages "
        "between fetch and parse; idle: slots and workers with nothing to do"
    )
    block = "\n\n".join(
        [markdown(rows, key), picture(PLOT, "Pages a second, by group"), markdown(claims_table(claims))]
    )
    exhibits = [
        Exhibit(3, "table 1", "volume of three groups", verdict(volume)),
        Exhibit(3, "table 2", "mean buffer and sleeping threads", verdict(state)),
        Exhibit(3, "figure 2", "speed over time: balanced highest and calm", verdict([volume[0], volume[2], calm])),
    ]
    figures: dict[str, object] = {"groups": [found for found, _ in runs]}
    return PaperPart({"3-groups": block}, claims, exhibits, {PLOT: _plot(runs[0], seconds)}, figures)


def _plot(run: Run, seconds: float) -> str:
    lines = {
        name: [(float(second), speed) for second, speed in enumerate(speeds_of(samples, 0.0)) if second < seconds]
        for name, samples in run[1].items()
    }
    return draw([Lines("Paper 3, figure 2: speed (first run)", "seconds", "pages/s", lines)])


def _of(run: Run, name: str) -> Figures:
    return next(one for one in run[0] if one.group == name)


def _mb(run: Run, name: str) -> float:
    return _of(run, name).megabytes


def _wild(run: Run, name: str) -> float:
    return variation(speeds_of(run[1][name], START_S)) or 0.0


def _known(number: int | None) -> str:
    return "–" if number is None else str(number)
