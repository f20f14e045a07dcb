"""Paper 2's nodes: A, B, C and D by weight, then C leaves, then E joins with 300; URLs that each sends to each."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bench.cluster.paper import PHASES
from bench.cluster.trial import Trial, node_of, trial
from bench.command import bench_scratch
from bench.papers.paper2.matrices import Matrix, Stretch
from bench.papers.part import SEED
from bench.record import say
from weft.cluster.control import Status
from weft.cluster.servers import Servers
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

BUCKETS = 256
HOSTS = 40_000  # four share a domain: with few hosts one large domain is what is seen, not the weights
PAGES = 400_000  # far more than are fetched: what a node has sent once, it does not send again
LINKS = 20
RATE = 150.0  # pages a second of all nodes: the crawl runs on while nodes leave and join, but does not run away
LEAST_SENT_SHARE = 0.2  # of a phase's pages: URLs that each node has sent


class Snapshot(msgspec.Struct, frozen=True):
    """A moment: URLs sent so far, by sender and receiver, and pages."""

    sent: Matrix
    pages: dict[str, int]


def run_exchange(phase_pages: int, run: int) -> list[Stretch]:
    """One crawl through all phases, each of so many pages."""
    say(f"paper 2, exchange: run {run + 1}")
    spec = WebSpec(
        seed=SEED + run, hosts=HOSTS, pages=PAGES, seed_hosts=200, page_bytes=2_000, links_per_page=LINKS,
        cross_host_share=1.0, keep_alive_share=1.0, addresses=4_000, robots_share=0.0,
    )  # fmt: skip
    with (
        bench_scratch("paper-2", is_kept=False) as scratch,
        Servers(scratch / "nats", 1) as servers,
        SimProcess(spec, https=False, counting_only=True) as sim,
    ):
        config = CrawlConfig(
            seeds=tuple(sim.seeds), scope="any", delay_s=0.0, connections=32, ignore_robots=True,
            dns_servers=(sim.dns,), allow_private=True, workers=1, rate=RATE,
        )  # fmt: skip
        with trial("exchange", servers, scratch, config, buckets=BUCKETS) as crawl:
            return _phases(crawl, phase_pages)


def _phases(crawl: Trial, phase_pages: int) -> list[Stretch]:
    first, second, third = (phase.weights for phase in PHASES)
    crawl.start(first)
    stretches = [_stretch(crawl, first, phase_pages, crawl.status())]
    stretches.append(_stretch(crawl, second, phase_pages, crawl.leave("C")))
    stretches.append(_stretch(crawl, third, phase_pages, crawl.join("E", third["E"])))
    return stretches


def _stretch(crawl: Trial, weights: Mapping[str, int], pages: int, before: Status) -> Stretch:
    """Until so many more pages have come; what was sent meanwhile."""
    begin = snapshot(before, weights)
    say(f"  {', '.join(weights)}: from {sum(begin.pages.values()):,} pages on")
    wanted = sum(begin.pages.values()) + pages
    status = crawl.until(lambda now: _is_over(snapshot(now, weights), begin, wanted, LEAST_SENT_SHARE * pages))
    end = snapshot(status, weights)
    return Stretch(dict(weights), less(end.sent, begin.sent), {n: end.pages[n] - begin.pages[n] for n in weights})


def _is_over(now: Snapshot, begin: Snapshot, wanted: int, least_sent: float) -> bool:
    """Nodes say every few seconds how they stand: a phase needs something of each of them."""
    sent = less(now.sent, begin.sent)
    return sum(now.pages.values()) >= wanted and min(sum(row.values()) for row in sent.values()) >= least_sent


def snapshot(status: Status, weights: Mapping[str, int]) -> Snapshot:
    """What the nodes say now; a node's own name is in small letters."""
    return Snapshot(
        {
            name: {other: node_of(status, name).sent_to.get(other.lower(), 0) for other in weights if other != name}
            for name in weights
        },
        {name: node_of(status, name).counts.pages for name in weights},
    )


def less(after: Matrix, before: Matrix) -> Matrix:
    """What was sent between two moments."""
    return {
        sender: {receiver: count - before.get(sender, {}).get(receiver, 0) for receiver, count in row.items()}
        for sender, row in after.items()
    }
