"""`--archive lean` and `--archive none`: less is written, and nothing else of a crawl changes.

Without an archive, what must be read again is fetched again; what was made of a page is there once all the same.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop
from warcio.archiveiterator import ArchiveIterator

import weft
from weft.cluster.control import start
from weft.config import CrawlConfig
from weft.errors import BadInput, FolderError
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, Truth, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawling import CrawlFiles, crawl_all, is_clean_for_warcio, is_side, quick_config, resume, run
from .engine_process import prepare_folder
from .small_web import page
from .test_kills import EXTRACTORS, KILLS, items_in, pages_of, run_with_kills, small_web
from .test_seeds_lead_on import FIRST, NEW, crawl_growing

SITE = "site.test"
LESS = ("lean", "none")


def whole_answers(sim: SimProcess) -> Counter[str]:
    """How often each URL was answered."""
    by_url = sim.log.requests_by_url(sim.http_port)
    return Counter({url: times for url, asked in by_url.items() if (times := sum(one.whole for one in asked))})


def record_kinds(files: CrawlFiles) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for path in files.warcs:
        with path.open("rb") as file:
            kinds.update(record.rec_type for record in ArchiveIterator(file))
    return kinds


def assert_all_is_there_once(kind: str, files: CrawlFiles, truth: Truth) -> None:
    """Rows, items and records, as far as there are any."""
    assert Counter(row.url for row in files.rows).most_common(1)[0][1] == 1
    assert files.responses() == truth.status
    assert items_in(files.folder) == Counter(pages_of(truth))
    if kind == "none":
        assert files.warcs == []
        assert not (files.folder / "index.cdxj").exists()
        return
    assert is_clean_for_warcio(files)
    archived = Counter({url: times for url, times in files.records()["response"].items() if not is_side(url)})
    assert archived == Counter(truth.fetchable)
    indexed = Counter(json.loads(line.split(b" ", 2)[2])["url"] for line in files.cdxj_lines)
    assert Counter({url: times for url, times in indexed.items() if not is_side(url)}) == archived
    assert not record_kinds(files).keys() & {"request", "metadata"}


@pytest.mark.parametrize("kind", LESS)
def test_a_crawl_is_the_same_but_for_its_archive(kind: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=60, seed=2)) as sim:
        config = quick_config(sim, archive=kind, extractors=EXTRACTORS)
        ending, files = crawl_all(tmp_path / "crawl", config)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_all_is_there_once(kind, files, truth)
    assert set(whole_answers(sim).values()) == {1}


@pytest.mark.parametrize(("kind", "kill"), [("lean", "worker"), ("none", "group")])
def test_nothing_is_lost_or_doubled_after_3_kills(kind: str, kill: str, tmp_path: Path) -> None:
    crawl_with_kills(small_web(seed=3), tmp_path / "crawl", kind, kill, kills=3)


@pytest.mark.large
@pytest.mark.parametrize(
    ("kind", "kill"), [("lean", "engine"), ("lean", "worker"), ("none", "engine"), ("none", "group")]
)
@pytest.mark.parametrize(("depth", "kills"), [(None, 20), (4, 5)])  # with a limit it ends sooner
def test_nothing_is_lost_or_doubled_after_many_kills(
    kind: str, kill: str, depth: int | None, kills: int, tmp_path: Path
) -> None:
    spec = WebSpec(hosts=40, pages=3000, seed=7, reset_share=0.02, latency_ms=(1, 50), stall_s=30.0)
    crawl_with_kills(spec, tmp_path / "crawl", kind, kill, kills=kills, depth=depth)


def crawl_with_kills(spec: WebSpec, folder: Path, kind: str, kill: str, kills: int, depth: int | None = None) -> None:
    with SimProcess(spec) as sim:
        prepare_folder(folder, quick_config(sim, workers=2, extractors=EXTRACTORS, archive=kind, depth=depth))
        # On a busy machine the crawl may be over before the last one.
        assert run_with_kills(folder, KILLS[kill], kills, random.Random(len(kill))) > kills // 2
        truth = sim.web.truth(depth) if depth is not None else sim.web.truth()
    assert_all_is_there_once(kind, CrawlFiles(folder), truth)
    assert not {url for url in sim.log.requests_by_url(sim.http_port) if url not in truth.fetchable}


@pytest.mark.parametrize("kind", LESS)
def test_a_raised_limit_of_depth_finds_what_the_old_one_refused(kind: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=80, seed=2)) as sim:
        folder = tmp_path / "crawl"
        crawl_all(folder, quick_config(sim, archive=kind, depth=2, extractors=EXTRACTORS))
        ending, files = resume(folder, depth=4)
        at_first, truth = sim.web.truth(2), sim.web.truth(4)
    asked = whole_answers(sim)  # written when the web ends
    assert ending is Ending.DONE
    assert_all_is_there_once(kind, files, truth)
    again = {url for url, times in asked.items() if times > 1}
    if kind == "lean":
        assert not again, "they are read from the archive"
    else:
        assert again, "there is nothing else to read them from"
        assert again <= at_first.fetchable
        assert max(asked.values()) == 2


def pages_on_the_way() -> dict[tuple[str, str], Behaviour]:
    """Depth first, /three is met by a long way: what /late says comes last."""
    return {
        (SITE, "/"): page("/one", "/late"),
        (SITE, "/one"): page("/two"),
        (SITE, "/two"): page("/three"),
        (SITE, "/three"): page("/below"),
        (SITE, "/below"): page("/deepest"),
        (SITE, "/deepest"): page("/too-deep"),
        (SITE, "/too-deep"): page(),
        (SITE, "/late"): page("/three"),
    }


@pytest.mark.parametrize("kind", ["full", "none"])
def test_a_page_that_comes_nearer_is_read_again_counts_once_and_says_how_near_it_is(kind: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), pages_on_the_way()) as sim:
        home = sim.web.url(SITE, "/")
        changes: dict[str, Any] = {"depth": 5, "order": "dfs", "connections_per_host": 1}
        config = quick_config(sim, seeds=(home,), archive=kind, extractors=EXTRACTORS, **changes)
        crawl = Crawl.create(tmp_path, config)
        assert run(crawl) is Ending.DONE
    asked = whole_answers(sim)
    rows = {row.url.removeprefix(home): row for row in CrawlFiles(tmp_path).rows}
    assert set(rows) == {"", "one", "two", "three", "below", "deepest", "too-deep", "late"}
    assert {name: rows[name].depth for name in ("three", "below", "deepest", "too-deep")} == {
        "three": 2, "below": 3, "deepest": 4, "too-deep": 5,
    }  # fmt: skip
    assert asked[f"{home}three"] == (2 if kind == "none" else 1)
    assert items_in(tmp_path) == Counter({row.url: 1 for row in rows.values()})
    assert crawl.counters.pages == len(rows)
    assert crawl.counters.queued == 0


@pytest.mark.parametrize("kind", LESS)
def test_a_scope_that_grows_finds_what_was_refused_before(kind: str, tmp_path: Path) -> None:
    small, ending, files = crawl_growing(tmp_path / "crawl", archive=kind, extractors=EXTRACTORS)
    assert ending is Ending.DONE
    assert small.url(NEW, "/behind") in files.responses()
    asked = Counter(request.path for request in small.log if request.host == FIRST and not request.is_robots)
    assert asked == Counter({"/1": 1 + (kind == "none"), "/2": 1})
    assert items_in(tmp_path / "crawl") == Counter(url for url, status in files.responses().items() if status == 200)


@pytest.mark.parametrize("kind", LESS)
def test_links_of_a_body_that_lies_in_a_file_are_followed(kind: str, tmp_path: Path) -> None:
    long = Fixed(b"<!DOCTYPE html><title>long</title>" + b"<p>word</p>" * 200_000 + b'<a href="/end">x</a>')
    with SimProcess(WebSpec(hosts=1, pages=1), {(SITE, "/"): long, (SITE, "/end"): page()}) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), archive=kind, extractors=EXTRACTORS)
        _, files = crawl_all(tmp_path, config)
    assert files.responses() == {sim.web.url(SITE, path): 200 for path in ("/", "/end")}
    assert items_in(tmp_path) == Counter(files.responses().keys())
    assert list((tmp_path / "state" / "spool").iterdir()) == []


def test_a_program_reads_the_bodies_of_a_crawl_without_an_archive_also_those_that_it_left(tmp_path: Path) -> None:
    paths = [f"/page{number}" for number in range(12)]
    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*paths)}
    pages |= {(SITE, path): Fixed(f"<!DOCTYPE html><title>{path}</title>".encode() + b"x" * 5_000) for path in paths}
    read: list[tuple[str, bytes]] = []

    async def read_some(sim: SimProcess, most: int) -> None:
        crawl = weft.crawl(
            sim.web.url(SITE, "/"), output=tmp_path / "crawl", archive="none", delay=0.0, dns_server=(sim.dns,),
            allow_private=True, workers=1,
        )  # fmt: skip
        async for one in crawl:
            read.append((one.url, one.body))
            if len(read) == most:
                break

    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        uvloop.run(asyncio.wait_for(read_some(sim, 3), 120))
        uvloop.run(asyncio.wait_for(read_some(sim, -1), 120))
    assert {url for url, _ in read} == {sim.web.url(SITE, path) for path in ("/", *paths)}
    assert all(len(body) > 100 for _, body in read)
    assert len(read) <= len(paths) + 2, "at most the page that the loop had when it was left comes twice"


REFUSED: dict[str, Any] = {"mirror": {"mirror": True}, "forms": {"with_forms": ("text",)}}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_made_from_the_archive_is_refused_at_once_without_one(what: str, tmp_path: Path) -> None:
    config = CrawlConfig(seeds=("http://a.example/",), archive="none", **REFUSED[what])
    with pytest.raises(BadInput, match="archive"):
        Crawl.create(tmp_path / "crawl", config)
    assert not (tmp_path / "crawl").exists()


def test_a_cluster_has_archives() -> None:
    config = CrawlConfig(seeds=("http://a.example/",), archive="none")
    with pytest.raises(BadInput, match="--archive is full or lean"):
        asyncio.run(start(cast("Any", None), "crawl", config))


@pytest.fixture(scope="module")
def without_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawl without an archive that has ended."""
    folder = tmp_path_factory.mktemp("none") / "crawl"
    with SimProcess(WebSpec(hosts=1, pages=8, seed=1)) as sim:
        crawl_all(folder, quick_config(sim, archive="none", extractors=EXTRACTORS))
    return folder


@pytest.mark.parametrize("to", ["warc", "wacz", "parquet", "huggingface", "links"])
def test_what_needs_the_archive_cannot_be_exported(to: str, without_archive: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--archive none"):
        weft.export(without_archive, to, tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_text_cannot_be_exported_either(without_archive: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--archive none"):
        weft.export(without_archive, "jsonl", tmp_path / "out", with_=["text"])


def test_what_is_made_from_rows_can(without_archive: Path, tmp_path: Path) -> None:
    for to in ("urls", "jsonl", "refused", "items"):
        weft.export(without_archive, to, tmp_path / f"out.{to}.jsonl")
    assert len((tmp_path / "out.urls.jsonl").read_text().splitlines()) == 8
    assert weft.report(without_archive).totals.pages == 8


def test_pages_are_read_without_their_bodies(without_archive: Path) -> None:
    pages = list(weft.read(without_archive))
    assert sorted(one.depth for one in pages)[0] == 0
    assert {one.status for one in pages} == {200}
    with pytest.raises(FolderError, match="--archive none"):
        _ = pages[0].body


@pytest.mark.parametrize("kind", LESS)
def test_repair_says_that_there_is_nothing_to_make_rows_from_and_changes_nothing(kind: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=8, seed=1)) as sim:
        crawl_all(tmp_path, quick_config(sim, archive=kind, extractors=EXTRACTORS))
    with pytest.raises(FolderError, match=f"--archive {kind}"):
        repair(tmp_path)
    with CrawlReader(tmp_path) as reader:
        assert len(list(reader.rows())) == 8
