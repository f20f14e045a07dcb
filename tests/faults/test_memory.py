"""No memory left in a worker: the page is kept, and the crawl goes on. Too little for any crawl: a sentence says so."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.crawling import (
    CrawlFiles,
    assert_archive_is_consistent,
    assert_fetched_the_truth,
    quick_config,
    run,
)
from tests.pipeline.engine_process import prepare_folder
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.state.database import LEAST_ADDRESS_BYTES

from .crawls import resuming
from .greedy import PART

BAD_INPUT = 2
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


def addressing(limit_bytes: int) -> Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    return set_limit


def test_with_too_few_addresses_for_any_crawl_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        prepare_folder(tmp_path / "crawl", quick_config(sim))
        with resuming(tmp_path / "crawl", preexec=addressing(LEAST_ADDRESS_BYTES - 1)) as run:
            assert run.wait() == BAD_INPUT, run.errors
            assert "`ulimit -v unlimited`" in run.sentence()
    assert list(sim.log) == []


def test_a_crawl_makes_do_with_the_fewest_addresses_that_are_accepted(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=60, seed=1)) as sim:
        prepare_folder(tmp_path / "crawl", quick_config(sim, workers=2))
        with resuming(tmp_path / "crawl", preexec=addressing(LEAST_ADDRESS_BYTES)) as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), sim.web.truth())
