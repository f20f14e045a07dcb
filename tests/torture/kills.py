"""SIGKILL at random moments of a large crawl with faults on, then `resume`, again and again: the promise in figures."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tests.pipeline.crawling import quick_config
from tests.pipeline.engine_process import prepare_folder
from tests.scratch import scratch_folder
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

from .judging import EXTRACTOR, NOTHING_WRONG, Findings, judge
from .killing import KILLS, CrawlBroke, run_with_kills
from .options import Options, TimeBox
from .politeness import least_rest_s
from .refetches import NO_KILL, most_in_flight, refetches_by_kill
from .table import table

HOSTS, PAGES = 200, 5000
DELAY_S = 0.1
HEADS = (
    "kind", "kills", "crawls", "pages", "pages lost", "stored twice", "items lost", "items doubled", "refetched",
    "per kill", "most at a kill", "in flight allowed", "least rest s", "archive clean", "seconds",
)  # fmt: skip


@dataclass(slots=True)
class Tally:
    """One line of the table."""

    kind: str
    crawls: int = 0
    pages: int = 0
    seconds: float = 0.0
    findings: Findings = field(default_factory=Findings)
    refetched: list[int] = field(default_factory=list)  # by each kill
    unexplained: int = 0  # asked for twice without a kill of the engine
    allowed: int = 0  # in flight, at a kill
    least_rest_s: float = math.inf

    @property
    def kills(self) -> int:
        """How many there were."""
        return len(self.refetched)

    def cells(self) -> tuple[object, ...]:
        """The line, as HEADS names it."""
        wrong, refetched = self.findings, sum(self.refetched) + self.unexplained
        return (
            self.kind, self.kills, self.crawls, self.pages, wrong.pages_lost, wrong.stored_twice, wrong.items_lost,
            wrong.items_doubled, refetched, refetched / max(1, self.kills), max(self.refetched, default=0),
            self.allowed, self.least_rest_s, not wrong.faults, round(self.seconds),
        )  # fmt: skip

    def broken_promises(self) -> list[str]:
        """What does not hold, in words."""
        broken = list(self.findings.faults)
        if self.findings != NOTHING_WRONG:
            broken.append("pages or items are lost or doubled, or the archive is not clean")
        if self.unexplained:
            broken.append(f"{self.unexplained} pages were asked for again without a kill of the engine")
        if self.kills and max(self.refetched) > self.allowed:
            broken.append("more was asked for again than was in flight")
        if self.least_rest_s < DELAY_S:
            broken.append(f"a host was left in peace for {self.least_rest_s:.3f} s only")
        return [f"{self.kind}: {words}" for words in broken]


def web(seed: int) -> WebSpec:
    """Some of every fault after which a page can be had; a crawl of it takes two minutes or so, kills aside."""
    spec = WebSpec.with_all_faults(HOSTS, PAGES, seed)
    return msgspec.structs.replace(spec, crawl_delay_s=0.2, broken_tls_share=0.0)


def config(sim: SimProcess) -> CrawlConfig:
    """As a crawl is by default, but for its delay and waits; few connections, so that little may be in flight."""
    return quick_config(
        sim,
        delay_s=DELAY_S,
        connections_per_host=1,
        connections=64,
        response_timeout_s=3.0,  # so that no answer comes too late, even on a busy machine
        idle_timeout_s=3.0,
        connect_timeout_s=2.0,
        max_host_wait_s=10.0,  # longer than the rest after an answer that never comes: twice as long as it took
        ca_file=str(sim.ca_file),
        extractors=(EXTRACTOR,),
        workers=2,
        warc_bytes=500_000,
    )


def crawl_with_kills(tally: Tally, kills: int, seed: int, folder: Path, box: TimeBox) -> None:
    """One crawl from its beginning to its end, and what it adds to the table."""
    began = time.monotonic()
    with SimProcess(web(seed)) as sim:
        settings = config(sim)
        prepare_folder(folder, settings)
        kills_at = run_with_kills(folder, [tally.kind], kills, random.Random(seed), box)
        truth = sim.web.truth()
    tally.seconds += time.monotonic() - began
    tally.crawls += 1
    tally.pages += len(truth.fetchable)
    tally.findings += judge(folder, truth.status)
    tally.least_rest_s = min(tally.least_rest_s, least_rest_s(sim.log))
    _count_refetches(tally, sim, kills_at, settings)


def _count_refetches(tally: Tally, sim: SimProcess, kills_at: list[float], settings: CrawlConfig) -> None:
    """The engine keeps what a worker had in hand, so a worker's death asks nothing of a server."""
    engine_dies = tally.kind != "worker"
    by_url = sim.log.requests_by_url(sim.http_port, https_port=sim.https_port or 443)
    found = refetches_by_kill(by_url, kills_at if engine_dies else ())
    tally.refetched += [found[number] for number in range(len(kills_at))]
    tally.unexplained += found[NO_KILL]
    tally.allowed = most_in_flight(settings) if engine_dies else 0


def run(options: Options) -> bool:
    """A third of the kills of each kind, over as many crawls as they need; True if every promise held."""
    tallies = [Tally(kind) for kind in KILLS]
    wanted = math.ceil(options.kills / len(tallies))
    seed = options.seed
    for tally in tallies:
        box = options.time_box(1 / len(tallies))
        while tally.kills < wanted and not box.is_over():
            try:
                with scratch_folder() as folder:
                    crawl_with_kills(tally, wanted - tally.kills, seed, folder / "crawl", box)
            except CrawlBroke as error:
                tally.findings += Findings(faults=(f"seed {seed}: {error}",))
                break
            print(f"  {tally.kind}: {tally.kills} of {wanted} kills, seed {seed}", flush=True)
            seed += 1
    print(table(HEADS, [tally.cells() for tally in tallies]))
    broken = [words for tally in tallies for words in tally.broken_promises()]
    print("\n".join(broken) or "every promise held", flush=True)
    return not broken
