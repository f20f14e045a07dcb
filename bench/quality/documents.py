"""Documentation of ten Debian packages behind one nginx: broken links, by four witnesses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import uvloop

import weft
from bench.order.documents import make_site
from bench.quality.peers import LINKCHECKER, UNHURRIED_HEADER, WGET, Said, Surroundings, linkchecker, wget
from bench.quality.plain_check import broken_links
from bench.server import Manner, free_port, served
from bench.table import aligned
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.site.findings import FindingKind

ADDRESS = "127.0.0.1"
PLAIN = "warcio and lxml"
SHOWN = 10
CONNECTIONS = 4

Links = Mapping[str, set[str]]


def run_documents(documents: Path, peers: Path, scratch: Path) -> str:
    """The table, and what one tool has that weft has not, or the other way round."""
    folder = scratch / "site"
    make_site(documents, folder)
    port = free_port()
    with served(str(folder), [ADDRESS], port, scratch, Manner(robots_txt="", headers=(UNHURRIED_HEADER,))):
        seed = f"http://{ADDRESS}:{port}/"
        ours, took_s = _weft(seed, scratch / "crawl")
        place = Surroundings(peers, scratch)
        peers_said = {
            LINKCHECKER: asyncio.run(linkchecker([seed], place)),
            WGET: asyncio.run(wget([seed], place)),
        }
    plain = broken_links(scratch / "crawl" / "archive")
    said: dict[str, Said] = {"weft": Said(took_s, ours), PLAIN: Said(0.0, plain)}
    said |= {name: one for name, one in peers_said.items() if one is not None}
    return "\n\n".join([_table(said), *_differences(said)])


def _weft(seed: str, folder: Path) -> tuple[dict[str, set[str]], float]:
    started = time.monotonic()
    config = CrawlConfig(
        seeds=(seed,), links=True, requisites=True, scope="host", delay_s=0.0, allow_private=True,
        connections_per_host=CONNECTIONS, max_host_wait_s=1.0,  # some pages link to other ports, where nobody is
    )  # fmt: skip
    uvloop.run(Crawl.create(folder, config).run())
    report = weft.site_report(folder)
    broken = [one for section in report.sections if section.kind is FindingKind.BROKEN_LINK for one in section.findings]
    return {one.url: {page.url for page in one.referrers} for one in broken}, time.monotonic() - started


def _same(links: Links) -> dict[str, set[str]]:
    """By URLs as all tools would write them; what is no URL of http is left out."""
    return {unquote(url): pages for url, pages in links.items() if url.startswith("http")}


def _table(said: Mapping[str, Said]) -> str:
    ours = _same(said["weft"].broken)
    lines = [["tool", "broken URLs", "referrers named", "also weft's", "not weft's", "weft's alone", "seconds"]]
    for name, one in said.items():
        links = _same(one.broken)
        pages = sum(map(len, links.values()))
        both = len(links.keys() & ours.keys())
        took = f"{one.took_s:.0f}" if one.took_s else "–"
        cells = (len(links), pages, both, len(links) - both, len(ours) - both)
        lines.append([name, *(f"{cell:,}" for cell in cells), took])
    same = sum(ours.get(url) == pages for url, pages in _same(said[PLAIN].broken).items())
    return "\n".join([*aligned(lines), "", f"URLs of which weft and {PLAIN} name exactly the same pages: {same:,}"])


def _differences(said: Mapping[str, Said]) -> list[str]:
    ours = _same(said["weft"].broken)
    told: list[str] = []
    for name, one in said.items():
        theirs = _same(one.broken)
        for words, urls in (
            (f"{name} has, weft has not", theirs.keys() - ours.keys()),
            (f"weft has, {name} has not", ours.keys() - theirs.keys()),
        ):
            if urls:
                told.append("\n".join([f"{words}: {len(urls):,}", *(f"  {url}" for url in sorted(urls)[:SHOWN])]))
    return told
