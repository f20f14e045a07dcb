"""The folders of a cluster's nodes, read together and alone: each node has rows of its hosts, and records lie where
they were written.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet
import pytest

import weft
from tests.cli.running import Finished, assert_is_one_sentence
from tests.pipeline.crawling import crawl_all, quick_config
from tests.scratch import scratch_folder
from weft.cluster import control
from weft.cluster.servers import Servers
from weft.errors import BadInput, FolderError
from weft.folder.reading import CrawlReader
from weft.folder.readings import NodesReader
from weft.simweb import SimProcess, WebSpec
from weft.store import read_record

from .crawling import run_nodes, with_client

WEB = WebSpec(hosts=20, pages=250, seed=5, latency_ms=(5, 40))


class Crawled(NamedTuple):
    """A web crawled by three nodes, of which one left, and by one machine."""

    nodes: list[Path]
    alone: Path
    other: list[Path]  # of a node of another crawl
    pages: set[str]


@pytest.fixture(name="crawled", scope="module")
def crawl_both_ways(nats: Servers) -> Iterator[Crawled]:
    with scratch_folder() as folder, SimProcess(WEB) as sim:
        config = quick_config(sim, exclude=("*/1*",))

        async def crawl_by_nodes(client: Any) -> list[Path]:
            await control.start(client, "folders", config, buckets=64, replicas=1, lease_s=20)
            return await run_nodes(client, "folders", folder, "abc", leaving="c", at_pages=20)

        async def begin_another(client: Any) -> list[Path]:
            await control.start(client, "other", config, buckets=64, replicas=1, lease_s=20)
            return await run_nodes(client, "other", folder, "d", leaving="d")

        nodes = with_client(nats.urls, crawl_by_nodes)
        other = with_client(nats.urls, begin_another)
        crawl_all(folder / "alone", config)
        with CrawlReader(folder / "alone") as reader:
            pages = {row.url for row in reader.rows() if 200 <= row.status < 300}
        yield Crawled(nodes, folder / "alone", other, pages)


def test_the_nodes_of_this_module_have_rows_of_records_elsewhere_and_rows_that_are_old(crawled: Crawled) -> None:
    """Otherwise the tests below would say little."""
    of_nodes = []
    for path in crawled.nodes:
        with CrawlReader(path) as reader:
            of_nodes.append({row.url for row in reader.rows()})
    assert sum(map(len, of_nodes)) > len(set().union(*of_nodes))
    with pytest.raises(FolderError, match="another node"), CrawlReader(crawled.nodes[0]) as reader:
        reader.refuse_missing()


def test_the_report_of_all_folders_is_that_of_one_machine(crawled: Crawled) -> None:
    together, alone = weft.report(crawled.nodes), weft.report(crawled.alone)
    for name in ("pages", "visits", "failed", "hosts", "seen", "queued"):
        assert getattr(together.totals, name) == getattr(alone.totals, name), name
    for table in ("outcomes", "media_types", "charsets"):
        tables = [{row.name: row.count for row in getattr(one, table)} for one in (together, alone)]
        assert tables[0] == tables[1], table
    assert together.crawl.first_seed == alone.crawl.first_seed
    assert together.totals.requests >= sum(weft.report(path).totals.requests for path in crawled.nodes)


def test_all_pages_are_read_once_with_their_bodies(crawled: Crawled) -> None:
    bodies = {page.url: page.body for page in weft.read(crawled.alone)}
    pages = [(page.url, page.body) for page in weft.read(crawled.nodes)]
    assert len(pages) == len(crawled.pages)
    assert dict(pages) == bodies


def test_the_newest_row_of_a_page_counts(crawled: Crawled) -> None:
    newest: dict[str, float] = {}
    for path in crawled.nodes:
        with CrawlReader(path) as reader:
            for row in reader.rows():
                newest[row.url] = max(row.fetched_at, newest.get(row.url, 0.0))
    with NodesReader(crawled.nodes) as reader:
        assert {row.url: row.fetched_at for row in reader.rows()} == newest


def test_lines_of_all_folders(crawled: Crawled, tmp_path: Path) -> None:
    weft.export(crawled.nodes, "urls", tmp_path / "urls")
    assert sorted((tmp_path / "urls").read_text().splitlines()) == sorted(crawled.pages)
    of_nodes, alone = (_jsonl(folder, "jsonl", tmp_path, with_="text") for folder in (crawled.nodes, crawled.alone))
    assert len(of_nodes) == len(alone)
    assert {line["url"]: line["text"] for line in of_nodes} == {line["url"]: line["text"] for line in alone}


def test_a_url_that_several_nodes_refused_is_listed_once(crawled: Crawled, tmp_path: Path) -> None:
    """Refusals do not travel from node to node, so some may be missing."""
    together, alone = (
        [line["url"] for line in _jsonl(folder, "refused", tmp_path)] for folder in (crawled.nodes, crawled.alone)
    )
    of_each = [line["url"] for path in crawled.nodes for line in _jsonl(path, "refused", tmp_path)]
    assert len(of_each) >= len(together) == len(set(together))
    assert set(together) <= set(alone)
    assert weft.report(crawled.nodes).totals.left_out == len(together)


def _jsonl(folder: Any, form: str, tmp_path: Path, **options: Any) -> list[dict[str, Any]]:
    path = weft.export(folder, form, tmp_path / "lines", force=True, **options)
    assert path is not None
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_tables_and_archives_of_all_folders(crawled: Crawled, tmp_path: Path) -> None:
    weft.export(crawled.nodes, "parquet", tmp_path / "table.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert {row["url"] for row in rows if row["subset"] in ("warc", "revisit")} == crawled.pages
    assert {row["crawl"] for row in rows} == {"folders"}
    weft.export(crawled.nodes, "wacz", tmp_path / "crawl.wacz")
    names = [path.name for folder in crawled.nodes for path in sorted((folder / "archive").iterdir())]
    with zipfile.ZipFile(tmp_path / "crawl.wacz") as package:
        assert {name.removeprefix("archive/") for name in package.namelist() if name.startswith("archive/")} == {*names}
        pages = package.read("pages/pages.jsonl").splitlines()[1:]
    assert {json.loads(line)["url"] for line in pages} == crawled.pages
    (tmp_path / "warcs").mkdir()
    weft.export(crawled.nodes, "warc", tmp_path / "warcs")
    assert sorted(path.name for path in (tmp_path / "warcs").iterdir()) == sorted(names)


def test_a_row_leads_to_its_record_in_whichever_folder(crawled: Crawled) -> None:
    with NodesReader(crawled.nodes) as reader:
        reader.refuse_missing()
        for row in reader.rows():
            if row.file:
                assert read_record(reader.place_of(row)).fields["warc-target-uri"] == row.url


def test_one_folder_alone_is_reported_and_says_which_file_it_lacks(crawled: Crawled, tmp_path: Path) -> None:
    path = crawled.nodes[0]
    with CrawlReader(path) as reader:
        used = {reader.file_name(row.file) for row in reader.rows() if row.file and row.status == 200}
    names = used - {one.name for one in (path / "archive").iterdir()}
    assert names
    assert weft.report(path).totals.pages
    weft.export(path, "urls", tmp_path / "urls")
    weft.export(path, "jsonl", tmp_path / "jsonl")
    assert names <= {json.loads(line)["file"] for line in (tmp_path / "jsonl").read_text().splitlines()}
    for form, flags in (("wacz", ()), ("jsonl", ("--with", "text"))):
        done = Finished("export", str(path), "--to", form, *flags, "-o", f"x.{form}", cwd=tmp_path)
        assert done.code == 6
        assert_is_one_sentence(done)
        assert any(name in done.errors for name in names)
        assert not (tmp_path / f"x.{form}").exists()


def test_folders_that_do_not_belong_together_are_refused(crawled: Crawled, tmp_path: Path) -> None:
    first, *_ = crawled.nodes
    for others, word in (
        (crawled.other, "of the crawl other"),
        ([crawled.alone], "a crawl of its own"),
        ([first], "the same folder of node a"),
    ):
        with pytest.raises(BadInput, match=word):
            weft.report([first, *others])
        done = Finished("report", str(first), *map(str, others), cwd=tmp_path)
        assert done.code == 2
        assert_is_one_sentence(done)
    with pytest.raises(BadInput, match="a crawl of its own"):
        weft.report([crawled.alone, crawled.alone])
    with pytest.raises(BadInput, match="-o FILE"):
        weft.export(crawled.nodes, "urls")
    with pytest.raises(BadInput, match="name a crawl folder"):
        weft.report([])
