"""Pages of hundreds of thousands of links: none is lost, and nobody has to hold them all."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from tests.pipeline.crawling import crawl_all, is_side, quick_config, run
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour
from weft.simweb.hostile_pages import MIB, dense, many_links

from .beside import GOOD_WEB

HOST = "many.test"
ONE_PAGE = WebSpec(hosts=1, pages=1)


def test_all_links_of_a_large_page_reach_the_queue(tmp_path: Path) -> None:
    large = many_links(MIB)
    links = set(re.findall(rb"<a href=([0-9a-f]+)>", gzip.decompress(large.body)))
    assert len(links) > 50_000
    with SimProcess(ONE_PAGE, {(HOST, "/"): large}) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=(sim.web.url(HOST, "/"),), max_pages=1))
        assert run(crawl) is Ending.LIMIT
    assert crawl.counters.seen == len(links) + 1
    assert crawl.counters.queued == len(links)


def test_large_pages_are_all_read_while_others_go_on(tmp_path: Path) -> None:
    """More of them than there are workers; each leads to one page, at its end."""
    ending_in_a_link = dense(b"<p>some text", 2 * MIB)
    body = gzip.decompress(ending_in_a_link.body) + b"<a href=/end>x</a>"
    large = type(ending_in_a_link)(gzip.compress(body, 1), headers=ending_in_a_link.headers)
    hosts = [f"large{number}.test" for number in range(6)]
    pages: dict[tuple[str, str], Behaviour] = {(host, "/"): large for host in hosts}
    with SimProcess(GOOD_WEB, pages) as sim:
        seeds = (*(sim.web.url(host, "/") for host in hosts), *sim.seeds)
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, seeds=seeds, workers=2))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    asked = {(request.host, request.path) for request in sim.log if not is_side(request.path)}
    assert {(host, "/end") for host in hosts} <= asked
    good = {url: status for url, status in files.responses().items() if "//large" not in url}
    assert good == truth.status
