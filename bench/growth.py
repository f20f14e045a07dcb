"""Whether speed and memory hold as a crawl grows: `make bench-growth`, or a part of it by hand.

    python -m bench.growth [--pages 1000000] [--urls 10000000] [--keep DIR] [--skip crawl|urls]

1. One crawl of simweb, a synthetic web in another process, with samples from the first page to the last. Its speed
   "at 10 k" is that of a stretch of the same run around it, so all figures come from one machine in one state.
2. Ten million URLs put into frontier and seen set, without a crawl around them; then turns taken from the queue, and
   questions asked of the seen set.

The web is the same everywhere: links stay on their host, and hosts are found one by one, so that a page late in the
crawl has as many new and known links as an early one. What changes is only what the crawl has behind it.

Writes docs/growth.md and docs/growth.svg (another place by --out), and all samples to results.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from bench.growth_plot import crawl_plot
from bench.growth_samples import Sample, watch_crawl
from bench.growth_table import page_of, stretches
from bench.growth_urls import Urls, measure_urls
from bench.record import keep_figures, say
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

DOCS = Path(__file__).parents[1] / "docs"
PAGES_PER_HOST = 200
# So that the crawl ends in the middle of the web: at its end only a few large hosts are left.
WEB_IS_LARGER_BY = 1.3


def main() -> None:
    """Run both parts, and write what they gave."""
    options = _options()
    scratch = options.keep or Path(tempfile.mkdtemp(prefix="weft-growth-"))
    scratch.mkdir(exist_ok=True)
    samples: list[Sample] = []
    urls: Urls | None = None
    try:
        if options.skip != "crawl":
            samples = crawl(scratch, options.pages, options.cross_host_share)
            keep_figures("growth-crawl", {"samples": samples})
        if options.skip != "urls":
            urls = measure_urls(scratch / "urls", options.urls)
            keep_figures("growth-urls", {"urls": urls})
    finally:
        if options.keep is None:
            shutil.rmtree(scratch)
    page = page_of(stretches(samples), samples, urls)
    print(page)
    options.out.mkdir(exist_ok=True)
    (options.out / "growth.md").write_text(page)
    if samples:
        (options.out / "growth.svg").write_text(crawl_plot(samples))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--cross-host-share", type=float, default=0.0, help="of the links: to any host of the web")
    parser.add_argument("--skip", choices=["crawl", "urls"])
    parser.add_argument("--keep", type=Path, help="make the crawl here, and leave it")
    parser.add_argument("--out", type=Path, default=DOCS)
    return parser.parse_args()


def crawl(scratch: Path, pages: int, cross_host_share: float) -> list[Sample]:
    """Crawl so many pages of a web that has more."""
    web_pages = int(pages * WEB_IS_LARGER_BY)
    hosts = max(10, web_pages // PAGES_PER_HOST)
    spec = WebSpec(
        hosts=hosts,
        pages=web_pages,
        seed_hosts=min(50, hosts),
        page_bytes=2_000,
        cross_host_share=cross_host_share,
        keep_alive_share=1.0,
        addresses=64,
    )
    samples: list[Sample] = []
    with SimProcess(spec, https=False, counting_only=True) as sim:
        config = CrawlConfig(
            seeds=tuple(sim.seeds),
            scope="any",
            max_pages=pages,
            delay_s=0.0,
            connections_per_host=2,
            connections=64,
            dns_servers=(sim.dns,),
            allow_private=True,
        )
        for sample in watch_crawl(scratch / "crawl", config, sim.pid, scratch / "crawl.log"):
            samples.append(sample)
            if len(samples) % 20 == 0:
                say(_progress(samples[-20], sample))
    return samples


def _progress(before: Sample, now: Sample) -> str:
    pages, seconds = now.pages - before.pages, now.at_s - before.at_s
    engine_ms = 1000 * (now.engine_cpu_s - before.engine_cpu_s) / max(1, pages)
    workers_ms = 1000 * (now.workers_cpu_s - before.workers_cpu_s) / max(1, pages)
    server_ms = 1000 * (now.server_cpu_s - before.server_cpu_s) / max(1, pages)
    return (
        f"{now.pages:>9,} pages {pages / seconds:>6,.0f}/s, CPU ms: engine {engine_ms:.3f}, workers {workers_ms:.3f}, "
        f"server {server_ms:.3f}; MB: engine {now.engine_bytes >> 20}, workers {now.workers_bytes >> 20}, "
        f"state {now.state_bytes >> 20}; seen {now.seen:,}, queued {now.queued:,}, {now.answers}"
    )


if __name__ == "__main__":
    main()
