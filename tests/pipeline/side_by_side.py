"""Several crawls at once, for servers that fall silent on purpose: only the crawl that meets them is impatient.

A server that shares a busy machine may be silent for seconds as well, and is not to be taken for one of them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import uvloop

from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending

from .crawling import CRAWL_WITHIN_S, CrawlFiles


class Crawled(NamedTuple):
    """A crawl that has ended."""

    crawl: Crawl
    ending: Ending
    files: CrawlFiles


def crawl_side_by_side(folder: Path, *configs: CrawlConfig) -> list[Crawled]:
    """Each in a folder of its own."""
    folder.mkdir(exist_ok=True)

    async def run_all() -> list[Ending]:
        return await asyncio.gather(*(crawl.run() for crawl in crawls))

    crawls = [Crawl.create(folder / f"crawl-{number}", config) for number, config in enumerate(configs)]
    endings = uvloop.run(asyncio.wait_for(run_all(), CRAWL_WITHIN_S))
    files = [CrawlFiles(crawl.folder.path) for crawl in crawls]
    return [Crawled(*one) for one in zip(crawls, endings, files, strict=True)]
