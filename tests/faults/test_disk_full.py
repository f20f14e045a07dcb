"""A disk that is full, and has room again: the crawl stops with one sentence, and goes on where it stopped."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.crawling import (
    CrawlFiles,
    assert_archive_is_consistent,
    assert_fetched_the_truth,
    quick_config,
)
from tests.pipeline.engine_process import prepare_folder
from weft.config import MIB
from weft.simweb import RequestLog, SimProcess, Truth, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawls import resuming, wait_for_writes, weft
from .disks import SmallDisk, small_disk

LIMIT, DISK_FULL = 3, 5
DISK_BYTES = 48 * MIB
# The larger part of what a crawl writes: so a full disk is met soon.
WEB = WebSpec(hosts=8, pages=120, seed=3, latency_ms=(2, 15), page_bytes=8000)
LONG_WEB = WebSpec(hosts=40, pages=1500, seed=4, latency_ms=(5, 60), page_bytes=8000)
SLOW_RATE = 30.0  # so that the crawl is not over before its disk is full
EXTRACTOR = "tests.pipeline.extractors:url"


def fill_at_random_moments(folder: Path, disk: SmallDisk, times: int, chance: random.Random) -> int:
    """Resume, fill the disk a while later, make room; gives how often the crawl met the full disk."""
    met = 0
    for _ in range(times):
        with resuming(folder) as run:
            if not wait_for_writes(folder, run, chance.randint(1, 8)):
                assert run.wait() == 0
                break
            time.sleep(chance.uniform(0, 0.02))
            disk.fill()
            if (code := run.wait()) == 0:  # on a busy machine it may be over before the disk is full
                break
            assert code == DISK_FULL, run.errors
            assert "the disk is full" in run.sentence() or "No space left" in run.sentence()
            assert f"when there is room again for {folder}, `weft resume {folder}` goes on" in run.sentence()
            met += 1
        disk.make_room()
    disk.make_room()
    return met


def assert_each_page_gave_its_item_once(folder: Path, truth: Truth) -> None:
    lines = (folder / "items.jsonl").read_bytes().splitlines()
    pages = [url for url, status in truth.status.items() if 200 <= status < 300]
    assert Counter(json.loads(line)["url"] for line in lines) == Counter(pages)


def assert_nothing_else_was_asked_for(log: RequestLog, port: int, truth: Truth) -> None:
    assert log.requests_by_url(port).keys() == truth.fetchable


def crawl_with_full_disks(tmp_path: Path, spec: WebSpec, times: int, seed: int) -> None:
    with SimProcess(spec) as sim, small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        folder = disk.path / "crawl"
        prepare_folder(folder, quick_config(sim, workers=2, extractors=(EXTRACTOR,), rate=SLOW_RATE))
        met = fill_at_random_moments(folder, disk, times, random.Random(seed))
        with resuming(folder, "--rate", "none") as run:
            assert run.wait() == 0, run.errors
        truth = sim.web.truth()
        files = CrawlFiles(folder)
        assert_fetched_the_truth(files, truth)
        assert_each_page_gave_its_item_once(folder, truth)
    assert met >= times - 1, "the crawl was over before its disk was full"
    assert_nothing_else_was_asked_for(sim.log, sim.http_port, truth)


def test_a_disk_full_at_two_random_moments_costs_no_page_and_no_item(tmp_path: Path) -> None:
    crawl_with_full_disks(tmp_path, WEB, times=2, seed=1)


@pytest.mark.large
@pytest.mark.parametrize("seed", range(6))
def test_a_disk_full_at_twelve_random_moments_costs_no_page_and_no_item(seed: int, tmp_path: Path) -> None:
    crawl_with_full_disks(tmp_path, LONG_WEB, times=12, seed=seed)


@pytest.mark.parametrize(
    "left_bytes", [12 * 1024, *(pytest.param(kib * 1024, marks=pytest.mark.large) for kib in (0, 4, 64, 200, 600))]
)
def test_a_disk_that_is_full_from_the_start_is_told_in_a_sentence(left_bytes: int, tmp_path: Path) -> None:
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        folder = disk.path / "crawl"
        flags = ["--dns-server", sim.dns, "--allow-private", "--delay", "0", "--user-agent", "x/1.0", "--quiet"]
        begin = ["crawl", *sim.seeds, "-o", str(folder), *flags, "--scope", "any"]
        disk.fill_but(left_bytes)
        begun = weft(*begin)
        assert begun.code == DISK_FULL, begun.errors
        begun.sentence()
        disk.make_room()
        again = weft("resume", str(folder), "--quiet")
        if again.code:
            assert "is not a crawl folder" in again.sentence()  # it did not come so far
            again = weft(*begin)
        assert again.code == 0, again.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())


def test_a_full_disk_that_holds_the_archive_alone_is_told_before_a_page_is_lost(tmp_path: Path) -> None:
    """A worker cannot even begin a file."""
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        prepare_folder(folder, quick_config(sim, max_pages=5))
        with resuming(folder) as run:
            assert run.wait() == LIMIT, run.errors
        shutil.copytree(folder / "archive", disk.path / "archive")
        shutil.rmtree(folder / "archive")
        (folder / "archive").symlink_to(disk.path / "archive")
        disk.fill()
        with resuming(folder, "--max-pages", "none") as run:
            assert run.wait() == DISK_FULL, run.errors
            run.sentence()
        disk.make_room()
        with resuming(folder, "--max-pages", "none") as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())


@pytest.mark.parametrize(
    "left_bytes", [8 * 1024, *(pytest.param(kib * 1024, marks=pytest.mark.large) for kib in (0, 100, 300))]
)
def test_a_disk_full_while_the_index_is_written_is_told_and_made_good(left_bytes: int, tmp_path: Path) -> None:
    """A crawl whose pages are all there is resumed with hardly any room: only its index files are to be written."""
    with SimProcess(WEB) as sim, small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        folder = disk.path / "crawl"
        prepare_folder(folder, quick_config(sim))
        with resuming(folder) as run:
            assert run.wait() == 0
        for name in ("index.cdxj", "pages.jsonl", "report.json"):
            (folder / name).unlink()
        disk.fill_but(left_bytes)
        with resuming(folder) as run:
            assert run.wait() == DISK_FULL, run.errors
            run.sentence()
        disk.make_room()
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())
        assert [path.name for path in folder.iterdir() if path.name.startswith(".sort-")] == []


@pytest.mark.large
@pytest.mark.parametrize("left_bytes", [MIB, 3 * MIB, 6 * MIB])
def test_a_disk_full_while_long_bodies_arrive_is_told_and_made_good(left_bytes: int, tmp_path: Path) -> None:
    """A long body lies in a file of its own until it is in the archive."""
    paths = [f"/{number}" for number in range(12)]
    links = "".join(f'<p><a href="{path}">x</a>' for path in paths)
    pages: dict[tuple[str, str], Behaviour] = {("site.test", path): Fixed(os.urandom(3 * MIB)) for path in paths}
    pages["site.test", "/"] = Fixed(f"<!DOCTYPE html>{links}".encode())
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim, small_disk(tmp_path / "disk", 96 * MIB) as disk:
        folder = disk.path / "crawl"
        prepare_folder(folder, quick_config(sim, seeds=(sim.web.url("site.test", "/"),), response_timeout_s=30.0))
        disk.fill_but(left_bytes)
        with resuming(folder) as run:
            assert run.wait() == DISK_FULL, run.errors
            run.sentence()
        disk.make_room()
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
        files = CrawlFiles(folder)
        assert files.responses() == {sim.web.url("site.test", path): 200 for path in ["/", *paths]}
        assert {row.body_bytes for row in files.rows if not row.url.endswith("/")} == {3 * MIB}
        assert_archive_is_consistent(files)
