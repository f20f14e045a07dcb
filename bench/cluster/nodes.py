# mypy: disable-error-code="import-untyped"
"""One node and two, in turn, on the corpora of the other benches: what a page costs, and how much faster two are.

Nodes run as a user runs them: `weft cluster start`, then `weft node` once or twice, with a real nats-server. Its CPU is
shown apart. The time is from the first request to the last: that nodes wait for each other at the beginning and at the
end has its own figure.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec
import psutil

from bench.cluster.part import Part
from bench.command import bench_scratch
from bench.corpus import CORPORA, Stage, staged
from bench.measure import die_with_parent
from bench.record import say
from bench.table import aligned
from bench.tally import tally
from bench.targets import Target
from bench.tools import WEFT
from weft.cluster.servers import Servers

ROUNDS = 3
POLL_S = 0.05
CORPUS_C_CONNECTIONS = 50
MOST_CPU = 1.1
LEAST_SPEED = 1.8
WITHIN_S = 600.0
TITLES = [
    "corpus", "nodes", "pages", "missed", "twice", "ms CPU a page", "NATS", "pages/s", "s in all", "pages by node",
]  # fmt: skip


class Summary(msgspec.Struct):
    """What is read of a node's own summary."""

    cpu_s: float
    pages: int


class NodesRun(msgspec.Struct, frozen=True):
    """One crawl."""

    nodes: int
    pages: int
    missed: int
    twice: int
    cpu_s: float  # of all nodes
    nats_cpu_s: float
    crawling_s: float  # from the first request to the last
    seconds: float  # in all
    received: dict[str, int]  # pages by node


def run_nodes() -> Part:
    """Both corpora."""
    lines = [TITLES]
    targets: list[Target] = []
    figures: dict[str, object] = {}
    with bench_scratch("cluster", is_kept=False) as scratch, Servers(scratch / "nats", 1) as servers:
        for name, connections in (("b", CORPORA["b"].connections), ("c", CORPUS_C_CONNECTIONS)):
            with staged(CORPORA[name], scratch) as stage:
                runs = []
                for number in range(ROUNDS):
                    for nodes in (1, 2):
                        runs.append(_crawl(stage, servers, scratch, f"{name}{number}{nodes}", nodes, connections))
                        say(f"{name}: {runs[-1]}")
            one, two = ([run for run in runs if run.nodes == nodes] for nodes in (1, 2))
            lines += [_line(name, one), _line(name, two)]
            figures[f"nodes-{name}"] = runs
            if name == "b":
                more = _cpu(two) / _cpu(one)
                targets.append(Target("b: CPU a page, two nodes ÷ one", more, MOST_CPU, is_upper_bound=True))
            else:
                targets.append(Target("c: pages/s, two nodes ÷ one", _speed(two) / _speed(one), LEAST_SPEED))
    return Part("\n".join(aligned(lines)), targets, figures)


def _crawl(stage: Stage, servers: Servers, scratch: Path, name: str, nodes: int, connections: int) -> NodesRun:
    nats = ["--nats", ",".join(servers.urls)]
    seeds = scratch / "seeds"
    seeds.write_text("\n".join(stage.seeds))
    settings = ["--allow-private", "--scope", "host", "--delay", "0", "--connections-per-host", str(connections)]
    settings += ["--connections-per-address", str(connections), "--connections", str(connections)]
    start = [*WEFT, "cluster", "start", name, "--seeds", str(seeds), "--replicas", "1", *settings, *nats]
    subprocess.run(start, check=True, capture_output=True)
    log_start = stage.server.begin_anew()
    nats_before_s = _nats_cpu_s(servers)
    began = time.monotonic()
    running = [
        subprocess.Popen(
            [*WEFT, "node", name, "--name", f"n{number}", "-o", str(scratch / f"{name}-{number}"), "--json", *nats],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
        )
        for number in range(nodes)
    ]  # fmt: skip
    crawling_s = _watch(stage, running, began)
    outputs = [process.communicate()[0] for process in running]
    seconds = time.monotonic() - began
    summaries = [msgspec.json.decode(output, type=Summary) for output in outputs]
    counted = tally(stage.server.log_since(log_start), stage.truth)
    return NodesRun(
        nodes, counted.pages, counted.missed, counted.twice, sum(one.cpu_s for one in summaries),
        _nats_cpu_s(servers) - nats_before_s, crawling_s, seconds,
        {f"n{number}": one.pages for number, one in enumerate(summaries)},
    )  # fmt: skip


def _watch(stage: Stage, running: Sequence[subprocess.Popen[bytes]], began: float) -> float:
    """Until all have ended; returns the time from the first request to the last."""
    asked = stage.server.counts()[1]
    own, first, last = 0, None, began
    while any(process.poll() is None for process in running):
        assert time.monotonic() - began < WITHIN_S, "the nodes do not come to an end"
        time.sleep(POLL_S)
        own += 1  # a question of this bench
        if (requests := stage.server.counts()[1] - own) != asked:
            asked, last = requests, time.monotonic()
            first = first or last
    return last - (first or last)


def _nats_cpu_s(servers: Servers) -> float:
    times = psutil.Process(servers.pid(0)).cpu_times()
    return float(times.user + times.system)


def _cpu(runs: Sequence[NodesRun]) -> float:
    return median(1000 * run.cpu_s / run.pages for run in runs)


def _speed(runs: Sequence[NodesRun]) -> float:
    return median(run.pages / run.crawling_s for run in runs)


def _line(corpus: str, runs: Sequence[NodesRun]) -> list[str]:
    costs = [1000 * run.cpu_s / run.pages for run in runs]
    shares = " ".join(f"{count:,}" for count in runs[-1].received.values())
    return [
        corpus, str(runs[0].nodes), f"{runs[-1].pages:,}", str(max(run.missed for run in runs)),
        str(max(run.twice for run in runs)), f"{_cpu(runs):.3f} ({min(costs):.3f}–{max(costs):.3f})",
        f"{median(1000 * run.nats_cpu_s / run.pages for run in runs):.3f}", f"{_speed(runs):,.0f}",
        f"{median(run.seconds for run in runs):.1f}", shares,
    ]  # fmt: skip
