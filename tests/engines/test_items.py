"""What users' functions make is in one file, each page's once, however many engines there are; archive or none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import uvloop

import weft
from tests.pipeline.crawling import CrawlFiles, quick_config
from tests.pipeline.test_kills import EXTRACTORS, items_in, pages_of
from weft.api.summary import crawl_to_end
from weft.engines.crawl import CrawlOfEngines
from weft.folder.databases import databases_of
from weft.folder.items_files import items_files
from weft.folder.items_parts import items_file_of
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, Truth

from .crawling import crawl_all, resume, small_web


def test_items_are_in_one_file_once_with_any_number_of_engines(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=21, pages=160)) as sim:
        config = quick_config(sim, engines=2, max_pages=40, extractors=EXTRACTORS)
        crawl = CrawlOfEngines.create(folder, config)
        assert uvloop.run(crawl_to_end(crawl)).items == 40
        for engines, pages in ((3, 70), (1, 90)):
            resume(folder, engines=engines, max_pages=pages)
            with CrawlReader(folder) as reader:
                assert reader.items == items_in(folder).total() == pages
                assert sum(end for _, end in items_files(reader)) == (folder / "items.jsonl").stat().st_size
        resume(folder, max_pages=None)
        truth = sim.web.truth()
    assert items_in(folder) == Counter(pages_of(truth))


def test_a_repair_keeps_the_items_of_all_engines(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=22, pages=60)) as sim:
        crawl_all(folder, quick_config(sim, engines=2, extractors=EXTRACTORS))
        truth = sim.web.truth()
        (folder / "items.jsonl").unlink()  # as of a crawl that was killed before its end
        assert weft.report(folder).items.written == len(pages_of(truth))
        assert any(items_file_of(folder, database).exists() for database in databases_of(folder))
        repair(folder)
    assert items_in(folder) == Counter(pages_of(truth))


@pytest.mark.parametrize("depth", [None, 3])
def test_several_engines_can_do_without_an_archive(depth: int | None, tmp_path: Path) -> None:
    """With a limit of depth a page may have to be fetched again for its links, by the engine that has it."""
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=23, pages=160)) as sim:
        config = quick_config(sim, engines=2, archive="none", depth=depth, extractors=EXTRACTORS)
        ending, files = crawl_all(folder, config)
        truth = sim.web.truth(depth) if depth is not None else sim.web.truth()
        assert ending is Ending.DONE
        assert_all_once(files, truth)
        if depth is not None:
            _, files = resume(folder, engines=3, depth=depth + 1)
            truth = sim.web.truth(depth + 1)
            assert_all_once(files, truth)


def assert_all_once(files: CrawlFiles, truth: Truth) -> None:
    assert not files.warcs
    assert Counter(row.url for row in files.rows).most_common(1)[0][1] == 1
    assert files.responses() == truth.status
    assert items_in(files.folder) == Counter(pages_of(truth))
