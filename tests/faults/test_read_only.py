"""A folder on a disk that is read-only: a sentence says so, and nobody is sent to repair what is whole."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, crawl_all, quick_config
from weft.config import MIB
from weft.simweb import SimProcess, WebSpec

from .crawls import resuming, weft
from .disks import small_disk

FOLDER = 6
WEB = WebSpec(hosts=4, pages=40, seed=3)


def test_on_a_read_only_disk_every_command_ends_with_a_sentence(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", 32 * MIB) as disk:
        folder = disk.path / "crawl"
        crawl_all(folder, quick_config(sim, max_pages=20))
        disk.remount("ro")
        for command in (
            ["resume", str(folder)],
            ["repair", str(folder)],
            ["crawl", sim.seeds[0], "-o", str(disk.path / "new"), "--quiet"],
            ["report", str(folder)],  # the library that opens the database writes a file there, although it only reads
        ):
            done = weft(*command)
            assert done.code == FOLDER, (command, done.errors)
            assert "Read-only file system" in done.sentence()
            assert "damaged" not in done.errors
        disk.remount("rw")
        with resuming(folder, "--max-pages", "none") as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())
