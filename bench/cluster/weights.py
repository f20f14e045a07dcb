"""Paper 2's weights with real nodes: the URLs that each sends to each, and the pages that each fetches."""

from __future__ import annotations

from collections.abc import Mapping

from bench.cluster.paper import PHASES, due, ratio, received
from bench.cluster.part import Part
from bench.cluster.phases import BUCKETS, WITHIN_PERCENT
from bench.cluster.trial import node_of, trial
from bench.command import bench_scratch
from bench.record import say
from bench.table import aligned
from bench.targets import Target
from weft.cluster.control import Status
from weft.cluster.servers import Servers
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

HOSTS = 40_000  # four share a domain
PAGES = 12_000
TITLES = ["node", "weight", "received", "due", "off", "pages", "sent to the others", "wanted", "the paper's"]


def run_weights() -> Part:
    """One crawl of pages that link to any host."""
    weights = PHASES[0].weights
    status = _crawl(weights)
    sent = {
        name: {other: node_of(status, name).sent_to.get(other.lower(), 0) for other in weights if other != name}
        for name in weights
    }
    pages = {name: node_of(status, name).counts.pages for name in weights}
    off = {name: 100 * (received(sent, name) / due(sent, weights, name) - 1) for name in weights}
    lines = [TITLES]
    for name, weight in weights.items():
        lines.append([
            name, str(weight), f"{received(sent, name):,}", f"{due(sent, weights, name):,.0f}", f"{off[name]:+.1f} %",
            f"{pages[name]:,}", ratio(sent[name], name), ratio(weights, name), ratio(PHASES[0].sent[name], name),
        ])  # fmt: skip
    most = max(map(abs, off.values()))
    target = Target("real nodes: URLs received, most off, %", most, WITHIN_PERCENT, is_upper_bound=True)
    heading = f"{BUCKETS} buckets, {HOSTS:,} hosts of {HOSTS // 4:,} domains, {PAGES:,} pages\n"
    return Part("\n".join([heading, *aligned(lines)]), [target], {"weights": {"sent": sent, "pages": pages}})


def _crawl(weights: Mapping[str, int]) -> Status:
    spec = WebSpec(
        hosts=HOSTS, pages=HOSTS, seed_hosts=200, page_bytes=2_000, links_per_page=20, cross_host_share=1.0,
        keep_alive_share=1.0, addresses=4_000, robots_share=0.0,
    )  # fmt: skip
    with (
        bench_scratch("cluster-weights", is_kept=False) as scratch,
        Servers(scratch / "nats", 1) as servers,
        SimProcess(spec, https=False, counting_only=True) as sim,
    ):
        config = CrawlConfig(
            seeds=tuple(sim.seeds), scope="any", max_pages=PAGES, delay_s=0.0, connections=32, ignore_robots=True,
            dns_servers=(sim.dns,), allow_private=True, workers=1,
        )  # fmt: skip
        with trial("weights", servers, scratch, config, buckets=BUCKETS) as crawl:
            crawl.start(weights)
            status = crawl.until(lambda now: bool(now.finished))
            for process in crawl.running.values():
                process.wait()
            status = crawl.status()
            say(f"weights: {status}")
            return status
