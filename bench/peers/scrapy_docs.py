# mypy: disable-error-code="misc, import-not-found, import-untyped"
"""Scrapy as its documentation shows it: a CrawlSpider with a LinkExtractor, and the settings that the rules ask for.

python scrapy_docs.py JOB
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

TAGS = ("a", "area", "frame", "iframe")


def settings(connections: int) -> dict[str, Any]:
    """What every Scrapy row has: robots obeyed, as many connections as the others, no delay."""
    return {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
    }


def main() -> None:
    """Crawl."""
    job = json.loads(Path(sys.argv[1]).read_text())

    class SiteSpider(CrawlSpider):
        """Follows every link to a page of the hosts."""

        name = "site"
        start_urls = job["seeds"]
        allowed_domains = job["hosts"]
        rules = (Rule(LinkExtractor(tags=TAGS, attrs=("href", "src")), callback="parse_item", follow=True),)

        def parse_item(self, response: Any) -> None:
            """Nothing is made of a page."""

    process = CrawlerProcess(settings(job["connections"]))
    process.crawl(SiteSpider)
    process.start()


if __name__ == "__main__":
    main()
