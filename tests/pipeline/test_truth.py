"""A crawl finds exactly what there is: compared with the truth of a synthetic web, by three witnesses."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

from .crawling import assert_fetched_the_truth, assert_server_saw_the_truth, crawl_all, quick_config


def faulty_web(hosts: int, pages: int, seed: int = 7) -> WebSpec:
    """Redirects, dead links, resets and stalls, on hosts of very different speed."""
    return WebSpec(
        hosts=hosts,
        pages=pages,
        seed=seed,
        reset_share=0.02,
        stall_share=0.01,
        stall_s=30.0,
        latency_ms=(1, 200),
    )


SMALL_WEB = faulty_web(hosts=100, pages=1500)
FULL_WEB = faulty_web(hosts=200, pages=5000)


def crawl_and_compare(spec: WebSpec, folder: Path, depth: int | None) -> None:
    with SimProcess(spec) as sim:
        ending, files = crawl_all(folder, quick_config(sim, depth=depth, workers=2))
        truth = sim.web.truth(depth)
    assert ending is Ending.DONE
    # The web is worth the test: it has what a crawler could get wrong.
    assert truth.forbidden
    assert truth.failing_attempts
    assert {200, 301, 404} <= set(truth.status.values())
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_depth_limited_crawl_fetches_exactly_what_lies_within_its_depth(tmp_path: Path) -> None:
    crawl_and_compare(faulty_web(hosts=60, pages=800), tmp_path / "crawl", depth=4)


def test_a_crawl_of_100_hosts_and_1500_pages_fetches_exactly_the_truth(tmp_path: Path) -> None:
    crawl_and_compare(SMALL_WEB, tmp_path / "crawl", depth=None)


@pytest.mark.large
@pytest.mark.parametrize("depth", [None, 3, 4, 5, 6])
def test_a_crawl_of_200_hosts_and_5000_pages_fetches_exactly_what_lies_within_its_depth(
    depth: int | None, tmp_path: Path
) -> None:
    crawl_and_compare(FULL_WEB, tmp_path / "crawl", depth)


@pytest.mark.large
@pytest.mark.parametrize("seed", range(11, 19))
@pytest.mark.parametrize("depth", [None, 4])
def test_other_webs_are_fetched_exactly_too(seed: int, depth: int | None, tmp_path: Path) -> None:
    crawl_and_compare(faulty_web(hosts=100, pages=1500, seed=seed), tmp_path / "crawl", depth)
