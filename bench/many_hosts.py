"""What many small hosts cost: engine CPU a request, memory a host, and whether each is asked when its time has come.

    python -m bench.many_hosts [--hosts 20000] [--pages 5] [--delay 20] [--keep DIR]

simweb serves the hosts in another process, all of them seeds, each at an address of its own as far as open files
allow. The manners are the default ones but for the delay: by one second, 20,000 hosts would have 20,000 requests a
second begun. A page is late if it is asked for later than the delay, or the longer rest of a slow host, after the end
of the one before.

CPU and memory are the engine's alone; memory a host is the most that it took, less what it took before the first host
was prepared, shared out among all hosts.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.growth_samples import Sample, watch_crawl
from bench.record import say
from weft.config import CrawlConfig
from weft.frontier.manners import Manners
from weft.simweb import SimProcess, WebSpec
from weft.url import host_of

SAMPLES_SAID = 10
SLOW_FACTOR = Manners(delay_s=1.0).slow_factor
LATE_SHARE = 0.05  # of the delay


class Asked(NamedTuple):
    """A page of a host that was asked for, in seconds."""

    began_s: float
    ended_s: float
    rest_s: float  # that the host wanted then


def main() -> None:
    """Crawl, and print the figures."""
    options = _options()
    scratch = options.keep or Path(tempfile.mkdtemp(prefix="weft-many-hosts-"))
    scratch.mkdir(exist_ok=True)
    try:
        samples = crawl(scratch, options.hosts, options.pages, options.delay)
        print(cost(samples, options.hosts))
        print(lateness(pages_in(scratch / "crawl" / "pages.jsonl", options.delay), options.delay))
    finally:
        if options.keep is None:
            shutil.rmtree(scratch)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=5, help="of each host")
    parser.add_argument("--delay", type=float, default=20.0, help="seconds between the requests to a host")
    parser.add_argument("--keep", type=Path, help="make the crawl here, and leave it")
    return parser.parse_args()


def crawl(scratch: Path, hosts: int, pages: int, delay_s: float) -> list[Sample]:
    """Crawl all of the web."""
    spec = WebSpec(
        hosts=hosts,
        pages=hosts * pages,
        size_spread=0.0,
        seed_hosts=hosts,
        cross_host_share=0.0,
        redirect_share=0.0,
        dead_share=0.0,
        keep_alive_share=1.0,
        page_bytes=2_000,
        addresses=min(hosts, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 2_000) // 2),  # the rest: connections
    )
    samples: list[Sample] = []
    with SimProcess(spec, https=False, counting_only=True) as sim:
        config = CrawlConfig(
            seeds=tuple(sim.seeds), scope="any", delay_s=delay_s, dns_servers=(sim.dns,), allow_private=True
        )
        for sample in watch_crawl(scratch / "crawl", config, sim.pid, scratch / "crawl.txt"):
            samples.append(sample)
            if len(samples) % SAMPLES_SAID == 0:
                before = samples[-SAMPLES_SAID]
                rate = (sample.requests - before.requests) / (sample.at_s - before.at_s)
                say(f"{sample.pages:>9,} pages, {rate:,.0f} requests/s, engine {sample.engine_bytes >> 20} MB")
    return samples


def cost(samples: list[Sample], hosts: int) -> str:
    """CPU a request and memory a host, in words."""
    crawling = [sample for sample in samples if sample.has_workers]
    first, last = crawling[0], crawling[-1]
    requests = last.requests - first.requests
    engine_ms = 1000 * (last.engine_cpu_s - first.engine_cpu_s) / requests
    server_ms = 1000 * (last.server_cpu_s - first.server_cpu_s) / requests
    grown_bytes = max(sample.engine_bytes for sample in crawling) - first.engine_bytes
    return (
        f"{requests:,} requests in {last.at_s - first.at_s:.0f} s: engine {engine_ms:.3f} ms of CPU each, server "
        f"{server_ms:.3f}; engine's memory {first.engine_bytes >> 20} MB and at most {grown_bytes >> 20} MB more, "
        f"{grown_bytes / hosts / 1024:.1f} KB a host"
    )


def pages_in(index: Path, delay_s: float) -> Iterable[list[Asked]]:
    """The pages of each host, in the order in which they were asked for."""
    by_host: defaultdict[str, list[Asked]] = defaultdict(list)
    with index.open() as lines:
        for page in map(json.loads, lines):
            began_s = datetime.fromisoformat(page["fetched_at"]).timestamp()
            ended_s = began_s + (page["wait_ms"] + page["receive_ms"]) / 1000
            rest_s = max(delay_s, SLOW_FACTOR * page["wait_ms"] / 1000)
            by_host[host_of(page["url"])].append(Asked(began_s, ended_s, rest_s))
    return [sorted(asked) for asked in by_host.values()]


def lateness(hosts: Iterable[list[Asked]], delay_s: float) -> str:
    """By how much pages were asked for after their time, in words."""
    late_s = [
        following.began_s - before.ended_s - before.rest_s for asked in hosts for before, following in pairwise(asked)
    ]
    worst = max(late_s)
    return (
        f"{len(late_s):,} pages were asked for after their time by {1000 * statistics.median(late_s):.0f} ms (median), "
        f"{1000 * statistics.quantiles(late_s, n=100)[98]:.0f} ms (99 of 100), {1000 * worst:.0f} ms (worst), "
        f"{100 * worst / delay_s:.1f} % of the delay (wanted: at most {100 * LATE_SHARE:.0f} %); "
        f"the earliest {1000 * min(late_s):+.0f} ms"
    )


if __name__ == "__main__":
    main()
