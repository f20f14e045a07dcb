"""A folder on a disk that is read-only: a sentence says so, and nobody is sent to repair what is whole."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, crawl_all, quick_config
from weft import read
from weft.config import MIB
from weft.simweb import SimProcess, WebSpec

from .crawls import resuming, weft
from .disks import small_disk

FOLDER = 6
WEB = WebSpec(hosts=4, pages=40, seed=3)


def test_on_a_read_only_disk_every_command_that_writes_ends_with_a_sentence(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", 32 * MIB) as disk:
        folder = disk.path / "crawl"
        crawl_all(folder, quick_config(sim, max_pages=20))
        disk.remount("ro")
        for command in (
            ["resume", str(folder)],
            ["repair", str(folder)],
            ["crawl", sim.seeds[0], "-o", str(disk.path / "new"), "--quiet"],
        ):
            done = weft(*command)
            assert done.code == FOLDER, (command, done.errors)
            assert "Read-only file system" in done.sentence()
            assert "damaged" not in done.errors
        disk.remount("rw")
        with resuming(folder, "--max-pages", "none") as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())


def test_on_a_read_only_disk_a_crawl_is_reported_exported_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", 32 * MIB) as disk:
        folder = disk.path / "crawl"
        _, files = crawl_all(folder, quick_config(sim))
        before = sorted(disk.path.rglob("*"))
        disk.remount("ro")
        reported = weft("report", str(folder), "--json")
        assert reported.code == 0, reported.errors
        assert msgspec.json.decode(reported.out)["totals"]["pages"] > 0
        for form in ("urls", "jsonl", "wacz", "warc"):
            exported = weft("export", str(folder), "--to", form, "-o", str(tmp_path / form))
            assert exported.code == 0, exported.errors
            assert (tmp_path / form).stat().st_size > 0
        (tmp_path / "temporary").mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
        bodies = {page.url: len(page.body) for page in read(folder)}
        assert bodies.keys() == {url for url, status in files.responses().items() if 200 <= status < 300}
        assert sum(bodies.values()) > 0
        assert list((tmp_path / "temporary").iterdir()) == []
        assert sorted(disk.path.rglob("*")) == before
