"""The runs on one corpus: weft and its peers in turn on the same server, so that noise hits all of them.

A round is: weft, each other tool, weft again. A peer may be stopped after some seconds or pages: its figures are then
those of the part that it did.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from bench.corpus import Stage
from bench.measure import Measured, run_measured
from bench.names import knowing_names
from bench.record import say
from bench.table import Round
from bench.tally import tally
from bench.tools import Job, Tool

EXIT_DONE = 0
EXIT_LIMIT = 3
LOG_TAIL_CHARS = 300


class Caps(msgspec.Struct, frozen=True):
    """When a tool has done enough."""

    peer_s: float  # for peers; weft always runs to its end
    slow_peer_s: float
    max_pages: int | None  # for all

    def seconds_for(self, tool: Tool) -> float | None:
        """How long this tool may run."""
        if tool.is_weft:
            return None
        return self.slow_peer_s if tool.is_slow else self.peer_s


class WeftSummary(msgspec.Struct):
    """What the bench reads of weft's own summary: its halves, which nobody else can see. Pages come from the log."""

    engine_cpu_s: float
    workers_cpu_s: float
    failed: dict[str, int]


def in_turn(tools: list[Tool]) -> list[Tool]:
    """One round: weft first and last, the others between."""
    first = [tool for tool in tools if tool.name == "weft"][:1]
    return [*first, *(tool for tool in tools if tool not in first), *(first if len(tools) > 1 else [])]


def run_rounds(stage: Stage, tools: list[Tool], rounds: int, caps: Caps, scratch: Path) -> list[Round]:
    """All rounds of the tools that are there."""
    there = [tool for tool in tools if not tool.missing]
    found: list[Round] = []
    for _ in range(rounds):
        for tool in in_turn(there):
            found.append(run_once(stage, tool, caps, scratch, connections=connections_for(stage, tool, found)))
            say(f"{stage.corpus.name}: {described(found[-1])}")
    return found


def connections_for(stage: Stage, tool: Tool, found: list[Round]) -> int:
    """How many a tool may use at once: the corpus's number, or as many as another was seen to use in its last run."""
    seen = [one.most_busy for one in found if one.tool == tool.as_many_as and not one.failure]
    return max(1, seen[-1]) if seen else stage.corpus.connections


def run_once(stage: Stage, tool: Tool, caps: Caps, scratch: Path, connections: int | None = None) -> Round:
    """One tool on the corpus, from an empty folder; without `connections` it may have as many as the corpus says."""
    folder = scratch / "run"
    folder.mkdir()
    job = Job(
        stage.seeds,
        stage.hosts,
        connections or stage.corpus.connections,
        stage.ca_file,
        folder,
        domain=stage.domain,
        max_pages=caps.max_pages,
    )
    log_start = stage.server.begin_anew()
    began = time.time()
    server_before_s = stage.server.cpu_s()
    connections_before, requests_before = stage.server.counts()
    max_s = caps.seconds_for(tool)
    seen: list[int] = []  # open connections

    def enough(seconds: float) -> bool:
        with suppress(TimeoutError):  # a server that is too busy to say so is busy enough
            seen.append(stage.server.connections_now())
        if max_s is not None and seconds >= max_s:
            return True
        if tool.is_weft or caps.max_pages is None:
            return False
        return stage.server.counts()[1] - requests_before >= caps.max_pages

    log = scratch / "run.log"
    command = tool.command(job)
    if stage.hosts_file is not None:
        command = knowing_names(command, stage.hosts_file)
    measured = run_measured(command, log=log, cwd=folder, environment=tool.environment, enough=enough)
    server_cpu_s = stage.server.cpu_s() - server_before_s
    accepted = stage.server.counts()[0] - connections_before - len(seen)  # without those of the questions
    requests = stage.server.at_once(began)
    counted = tally(stage.server.log_since(log_start), stage.truth)
    is_whole = not measured.was_stopped and not (tool.is_weft and caps.max_pages is not None)
    summary = _summary(measured) if tool.is_weft else None
    shutil.rmtree(folder)
    return Round(
        tool=tool.name,
        pages=counted.pages,
        seconds=measured.seconds,
        cpu_s=measured.cpu_s,
        peak_memory_bytes=measured.peak_memory_bytes,
        server_cpu_s=server_cpu_s,
        missed=counted.missed if is_whole else None,
        twice=counted.twice,
        forbidden=counted.forbidden,
        asked_for_robots=counted.robots > 0,
        connections=accepted,
        most_open=max(seen, default=0),
        most_busy=requests.most,
        average_busy=requests.average,
        engine_cpu_s=summary.engine_cpu_s if summary else None,
        workers_cpu_s=summary.workers_cpu_s if summary else None,
        failed=summary.failed if summary else {},
        failure=failure_of(tool, measured, counted.pages, log),
    )


def described(found: Round) -> str:
    """A run in one line."""
    if found.failure:
        return f"{found.tool}: {found.failure}"
    missed = "" if found.missed is None else f", missed {found.missed:,}"
    failed = f", failed: {found.failed}" if found.failed else ""
    return f"{found.tool}: {found.pages:,} pages in {found.seconds:.1f} s, CPU {found.cpu_s:.1f} s{missed}{failed}"


def _summary(measured: Measured) -> WeftSummary | None:
    lines = measured.output.strip().splitlines()
    return msgspec.json.decode(lines[-1], type=WeftSummary) if lines else None


def failure_of(tool: Tool, measured: Measured, pages: int, log: Path) -> str:
    """Why a run says nothing about the tool's speed; others' exit codes often tell of pages, not of themselves."""
    is_well = measured.exit_code in (EXIT_DONE, EXIT_LIMIT) if tool.is_weft else pages > 0
    if is_well and pages:
        return ""
    if measured.was_stopped:
        return f"not one page in {measured.seconds:.0f} s"
    told = " ".join(log.read_text(errors="replace")[-LOG_TAIL_CHARS:].split())
    return f"failed with exit code {measured.exit_code}: {told}"
