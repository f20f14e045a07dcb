"""`weft repair` as a person uses it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tests.pipeline.crawling import CrawlFiles, crawl_all, quick_config
from weft.pipeline.crawl import Crawl
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence

WEB = WebSpec(hosts=3, pages=30, seed=2)


def test_repair_says_what_it_found_what_it_cut_and_what_to_do_next(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=20))
    visited = len(CrawlFiles(tmp_path / "crawl").rows)
    (warc,) = (tmp_path / "crawl" / "archive").iterdir()
    os.truncate(warc, warc.stat().st_size - 10)  # in the last record of the last page
    done = Finished("repair", "crawl", cwd=tmp_path)
    assert (done.code, done.errors) == (0, "")
    found, cut, fetched_again, kept, next_step = done.out.splitlines()
    assert found.startswith(f"Known again: {visited - 1} pages and ")
    assert "in 1 file." in found
    assert "were cut off (" in cut
    assert "kept in crawl/state/cut-off-by-repair-" in cut
    assert fetched_again == "their pages are fetched again."
    assert kept.startswith("The old database is kept in crawl/state/db-before-repair-")
    assert next_step == "`weft resume crawl` goes on."


def test_repair_gives_its_figures_as_json(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=20))
    shutil.rmtree(tmp_path / "crawl" / "state" / "db")
    done = Finished("repair", "crawl", "--json", cwd=tmp_path)
    assert (done.code, done.errors) == (0, "")
    found = json.loads(done.out)
    assert found["pages"] == len(CrawlFiles(tmp_path / "crawl").rows)
    assert (found["files"], found["cut_bytes"], found["left_out"], found["old_database"]) == (1, 0, 0, "")


def test_repair_says_that_pages_have_no_items_where_their_file_is_gone(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=5, extractors=("tests.pipeline.extractors:url",)))
    shutil.rmtree(tmp_path / "crawl" / "state" / "db")
    (tmp_path / "crawl" / "items.jsonl").unlink()
    done = Finished("repair", "crawl", cwd=tmp_path)
    assert done.code == 0
    assert "these pages have no items; `weft extract` makes them" in done.out


def test_a_folder_that_holds_no_crawl_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    done = Finished("repair", "other", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert "is not a crawl folder" in done.errors
    assert list((tmp_path / "other").iterdir()) == []


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim))
        done = Finished("repair", "crawl", cwd=tmp_path)
        crawl.folder.close()
    assert done.code == 6
    assert_is_one_sentence(done)
    assert f"is in use by process {os.getpid()} on " in done.errors
