"""Crawls of a synthetic web, and how their results are read and judged.

Three witnesses tell what a crawl did, each on its own: `pages.jsonl`, the WARC files as warcio reads them, and
the server's request log. A test compares them with the truth that the synthetic web works out from its model.
"""

from __future__ import annotations

import asyncio
import json
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimProcess, Truth

# Longer than any crawl in the normal suite takes, on a machine that is busy with other things, too.
CRAWL_WITHIN_S = 120.0
PATIENCE_S = 20.0  # with a server that answers, but has to share the machine
IMPATIENCE_S = 1.0  # with one that falls silent on purpose


def quick_config(sim: SimProcess, **changes: Any) -> CrawlConfig:
    """A crawl of all of a synthetic web that wastes no time: no delays, soon retries.

    A server that got no CPU for some seconds is not asked again, unless the web has pages that stall.
    """
    patience_s = IMPATIENCE_S if sim.web.spec.stall_share else PATIENCE_S
    config = CrawlConfig(
        seeds=tuple(sim.seeds),
        scope="any",
        delay_s=0.0,
        connections_per_host=4,
        dns_servers=(sim.dns,),
        allow_private=True,
        response_timeout_s=patience_s,
        idle_timeout_s=patience_s,
        retry_wait_scale=0.02,
        workers=1,  # each costs a third of a second to start
    )
    return msgspec.structs.replace(config, **changes)


def run(crawl: Crawl, within_s: float = CRAWL_WITHIN_S) -> Ending:
    """Run a crawl to its end in a loop of its own."""
    return uvloop.run(asyncio.wait_for(crawl.run(), within_s))


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that a crawl in the same loop brings about."""
    give_up_at = time.monotonic() + CRAWL_WITHIN_S
    while not holds():
        assert time.monotonic() < give_up_at, "waited in vain"
        await asyncio.sleep(0.001)


def crawl_all(folder: Path, config: CrawlConfig) -> tuple[Ending, CrawlFiles]:
    """A whole crawl in a new folder, and what it left there."""
    ending = run(Crawl.create(folder, config))
    return ending, CrawlFiles(folder)


def resume(folder: Path, **changes: Any) -> tuple[Ending, CrawlFiles]:
    """Go on with a crawl to its end."""
    ending = run(Crawl.resume(folder, **changes))
    return ending, CrawlFiles(folder)


class Row(msgspec.Struct):
    """A line of pages.jsonl, as far as tests look at it."""

    url: str
    status: int
    outcome: str
    depth: int
    body_bytes: int
    digest: str
    truncated: str
    file: str = ""
    offset: int = 0
    length: int = 0


class CrawlFiles:
    """What a crawl left in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        lines = (folder / "pages.jsonl").read_bytes().splitlines()
        self.rows = [msgspec.json.decode(line, type=Row) for line in lines]
        index = folder / "index.cdxj"  # of a crawl with an archive
        self.cdxj_lines = index.read_bytes().splitlines() if index.exists() else []
        self.warcs = sorted((folder / "archive").iterdir())

    def row(self, url: str) -> Row:
        """The only row of a URL."""
        (row,) = [row for row in self.rows if row.url == url]
        return row

    def outcomes(self) -> dict[str, str]:
        """How the visit of each URL ended."""
        return {row.url: row.outcome for row in self.rows}

    def responses(self) -> dict[str, int]:
        """The URLs that gave a response, with its status."""
        return {row.url: row.status for row in self.rows if row.outcome == "response"}

    def records(self) -> dict[str, Counter[str]]:
        """How often each page is in the archive, by record type, as warcio reads it; a revisit is a response, too.

        What was asked for on the side is left out: a page has a metadata record, robots.txt has none.
        """
        found: dict[str, Counter[str]] = {"response": Counter(), "request": Counter(), "metadata": Counter()}
        for path in self.warcs:
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    kind = "response" if record.rec_type == "revisit" else record.rec_type
                    if kind in found:
                        found[kind][record.rec_headers.get_header("WARC-Target-URI")] += 1
        pages = found["metadata"].keys()
        return {
            kind: Counter({url: times for url, times in counts.items() if url in pages or not is_side(url)})
            for kind, counts in found.items()
        }


def is_side(url: str) -> bool:
    """Whether a URL is asked for on the way to others."""
    return url.startswith("dns:") or url.endswith("/robots.txt")


def is_clean_for_warcio(files: CrawlFiles) -> bool:
    """What `warcio check` says of all WARC files."""
    paths = [str(path) for path in files.warcs]
    return bool(paths) and Checker(Namespace(inputs=paths, verbose=False)).process_all() == 0


def assert_archive_is_consistent(files: CrawlFiles) -> None:
    """Rows, records and index lines tell of the same pages, each once, and no file is left open."""
    assert [path.name for path in files.warcs if path.suffix != ".gz"] == []
    assert is_clean_for_warcio(files)
    archived = Counter(row.url for row in files.rows if row.file)
    records = files.records()
    assert records["response"] == archived
    assert records["request"] == archived
    assert records["metadata"] == archived
    indexed = Counter(json.loads(line.split(b" ", 2)[2])["url"] for line in files.cdxj_lines)
    assert Counter({url: times for url, times in indexed.items() if url in archived or not is_side(url)}) == archived
    assert set(archived.values()) <= {1}


def assert_fetched_the_truth(files: CrawlFiles, truth: Truth) -> None:
    """None missed, none invented, none twice: in pages.jsonl and in the archive."""
    assert Counter(row.url for row in files.rows).most_common(1)[0][1] == 1
    assert files.responses() == truth.status
    assert_archive_is_consistent(files)
    assert files.records()["response"] == Counter(truth.fetchable)


def assert_server_saw_the_truth(log: RequestLog, port: int, truth: Truth) -> None:
    """Each URL was answered in full once, and nothing else was asked for, least of all what robots.txt forbids."""
    by_url = log.requests_by_url(port)
    answered = {url: sum(request.whole for request in requests) for url, requests in by_url.items()}
    assert answered == dict.fromkeys(truth.fetchable, 1)
    assert not by_url.keys() & truth.forbidden
