"""A node of the link graph has the URL that another row tells, wherever that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.crawls import HOME, WEB, make_crawl
from weft.folder.node_urls import name_without_url, urls_in, urls_of
from weft.folder.reading import CrawlReader
from weft.graph.rows import node_of
from weft.url import url_id

ALL = {*WEB, *(target for targets in WEB.values() for target in targets)}
KNOWN = {node_of(url_id(url)): url for url in ALL - {HOME + "unknown"}}


def test_urls_come_from_pages_and_from_what_waits_is_over_a_limit_forbidden_or_refused(tmp_path: Path) -> None:
    with CrawlReader(make_crawl(tmp_path / "crawl")) as reader:
        assert dict(urls_in(reader.database)) == KNOWN
        assert urls_of(reader.database, KNOWN.keys()) == KNOWN


@pytest.mark.parametrize("url", sorted(KNOWN.values()))
def test_one_url_is_found_alone(url: str, tmp_path: Path) -> None:
    with CrawlReader(make_crawl(tmp_path / "crawl")) as reader:
        assert urls_of(reader.database, {node_of(url_id(url))}) == {node_of(url_id(url)): url}


@pytest.mark.parametrize("node", [node_of(url_id(HOME + "unknown")), 0, (1 << 64) - 1])
def test_a_node_of_which_no_row_tells_is_left_out_and_has_a_name_of_its_own(node: int, tmp_path: Path) -> None:
    with CrawlReader(make_crawl(tmp_path / "crawl")) as reader:
        assert urls_of(reader.database, {node}) == {}
    assert int(name_without_url(node).removeprefix("node:"), 16) == node
