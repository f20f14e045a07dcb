"""A web with some of every fault there is: the crawl gets what there is to get, and asks for nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from weft.pipeline.engine import Ending
from weft.simweb import Request, SimProcess, Truth, WebSpec

from .crawling import CrawlFiles, crawl_all, quick_config


def crawl_and_compare(spec: WebSpec, folder: Path, workers: int) -> None:
    with SimProcess(spec) as sim:
        config = quick_config(
            sim,
            connections_per_host=2,
            ca_file=str(sim.ca_file),
            connect_timeout_s=2.0,
            max_host_wait_s=5.0,  # a robots.txt that never comes is waited for once, not six times
            workers=workers,
        )
        ending, files = crawl_all(folder, config)
        truth = sim.web.truth()
    # Hosts whose robots.txt cannot be had are left for another run.
    assert ending is Ending.LIMIT
    assert_is_worth_a_test(sim, truth)
    assert_fetched_exactly(files, truth)
    assert_each_was_answered_once(sim, truth)
    asked = requests_by_url(sim)
    assert asked.keys() & truth.forbidden == set()
    assert asked.keys() - truth.fetchable == set()


def assert_is_worth_a_test(sim: SimProcess, truth: Truth) -> None:
    """The web has what a crawler could get wrong."""
    assert truth.forbidden
    assert truth.failing_attempts
    assert truth.noindex
    assert truth.rate_limited
    assert {200, 301, 302, 303, 307, 308, 404} <= set(truth.status.values())
    assert {url.partition(":")[0] for url in truth.fetchable} == {"http", "https"}
    assert len({request.fault for request in sim.log if request.fault}) >= 8
    assert {request.address.count(":") > 0 for request in sim.log} == {True, False}  # over IPv6, too


def assert_fetched_exactly(files: CrawlFiles, truth: Truth) -> None:
    """None missed, none invented, none twice: in pages.jsonl and in the archive.

    warcio's own check is not asked: it cannot unpack bodies that are coded with brotli.
    """
    assert len(files.rows) == len(truth.fetchable)
    assert files.responses() == truth.status
    assert files.records()["response"] == Counter(truth.fetchable)


def assert_each_was_answered_once(sim: SimProcess, truth: Truth) -> None:
    """A response that a server gave in full was not asked for again; a fault, or a status to try again, is none."""
    answers = {url: sum(request.whole for request in log) for url, log in requests_by_url(sim).items()}
    assert answers == dict.fromkeys(truth.fetchable, 1)


def requests_by_url(sim: SimProcess) -> dict[str, list[Request]]:
    assert sim.https_port is not None
    return sim.log.requests_by_url(sim.http_port, https_port=sim.https_port)


def test_with_all_faults_a_crawl_fetches_the_truth_and_asks_for_nothing_forbidden(tmp_path: Path) -> None:
    spec = msgspec.structs.replace(WebSpec.with_all_faults(40, 400, seed=1), crawl_delay_s=0.1)
    crawl_and_compare(spec, tmp_path / "crawl", workers=1)


@pytest.mark.large
@pytest.mark.parametrize("seed", [1, 2])
def test_with_all_faults_on_200_hosts_and_5000_pages_a_crawl_fetches_the_truth(seed: int, tmp_path: Path) -> None:
    crawl_and_compare(WebSpec.with_all_faults(200, 5000, seed), tmp_path / "crawl", workers=2)
