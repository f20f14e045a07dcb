# mypy: disable-error-code="misc, untyped-decorator, import-not-found, import-untyped"
"""Scrapy with the settings and the spider that were fastest here.

python scrapy_tuned.py JOB
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy_docs import settings  # its neighbour: a script's folder is on its path

FASTER: dict[str, Any] = {
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
}
LINKS = "a::attr(href), area::attr(href), frame::attr(src), iframe::attr(src)"


def main() -> None:
    """Crawl."""
    job = json.loads(Path(sys.argv[1]).read_text())

    class LinkSpider(scrapy.Spider):
        """Follows every link to a page of the hosts."""

        name = "links"
        start_urls = job["seeds"]
        allowed_domains = job["hosts"]

        def parse(self, response: Any) -> Iterator[Any]:
            if isinstance(response, HtmlResponse):
                # A page repeats its links with other fragments: leaving those out here makes Scrapy twice as fast.
                hrefs = (href.partition("#")[0] for href in response.css(LINKS).getall())
                yield from response.follow_all(dict.fromkeys(hrefs))

    process = CrawlerProcess(settings(job["connections"]) | FASTER)
    process.crawl(LinkSpider)
    process.start()


if __name__ == "__main__":
    main()
