"""No memory left in a worker: the page is kept, and the crawl goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent, quick_config, run
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .greedy import PART

SITE = "site.test"
PATHS = ["/a", "/b", f"{PART}/1", "/c", f"{PART}/2", "/d"]


def site() -> dict[tuple[str, str], Behaviour]:
    """Pages with a link each, to a page at which nothing happens."""

    def page(*paths: str) -> Fixed:
        return Fixed(b"<!DOCTYPE html>" + "".join(f'<p><a href="{path}">x</a>' for path in paths).encode())

    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*PATHS)}
    for number, path in enumerate(PATHS):
        pages[SITE, path] = page(f"/end/{number}")
        pages[SITE, f"/end/{number}"] = page()
    return pages


@pytest.mark.parametrize(
    "function",
    [
        "allocate_all",
        *(pytest.param(name, marks=pytest.mark.large) for name in ("cannot_allocate", "exhaust_for_good")),
    ],
)
def test_a_page_for_which_there_is_no_memory_is_kept_and_the_crawl_goes_on(function: str, tmp_path: Path) -> None:
    pages = site()
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        seeds = (sim.web.url(SITE, "/"),)
        extractors = (f"{__package__}.greedy:{function}",)
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=seeds, extractors=extractors, workers=2))
        assert run(crawl) is Ending.DONE
        everything = {sim.web.url(host, path) for host, path in pages}
    files = CrawlFiles(tmp_path / "crawl")
    greedy = {url for url in everything if PART in url}
    kept = {row.url for row in files.rows if row.status == 200 and row.file}
    behind_greedy = {sim.web.url(SITE, f"/end/{number}") for number, path in enumerate(PATHS) if PART in path}
    assert everything - kept <= (behind_greedy if function == "exhaust_for_good" else set())
    assert {row.outcome for row in files.rows if row.url not in greedy} == {"response"}
    lines = (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()
    assert {json.loads(line)["url"] for line in lines} == kept - greedy
    assert_archive_is_consistent(files)
