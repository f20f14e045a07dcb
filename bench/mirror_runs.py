"""One tool on one site, from an empty folder: what it took, and what its mirror is worth.

Folders are left until all is over. Where many files have just been deleted a file system makes new ones slowly (on ext4
a file took 0.5 ms instead of 0.03), and the next tool would pay for that.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from bench.measure import Measured, run_measured
from bench.mirror_judge import Judged, judge
from bench.mirror_sites import Site, key_of
from bench.mirror_tools import CONNECTIONS, FILES
from bench.rounds import failure_of
from bench.tally import Tally, sent_whole, tally
from bench.tools import Job, Tool


class Run(msgspec.Struct, frozen=True):
    """One mirror by one tool, as measured."""

    tool: str
    site: str
    pages: int = 0  # files of the truth that the server sent
    seconds: float = 0.0  # of the whole command
    cpu_s: float = 0.0  # of all processes of the tool
    peak_memory_bytes: int = 0
    missed: int | None = None  # of the truth: not sent, or no link of the mirror leads there. None: it was stopped
    broken: int | None = None  # files with a link that does not work; None: not looked at
    twice: int = 0
    forbidden: int = 0
    requests: int = 0
    connections: int = 0
    crawl_s: float | None = None  # weft's own account: until the crawl had ended, and files were made
    examples: list[str] = []
    failure: str = ""  # why the run counts for nothing

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_ms(self) -> float:
        """CPU a page."""
        return 1000 * self.cpu_s / self.pages


class WeftSummary(msgspec.Struct):
    """What the bench reads of weft's own summary."""

    seconds: float


def run_mirror(site: Site, tool: Tool, folder: Path, most_s: float, *, is_judged: bool) -> Run:
    """Mirror a site into a folder that is made for it; a tool that takes longer is stopped."""
    folder.mkdir()
    os.sync()  # weft waits at its end until its files are on the disk: but not for what others wrote
    log_start = site.server.begin_anew()
    connections_before, _ = site.server.counts()
    log = folder.with_suffix(".log")
    job = Job([site.start_url], [], CONNECTIONS, None, folder)
    measured = run_measured(tool.command(job), log=log, cwd=folder, enough=lambda seconds: seconds >= most_s)
    connections = site.server.counts()[0] - connections_before - 1  # that of the question itself
    lines = site.server.log_since(log_start)
    counted = tally(lines, site.truth, site.forbidden)
    failure = failure_of(tool, measured, counted.pages, log)
    if failure:
        return Run(tool.name, site.name, failure=failure)
    is_whole = not measured.was_stopped
    judged = None
    if is_judged and is_whole:
        judged = judge(folder / FILES, site.start_url, site.links, site.forbidden)
    return Run(
        tool=tool.name,
        site=site.name,
        pages=counted.pages,
        seconds=measured.seconds,
        cpu_s=measured.cpu_s,
        peak_memory_bytes=measured.peak_memory_bytes,
        missed=_missed(site, counted, lines, judged) if is_whole else None,
        broken=judged.broken if judged else None,
        twice=counted.twice,
        forbidden=counted.forbidden,
        requests=counted.requests,
        connections=connections,
        crawl_s=_crawl_s(measured) if tool.is_weft else None,
        examples=judged.examples if judged else [],
    )


def described(run: Run) -> str:
    """A run in one line."""
    if run.failure:
        return f"{run.site}: {run.tool}: {run.failure}"
    missed = "stopped" if run.missed is None else f"missed {run.missed:,}"
    broken = "" if run.broken is None else f", broken {run.broken:,}"
    crawl = "" if run.crawl_s is None else f" (crawl {run.crawl_s:.1f} s)"
    return (
        f"{run.site}: {run.tool}: {run.pages:,} pages in {run.seconds:.1f} s{crawl}, CPU {run.cpu_s:.1f} s, "
        f"{run.peak_memory_bytes / 1e6:.0f} MB, {missed}{broken}"
    )


def _missed(site: Site, counted: Tally, lines: list[str], judged: Judged | None) -> int:
    if judged is None:
        return counted.missed
    sent = sent_whole(lines)
    return len(site.truth) - len({key for url in judged.reached if (key := key_of(url)) in sent and key in site.truth})


def _crawl_s(measured: Measured) -> float | None:
    lines = measured.output.strip().splitlines()
    return msgspec.json.decode(lines[-1], type=WeftSummary).seconds if lines else None
