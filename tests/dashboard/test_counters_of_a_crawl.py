"""Between two statuses of a crawl no counter falls, whether it is killed, resumed, or tries again what failed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.cli.running import WITHIN_S, own_environment, simweb_flags
from tests.pipeline.engine_process import weft_command
from weft.dashboard.metrics import METRICS, Type, metrics_text
from weft.live.reader import read_status
from weft.live.status import Status
from weft.simweb import SimProcess, WebSpec

OF_A_RUN = ("weft_dns", "weft_robots", "weft_cpu")  # begin again with each
# These count what has come; a kill loses those that no commit has followed.
AHEAD_OF_COMMITS = ("weft_run", "weft_requests", "weft_received", "weft_responses", "weft_retries", "weft_workers")
COUNTERS = {metric.name for metric in METRICS if metric.type is Type.COUNTER}
LOOK_S = 0.05


def run(cwd: Path, *arguments: str, killed_after: int = 0) -> list[Status]:
    """Each status that a run writes; it may be killed when it has written some, and has pages."""
    process = subprocess.Popen(weft_command(*arguments, "--quiet"), env=own_environment(), cwd=cwd)
    found: list[Status] = []
    try:
        while True:
            has_ended = process.poll() is not None
            status = read_status(cwd / "crawl")
            if status is not None and status.pid == process.pid and (not found or status.updated != found[-1].updated):
                found.append(status)
            if has_ended:
                return found
            if killed_after and len(found) >= killed_after and found[-1].pages:
                os.kill(process.pid, signal.SIGKILL)
                process.wait(timeout=WITHIN_S)
            time.sleep(LOOK_S)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def counters_in(status: Status) -> dict[str, float]:
    return {
        f"{sample.name}{sample.labels}": sample.value
        for family in text_string_to_metric_families(metrics_text(status))
        for sample in family.samples
        if sample.name in COUNTERS
    }


def assert_none_falls(statuses: list[Status], *, but: tuple[str, ...] = ()) -> None:
    counters = [counters_in(status) for status in statuses]
    for before, after in pairwise(counters):
        fallen = {name for name, value in before.items() if not name.startswith(but) and after.get(name, 0) < value}
        assert fallen == set()


def test_no_counter_falls_while_a_crawl_runs_is_killed_resumed_and_tries_again(tmp_path: Path) -> None:
    spec = WebSpec(hosts=6, pages=240, seed=3, latency_ms=(20, 60), reset_share=0.05, failing_attempts=9)
    with SimProcess(spec) as sim:
        flags = ["-o", "crawl", *simweb_flags(sim), "--retry-wait-scale", "0"]
        # Slow enough to last as long as it is looked at.
        begun = run(tmp_path, "crawl", *sim.seeds, *flags, "--rate", "20", killed_after=3)
        resumed = run(tmp_path, "resume", "crawl", "--rate", "none")
        again = run(tmp_path, "resume", "crawl", "--retry-failed")
    for statuses in (begun, resumed, again):
        assert_none_falls(statuses)
    assert_none_falls([begun[-1], *resumed], but=(*OF_A_RUN, *AHEAD_OF_COMMITS))
    assert_none_falls([resumed[-1], *again], but=OF_A_RUN)
    assert len(begun) >= 3
    assert 0 < begun[-1].pages < resumed[-1].pages
    assert sum(resumed[-1].failed.values()) > sum(again[0].failed.values())  # which is why that is no counter
