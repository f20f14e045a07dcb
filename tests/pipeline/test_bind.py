"""A crawl from one address of this machine."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

from .crawling import crawl_all, quick_config, resume
from .engine_process import prepare_folder

SPEC = WebSpec(seed=11, hosts=4, pages=20)


def test_every_request_of_a_crawl_and_of_its_resumption_comes_from_the_bound_address(tmp_path: Path) -> None:
    with SimProcess(SPEC) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, bind="127.0.0.7", max_pages=5))
        ending, _ = resume(tmp_path / "crawl", max_pages=None)
        assert ending is Ending.DONE
        truth = sim.web.truth()
    assert sim.log.requests_by_url(sim.http_port).keys() == truth.fetchable
    assert {request.client for request in sim.log} == {"127.0.0.7"}


def test_a_crawl_whose_bound_address_is_not_this_machines_neither_begins_nor_goes_on(tmp_path: Path) -> None:
    config = CrawlConfig(seeds=("http://127.0.0.1:9/",))
    with pytest.raises(BadInput, match=r"192\.0\.2\.1 cannot be used"):
        Crawl.create(tmp_path / "crawl", msgspec.structs.replace(config, bind="192.0.2.1"))
    assert list(tmp_path.iterdir()) == []
    prepare_folder(tmp_path / "crawl", config)
    with pytest.raises(BadInput, match=r"192\.0\.2\.1 cannot be used"):
        Crawl.resume(tmp_path / "crawl", bind="192.0.2.1")
