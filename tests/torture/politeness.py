"""A host is asked one thing at a time and then left in peace, whatever becomes of the crawler in between."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Sequence

from tests.pipeline.crawling import quick_config
from tests.pipeline.engine_process import prepare_folder
from tests.scratch import scratch_folder
from weft.simweb import RequestLog, SimProcess, WebSpec

from .judging import EXTRACTOR, NOTHING_WRONG, judge
from .killing import KILLS, run_with_kills
from .options import Options
from .table import table

DELAY_S = 0.2
COMMITS_BEFORE_A_KILL = (1, 10)
HEADS = (
    "kills", "hosts", "requests", "most at once", "least rest s", "across a kill", "rests across kills", "crawl whole",
)  # fmt: skip


def web(seed: int) -> WebSpec:
    """A smaller web: with this delay, time is what its hosts take."""
    return WebSpec(hosts=40, pages=600, seed=seed, reset_share=0.02, failing_attempts=1, latency_ms=(1, 40))


def least_rest_s(log: RequestLog) -> float:
    """The shortest time from a response's end to the next request to the same host."""
    return min(log.least_gap_s().values(), default=math.inf)


def rests_across_kills_s(log: RequestLog, kills_at: Sequence[float]) -> list[float]:
    """The same, of all pairs of requests with a kill between them."""
    rests: list[float] = []
    ends: dict[str, float] = {}
    for request in sorted(log, key=lambda request: request.started_at):
        if (ended_at := ends.get(request.host)) is not None:
            next_kill = bisect_left(kills_at, ended_at)
            if next_kill < len(kills_at) and kills_at[next_kill] < request.started_at:
                rests.append(request.started_at - ended_at)
        ends[request.host] = request.ended_at or math.inf
    return rests


def run(options: Options) -> bool:
    """A tenth of the kills, of every kind by turns; True if every host was left in peace."""
    box = options.time_box()
    wanted = max(len(KILLS), options.kills // 10)
    rows: list[tuple[object, ...]] = []
    holds = True
    kills = 0
    seed = options.seed
    while kills < wanted and not box.is_over():
        with scratch_folder() as folder:
            with SimProcess(web(seed)) as sim:
                settings = quick_config(
                    sim, delay_s=DELAY_S, connections_per_host=1, workers=2, extractors=(EXTRACTOR,)
                )
                prepare_folder(folder / "crawl", settings)
                kills_at = run_with_kills(
                    folder / "crawl", list(KILLS), wanted - kills, random.Random(seed), box, COMMITS_BEFORE_A_KILL
                )
                truth = sim.web.truth()
            is_whole = judge(folder / "crawl", truth.status) == NOTHING_WRONG
        peaks = sim.log.peak_concurrency()
        across = rests_across_kills_s(sim.log, kills_at)
        least, least_across = least_rest_s(sim.log), min(across, default=math.inf)
        rows.append(
            (len(kills_at), len(peaks), len(sim.log), max(peaks.values()), least, least_across, len(across), is_whole)
        )
        holds = holds and is_whole and max(peaks.values()) == 1 and least >= DELAY_S
        kills += len(kills_at)
        seed += 1
    print(table(HEADS, rows))
    print(f"the delay is {DELAY_S} s; " + ("it was kept" if holds else "IT WAS NOT KEPT"), flush=True)
    return holds
