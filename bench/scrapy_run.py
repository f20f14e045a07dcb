# mypy: disable-error-code="misc, untyped-decorator"
"""Scrapy on the same site: one crawl, and the spider that makes it (`python -m bench.scrapy_run URL [PAGES]`).

The spider does what weft's crawl does, less: it obeys robots.txt, follows every link to a page of the host, and
stores nothing. Settings and spider are those with which Scrapy was fastest here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.measure import CommandFailed, Measured, run_measured
from bench.weft_run import CONNECTIONS

PROJECT = Path(__file__).resolve().parents[1]
SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": CONNECTIONS,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONNECTIONS,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
}
LINKS = "a::attr(href), area::attr(href), frame::attr(src), iframe::attr(src)"


def crawl_by_scrapy(start_url: str, scratch: Path, *, max_pages: int | None) -> tuple[int, Measured]:
    """The number of pages it fetched, and what that cost."""
    command = [sys.executable, "-m", "bench.scrapy_run", start_url]
    if max_pages is not None:
        command.append(str(max_pages))
    log = scratch / "scrapy.log"
    measured = run_measured(command, log=log, cwd=PROJECT)  # where `bench` is found
    if measured.exit_code:
        raise CommandFailed(f"Scrapy ended with exit code {measured.exit_code}:\n{log.read_text()[-2000:]}")
    return int(json.loads(measured.output)["pages"]), measured


def scrapy_version() -> str:
    """Which Scrapy is measured."""
    import scrapy

    return str(scrapy.__version__)


def main() -> None:
    """Crawl, then print how many responses had a 2xx status."""
    # Here, because the bench itself runs without Scrapy when only weft is measured.
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.http import HtmlResponse

    start_url = sys.argv[1]

    class LinkSpider(scrapy.Spider):
        """Follows every link to a page of the host."""

        name = "links"
        start_urls = [start_url]  # noqa: RUF012  # Scrapy's own convention
        allowed_domains = [urlsplit(start_url).hostname]  # noqa: RUF012

        def parse(self, response: Any) -> Iterator[Any]:
            if isinstance(response, HtmlResponse):
                # A page repeats its links with other fragments: leaving those out here makes Scrapy twice as fast.
                hrefs = (href.partition("#")[0] for href in response.css(LINKS).getall())
                yield from response.follow_all(dict.fromkeys(hrefs))

    settings = SETTINGS | ({"CLOSESPIDER_PAGECOUNT": int(sys.argv[2])} if len(sys.argv) > 2 else {})
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(LinkSpider)
    process.crawl(crawler)
    process.start()
    counts = crawler.stats.get_stats()
    pages = sum(n for key, n in counts.items() if key.startswith("downloader/response_status_count/2"))
    print(json.dumps({"pages": pages}))


if __name__ == "__main__":
    main()
