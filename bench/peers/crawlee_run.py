# mypy: disable-error-code="misc, untyped-decorator, import-not-found, import-untyped, no-any-unimported"
"""Crawlee for Python: its ParselCrawler, which was faster here than its BeautifulSoupCrawler.

python crawlee_run.py JOB
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import uvloop
from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient

LINKS = "a, area, frame, iframe"


async def crawl(job: dict[str, Any]) -> None:
    """One crawl, as the job says. All of its slots are open from the start, and the machine's load closes none."""
    connections = job["connections"]
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=connections, max_concurrency=connections, desired_concurrency=connections
        ),
        configuration=Configuration(
            max_used_cpu_ratio=1.0, max_used_memory_ratio=1.0, available_memory_ratio=0.9, purge_on_start=True
        ),
        http_client=ImpitHttpClient(verify=not job["ca_file"]),
        storage_client=MemoryStorageClient(),
        respect_robots_txt_file=True,
        use_session_pool=False,
        retry_on_blocked=False,
        configure_logging=False,
    )

    strategy = "same-domain" if job["domain"] else "same-hostname"

    @crawler.router.default_handler
    async def follow(context: ParselCrawlingContext) -> None:
        await context.enqueue_links(selector=LINKS, strategy=strategy)

    await crawler.run(job["seeds"])


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    uvloop.run(crawl(json.loads(Path(sys.argv[1]).read_text())))
