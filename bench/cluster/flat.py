# mypy: disable-error-code="import-untyped"
"""Three nodes on a web that is found faster than it is fetched: their memory as URLs come in, and a take-over."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import psutil

from bench.cluster.part import Part
from bench.cluster.trial import Trial, trial
from bench.command import bench_scratch
from bench.record import say
from bench.table import aligned
from bench.targets import Target
from weft.cluster.control import Status
from weft.cluster.servers import Servers
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

NODES = "abc"
BUCKETS = 256
LEASE_S = 6.0
URLS = 2_000_000
FIRST_URLS = 200_000  # from which on memory stays as it is
MOST_GROWTH = 1.2
MOST_NATS_MB = 500.0
TAKE_OVER_S, TAKE_OVER_S_A_LINK = 2.0, 25e-6
LOOK_EVERY_S = 1.0
MB = 1 << 20


class Sample(msgspec.Struct, frozen=True):
    """A moment of the crawl."""

    urls: int  # fetched or queued
    pages: int
    node_bytes: dict[str, int]
    nats_bytes: int


class TakeOver(msgspec.Struct, frozen=True):
    """From the end of a dead node's life until others have read its buckets."""

    seconds: float
    links: int  # that the node had queued or fetched


def run_flat() -> Part:
    """One crawl; at its end a node is killed."""
    samples, take_over = _crawl()
    first = next(sample for sample in samples if sample.urls >= FIRST_URLS)
    last = samples[-1]
    growth = max(last.node_bytes[name] / first.node_bytes[name] for name in NODES)
    nats_mb = max(sample.nats_bytes for sample in samples) / MB
    shown = [samples[number * (len(samples) - 1) // 10] for number in range(11)]
    lines = [["URLs", "pages", *(f"node {name}, MB" for name in NODES), "NATS, MB"]]
    lines += [
        [f"{one.urls:,}", f"{one.pages:,}", *(f"{one.node_bytes[name] / MB:.0f}" for name in NODES),
         f"{one.nats_bytes / MB:.0f}"]
        for one in shown
    ]  # fmt: skip
    taken = f"\na node of {take_over.links:,} URLs was killed: {take_over.seconds:.1f} s from its end to the take-over"
    most_s = TAKE_OVER_S + TAKE_OVER_S_A_LINK * take_over.links
    targets = [
        Target(f"memory of a node, at the end ÷ at {first.urls:,} URLs", growth, MOST_GROWTH, is_upper_bound=True),
        Target("memory of NATS, MB", nats_mb, MOST_NATS_MB, is_upper_bound=True),
        Target("take-over, s", take_over.seconds, most_s, is_upper_bound=True),
    ]
    return Part("\n".join([*aligned(lines), taken]), targets, {"flat": {"samples": samples, "take_over": take_over}})


def _crawl() -> tuple[Sequence[Sample], TakeOver]:
    spec = WebSpec(
        hosts=5 * URLS // 1_000, pages=5 * URLS, seed_hosts=200, page_bytes=2_000, links_per_page=12,
        cross_host_share=0.3, keep_alive_share=1.0, addresses=500, robots_share=0.0,
    )  # fmt: skip
    with (
        bench_scratch("cluster-flat", is_kept=False) as scratch,
        Servers(scratch / "nats", 1) as servers,
        SimProcess(spec, https=False, counting_only=True) as sim,
    ):
        config = CrawlConfig(
            seeds=tuple(sim.seeds), scope="any", delay_s=0.0, connections_per_host=2, connections=32,
            ignore_robots=True, dns_servers=(sim.dns,), allow_private=True, workers=1,
        )  # fmt: skip
        with trial("flat", servers, scratch, config, buckets=BUCKETS, lease_s=LEASE_S) as crawl:
            crawl.start(dict.fromkeys(NODES, 100))
            samples: list[Sample] = []
            while not samples or samples[-1].urls < URLS:
                samples.append(_sample(crawl))
                say(f"flat: {samples[-1]}")
                time.sleep(LOOK_EVERY_S)
            return samples, _take_over(crawl, NODES[-1])


def _sample(crawl: Trial) -> Sample:
    status = crawl.status()
    node_bytes = {name: crawl.memory_bytes(name) for name in NODES}
    nats = psutil.Process(crawl.servers.pid(0)).memory_info().rss
    return Sample(_urls(status), status.pages, node_bytes, nats)


def _urls(status: Status, name: str = "") -> int:
    return sum(one.counts.pages + one.counts.queued for one in status.nodes if name in ("", one.name))


def _take_over(crawl: Trial, name: str) -> TakeOver:
    """While nothing else is done: what it takes is the replay, not the machine's other work."""
    crawl.pause(paused=True)
    links = _urls(crawl.until(lambda status: all(not one.counts.unsent for one in status.nodes)), name)
    crawl.kill(name)
    crawl.until(lambda status: not any(one.name == name and one.lives for one in status.nodes))
    began_s = time.monotonic()
    crawl.until(crawl.is_settled)
    return TakeOver(time.monotonic() - began_s, links)
