"""No file may grow beyond some size (`ulimit -f`): the crawl stops with one sentence, and blames no page."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, quick_config
from tests.pipeline.engine_process import prepare_folder
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawls import resuming

FOLDER = 6
MOST_BYTES = 200_000  # less than the archive of this web, and more than its database writes until then
WEB = WebSpec(hosts=4, pages=120, seed=3, page_bytes=8000)


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, resource.RLIM_INFINITY))


def test_an_archive_that_cannot_be_written_ends_the_crawl_and_takes_no_page_for_poison(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        prepare_folder(folder, quick_config(sim, workers=1))
        with resuming(folder, preexec=limit_files) as run:
            assert run.wait() == FOLDER, run.errors
            assert run.sentence().endswith(".warc.gz.open: File too large")
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
        files = CrawlFiles(folder)
        assert_fetched_the_truth(files, sim.web.truth())
    assert {row.outcome for row in files.rows} == {"response"}


def test_a_body_that_cannot_be_kept_ends_the_crawl_with_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    pages: dict[tuple[str, str], Behaviour] = {("site.test", "/"): Fixed(bytes(3_000_000))}
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        prepare_folder(folder, quick_config(sim, seeds=(sim.web.url("site.test", "/"),)))
        with resuming(folder, preexec=limit_files) as run:
            assert run.wait() == FOLDER, run.errors
            assert run.sentence() == "weft: cannot write a response's body: File too large"
        assert list((folder / "state" / "spool").iterdir()) == []
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
        (row,) = CrawlFiles(folder).rows
    assert row.body_bytes == 3_000_000
