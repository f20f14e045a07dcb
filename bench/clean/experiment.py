# mypy: disable-error-code="import-untyped"
"""Paper 4's experiment: its designs and `weft clean`, one after the other on the same pages, on each database."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import psutil

from bench.clean.databases import Database, count_cleaned, fill
from bench.clean.designs import DESIGNS, DesignTimes
from bench.clean.pages import Corpus
from bench.clean.stopwatch import Stopwatch
from bench.measure import CommandFailed, Measured, run_measured
from bench.record import say

ROOT = Path(__file__).parents[2]
WEFT = "weft clean"
WEFT_TAKES = "weft clean --queue take"  # pages leave the queue, as they do in the paper
LOG_TAIL_CHARS = 2_000


class Run(msgspec.Struct, frozen=True):
    """One run of one design, or of weft."""

    database: str
    design: str
    pages: int
    seconds: float  # of the threads; with weft of the whole command, its start included
    client_cpu_s: float
    server_cpu_s: float
    peak_memory_bytes: int
    others_share: float = 0.0  # of all cores: what ran beside client and server
    maintaining: Stopwatch | None = None  # with weft: none of these threads
    deleting: Stopwatch | None = None
    stored_s: list[float] = []  # when each page, or block of pages, was stored; with weft: not known

    @property
    def s_per_1000(self) -> float:
        """The paper's measure."""
        return 1000 * self.seconds / self.pages


class Sizes(msgspec.Struct, frozen=True):
    """How many pages."""

    pages: int  # where it goes fast: C1S1D and weft
    slow_pages: int  # where it goes page by page: the first ones of the same pages

    def of(self, design: str) -> int:
        """For one design."""
        return self.pages if is_weft(design) or design == "C1S1D" else self.slow_pages


SCALES = {"full": Sizes(10_000, 300), "small": Sizes(1_500, 120)}


def run_experiment(
    databases: Sequence[Database], designs: Sequence[str], corpus: Corpus, sizes: Sizes, rounds: int, scratch: Path
) -> Iterator[Run]:
    """All rounds; every second one goes backwards, so that no design always comes after the same one."""
    for number in range(rounds):
        for database in databases:
            for design in designs if number % 2 == 0 else reversed(designs):
                run = run_once(database, design, corpus, sizes.of(design), scratch)
                say(described(run))
                yield run


def run_once(database: Database, design: str, corpus: Corpus, pages: int, scratch: Path) -> Run:
    """One design on fresh tables, in a process of its own; each page must come out once."""
    url = database.emptied()
    fill(url, corpus.repeated(pages))
    os.sync()  # what was written for the tables to be full is no part of the run
    server_before_s, machine_before_s = database.server_cpu_s(), machine_cpu_s()
    measured = _measured(_command(design, url), scratch)
    server_cpu_s, machine_s = database.server_cpu_s() - server_before_s, machine_cpu_s() - machine_before_s
    others_cpu_s = max(0.0, machine_s - server_cpu_s - measured.cpu_s)
    if (cleaned := count_cleaned(url)) != pages:
        raise CommandFailed(f"{design} on {database.name}: {cleaned:,} of {pages:,} pages came out")
    times = None if is_weft(design) else msgspec.json.decode(measured.output, type=DesignTimes)
    return Run(
        database=database.name,
        design=design,
        pages=pages,
        seconds=times.seconds if times else measured.seconds,
        client_cpu_s=measured.cpu_s,
        server_cpu_s=server_cpu_s,
        peak_memory_bytes=measured.peak_memory_bytes,
        others_share=others_cpu_s / (measured.seconds * (os.cpu_count() or 1)),
        maintaining=times.maintaining if times else None,
        deleting=times.deleting if times else None,
        stored_s=times.stored_s if times else [],
    )


def described(run: Run) -> str:
    """A run in one line."""
    return f"{run.database}: {run.design}: {run.pages:,} pages in {run.seconds:.1f} s, {run.s_per_1000:.2f} s per 1,000"


def machine_cpu_s() -> float:
    """What all processes of this machine have used so far, and what its host took from it."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq + times.steal)


def all_designs() -> list[str]:
    """The paper's, and weft last."""
    return [*(design.name for design in DESIGNS), WEFT, WEFT_TAKES]


def is_weft(design: str) -> bool:
    """Whether it is the command itself."""
    return design in (WEFT, WEFT_TAKES)


def _command(design: str, url: str) -> list[str]:
    if is_weft(design):
        return [sys.executable, "-m", *design.split(), url, url]
    return [sys.executable, "-m", "bench.clean.design_run", design, url]


def _measured(command: list[str], scratch: Path) -> Measured:
    log = scratch / "run.log"
    measured = run_measured(command, log=log, cwd=ROOT)
    if measured.exit_code:
        told = log.read_text(errors="replace")[-LOG_TAIL_CHARS:]
        raise CommandFailed(f"{' '.join(command)} ended with {measured.exit_code}:\n{told}")
    return measured
