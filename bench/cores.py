"""`make bench-cores`: pages a second as a crawl gets more cores and engines; how many there are depends on the machine.

For each number of engines that the machine bears, from one to one for every two cores, corpus b is crawled on as many
cores as these engines want (two each, by the affinity of the process); the server has the rest. What is told is the
median of the rounds, beside what the model says: an engine's pages a second, taken from its CPU a page with one engine,
times the engines, as far as the cores go. The numbers of engines take turns, as the machine's speed changes from minute
to minute. The table is printed, the curve is in bench/results/cores.svg.

On a machine of two or three cores there is one point of the curve; `--engines 1,2` measures what a second engine costs
there. With `--apart` as many separate crawls of a share of the hosts each, at once, are beside each number of engines:
what these cost more than one is the machine's, and what engines cost more than they do is weft's.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from statistics import median

import msgspec

from bench.command import bench_scratch
from bench.corpus import CORPORA, Stage, staged
from bench.growth_plot import Panel, draw
from bench.record import RESULTS, keep_figures, say
from bench.rounds import Caps, described, run_once
from bench.table import Round, aligned
from bench.tools import Job, Tool, weft

CORES_PER_ENGINE = 2
MOST_S = 600.0  # of separate crawls
TICKS = 4  # of the plot
TITLES = ["engines", "cores", "pages/s", "model", "CPU ms a page", "beside one engine"]


class Point(msgspec.Struct, frozen=True):
    """What one number of engines came to."""

    engines: int
    cores: int
    pages_per_s: float
    cpu_ms: float  # a page, of all processes
    is_apart: bool = False  # not engines of one crawl, but as many crawls


def model(engines: int, cores: int, engine_ms: float, workers_ms: float) -> float:
    """Pages a second: what the engines can do, or what the cores can, whichever is less."""
    return min(engines * 1000 / engine_ms, cores * 1000 / (engine_ms + workers_ms))


def point_of(engines: int, cores: int, rounds: list[Round], *, is_apart: bool = False) -> Point | None:
    """The medians of some rounds; None if none succeeded."""
    good = [one for one in rounds if not one.failure and one.pages]
    if not good:
        return None
    return Point(
        engines,
        cores,
        median(one.pages / one.seconds for one in good),
        median(1000 * one.cpu_s / one.pages for one in good),
        is_apart,
    )


def lines_of(points: list[Point], engine_ms: float, workers_ms: float) -> list[list[str]]:
    """The table."""
    first = points[0].cpu_ms
    return [
        TITLES,
        *(
            [
                f"{one.engines} crawls" if one.is_apart else str(one.engines),
                str(one.cores),
                f"{one.pages_per_s:,.0f}",
                f"{model(one.engines, one.cores, engine_ms, workers_ms):,.0f}",
                f"{one.cpu_ms:.3f}",
                f"{one.cpu_ms / first:.3f}",
            ]
            for one in points
        ),
    ]


def plot_of(points: list[Point], engine_ms: float, workers_ms: float) -> str:
    """An SVG of pages a second, as they were and as the model says, and of CPU a page, over the number of engines."""
    points = [one for one in points if not one.is_apart]
    models = [(one.engines, model(one.engines, one.cores, engine_ms, workers_ms)) for one in points]
    measured = [(one.engines, one.pages_per_s) for one in points]
    panels = [
        Panel("pages a second", {"measured": [(0, 0), *measured], "model": [(0, 0), *models]}),
        Panel("CPU ms a page", {"": [(one.engines, one.cpu_ms) for one in points]}),
    ]
    most = TICKS * -(-max(one.engines for one in points) // TICKS)  # so that whole numbers are written below
    return draw(panels, most_pages=most, is_even=True, unit="engines")


def main() -> None:
    """Crawl corpus b with one engine, two, three …"""
    all_cores = sorted(os.sched_getaffinity(0))
    options = _options(len(all_cores))
    counts = [int(one) for one in options.engines.split(",")]
    print(f"this machine has {len(all_cores)} cores: engines {', '.join(map(str, counts))}")
    with bench_scratch("cores", is_kept=False) as scratch, staged(CORPORA["b"], scratch) as stage:
        cores = {count: all_cores[: min(len(all_cores), CORES_PER_ENGINE * count)] for count in counts}
        apart = [(count, True) for count in counts if options.apart and count > 1]
        kinds = sorted([*((count, False) for count in counts), *apart])
        rounds: dict[tuple[int, bool], list[Round]] = {kind: [] for kind in kinds}
        for _ in range(options.rounds):
            for count, is_apart in kinds:
                tool = crawls_apart(count) if is_apart else _engines(count)
                rounds[count, is_apart].append(_round(stage, tool, cores[count], scratch))
    found = (point_of(kind[0], len(cores[kind[0]]), rounds[kind], is_apart=kind[1]) for kind in kinds)
    points = [point for point in found if point is not None]
    halves = _halves(rounds.get((1, False), []))
    if not points or not all(halves):
        sys.exit("bench: one engine is measured first, as the model goes by it: --engines 1,…")
    print("\n".join(aligned(lines_of(points, *halves))))
    keep_figures("cores", {"points": points, "engine_ms": halves[0], "workers_ms": halves[1]})
    plot = RESULTS / "cores.svg"
    plot.write_text(plot_of(points, *halves))
    say(f"the curve: {plot}")


def _engines(count: int) -> Tool:
    flags = ["--engines", str(count), "--connections-per-address", str(max(4, count))]
    return weft(f"{count} engines", *flags)


def crawls_apart(count: int) -> Tool:
    """As many crawls, each of its share of the seeds and connections, that know nothing of each other."""

    def command(job: Job) -> list[str]:
        commands = []
        for number in range(count):
            folder = job.folder / str(number)
            folder.mkdir()
            share = msgspec.structs.replace(
                job, seeds=job.seeds[number::count], connections=job.connections // count, folder=folder
            )
            commands.append(shlex.join(one.command(share)))
        return ["sh", "-c", " & ".join([*commands, "wait"])]

    one = weft("one of several", "--engines", "1", "--workers", "1")  # as many workers as an engine has a core
    return Tool(f"{count} crawls", command)


def _round(stage: Stage, tool: Tool, cores: list[int], scratch: Path) -> Round:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)  # of this process, and of those that it starts
    try:
        found = run_once(stage, tool, Caps(peer_s=MOST_S, slow_peer_s=MOST_S, max_pages=None), scratch)
    finally:
        os.sched_setaffinity(0, before)
    say(described(found))
    return found


def _halves(rounds: list[Round]) -> tuple[float, float]:
    """CPU a page of the engine and of its workers, where there is one engine."""
    good = [one for one in rounds if not one.failure and one.pages and one.engine_cpu_s is not None]
    engine = [1000 * (one.engine_cpu_s or 0.0) / one.pages for one in good]
    whole = [1000 * one.cpu_s / one.pages for one in good]
    return (median(engine), median(whole) - median(engine)) if good else (0.0, 0.0)


def _options(cores: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.cores", description=__doc__)
    most = max(1, cores // CORES_PER_ENGINE)
    usual = ",".join(map(str, range(1, most + 1)))
    parser.add_argument("--engines", default=usual, metavar="1,2,…", help=f"on this machine: {usual}")
    parser.add_argument("--apart", action="store_true", help="also as many separate crawls as engines")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of each number; default: 3")
    return parser.parse_args()


if __name__ == "__main__":
    main()
