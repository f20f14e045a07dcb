"""`weft repair`: a crawl whose database is gone is whole again, and no archived page is fetched a second time."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from tests.faults.repairs import (
    RestartedWeb,
    StoppedError,
    archived,
    as_far_as_known,
    asked_for,
    cut_off,
    half_done,
    keep_only_page,
    killed,
    lose_database,
    next_record,
    rows_of,
    sides_of,
    stop_at_second_file,
)
from tests.pipeline.crawling import (
    assert_fetched_the_truth,
    crawl_all,
    quick_config,
    resume,
)
from tests.pipeline.small_web import Sites, page, redirect
from weft.errors import FolderError
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

WEB = WebSpec(hosts=8, pages=120, seed=5)
# warcio's check cannot bear br, so this one is only for comparing rows.
ODD_WEB = WebSpec(
    hosts=8, pages=120, seed=5, charset_share=0.3, coded_share=0.3, chunked_share=0.3, noindex_share=0.1,
    mistyped_share=0.1, status_5xx_share=0.05, failing_attempts=1,
)  # fmt: skip
SLOW_WEB = WebSpec(hosts=8, pages=150, seed=6, latency_ms=(5, 30))
SITE = "site.test"


# ── rows ───────────────────────────────────────────────────────────────────────────────────────────────


def test_rows_are_the_same_as_before_in_all_that_the_archive_tells(tmp_path: Path) -> None:
    with SimProcess(ODD_WEB) as sim:
        _, files = crawl_all(tmp_path, quick_config(sim, workers=2))
    before, sides = rows_of(tmp_path), sides_of(tmp_path)
    with CrawlReader(tmp_path) as reader:
        counted = reader.counters
    lose_database(tmp_path)
    found = repair(tmp_path)
    after = rows_of(tmp_path)
    assert {url: as_far_as_known(row) for url, row in after.items()} == {
        url: as_far_as_known(row) for url, row in before.items()
    }
    for url, row in after.items():
        assert abs(row.fetched_at - before[url].fetched_at) < 0.000_01
    assert sides_of(tmp_path) == [
        (place, msgspec.structs.replace(row, fetched_at=again.fetched_at))
        for (place, row), (_, again) in zip(sides, sides_of(tmp_path), strict=True)
    ]
    assert (found.pages, found.sides, found.cut_bytes, found.left_out) == (len(before), len(sides), 0, 0)
    with CrawlReader(tmp_path) as reader:
        assert (reader.counters.pages, reader.counters.redirects) == (counted.pages, counted.redirects)
        assert reader.counters.seen == len(before)
    assert found.files == len(files.warcs)


def test_a_finished_crawl_stays_finished_and_nothing_is_asked_for_again(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, before = crawl_all(tmp_path, quick_config(sim))
        lose_database(tmp_path)
        repair(tmp_path)
        ending, after = resume(tmp_path)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert after.responses() == before.responses()
    assert_fetched_the_truth(after, truth)
    assert asked_for(sim.log, sim.http_port) == dict.fromkeys(truth.fetchable, 1)


# ── half-done crawls ───────────────────────────────────────────────────────────────────────────────────


def test_a_half_done_crawl_is_completed(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        half_done(tmp_path, sim)
        lose_database(tmp_path)
        repair(tmp_path)
        ending, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert asked_for(sim.log, sim.http_port) == dict.fromkeys(truth.fetchable, 1)


@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.large)])
def test_a_crawl_with_a_depth_limit_is_completed_to_that_depth(depth: int, tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        half_done(tmp_path, sim, 30, depth=depth)
        lose_database(tmp_path)
        repair(tmp_path)
        _, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth(depth)
    assert_fetched_the_truth(files, truth)
    assert asked_for(sim.log, sim.http_port) == dict.fromkeys(truth.fetchable, 1)


@pytest.mark.large
def test_a_depth_limit_raised_after_a_repair_finds_what_the_old_one_refused(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path, quick_config(sim, depth=1))
        lose_database(tmp_path)
        repair(tmp_path)
        _, files = resume(tmp_path, depth=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


@pytest.mark.large
def test_a_killed_crawl_is_completed_and_only_what_was_not_archived_is_fetched(tmp_path: Path) -> None:
    with SimProcess(SLOW_WEB) as sim:
        killed(tmp_path, sim)
        lose_database(tmp_path)
        found = repair(tmp_path)
        kept = archived(tmp_path)
        assert list((tmp_path / "archive").glob("*.open")) == []
        ending, files = resume(tmp_path)
        truth = sim.web.truth()
    assert found.pages == len(kept) > 0
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    asked = asked_for(sim.log, sim.http_port)
    assert {url: times for url, times in asked.items() if url in kept} == dict.fromkeys(kept, 1)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 30))])
def test_a_killed_crawl_whose_last_records_are_torn_is_completed(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with SimProcess(SLOW_WEB) as sim:
        killed(tmp_path, sim, writes=chance.randint(10, 60))
        torn_bytes = 0
        for file in (tmp_path / "archive").glob("*.open"):
            size = file.stat().st_size
            cut = min(size, chance.choice([1, 9, 300, 900, 5000]))
            os.truncate(file, size - cut)
            torn_bytes += cut
        lose_database(tmp_path)
        found = repair(tmp_path)
        kept = archived(tmp_path)
        assert_all_cut_bytes_are_kept(found.cut_off, found.cut_bytes)
        _, files = resume(tmp_path)
        truth = sim.web.truth()
    assert torn_bytes
    assert found.pages == len(kept)
    assert_fetched_the_truth(files, truth)
    asked = asked_for(sim.log, sim.http_port)
    assert {url: times for url, times in asked.items() if url in kept} == dict.fromkeys(kept, 1)


def assert_all_cut_bytes_are_kept(folder: str, cut_bytes: int) -> None:
    kept = [path.stat().st_size for path in Path(folder).iterdir()] if folder else []
    assert sum(kept) == cut_bytes


@pytest.mark.parametrize("whole_records", [1, *(pytest.param(count, marks=pytest.mark.large) for count in (0, 2))])
def test_a_last_page_without_all_of_its_records_is_fetched_again_and_archived_once(
    whole_records: int, tmp_path: Path
) -> None:
    """A page has three records: response, request, metadata."""
    with SimProcess(SLOW_WEB) as sim:
        half_done(tmp_path, sim, 20)
        (file,) = (tmp_path / "archive").iterdir()
        last = max(rows_of(tmp_path).values(), key=lambda row: row.offset)
        ends = [last.offset, last.offset + last.length, next_record(file, last.offset + last.length)]
        os.truncate(file, ends[whole_records])
        file.rename(file.with_name(file.name + ".open"))
        lose_database(tmp_path)
        repair(tmp_path)
        assert last.url not in rows_of(tmp_path)
        _, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


def test_a_record_damaged_in_the_middle_costs_no_page_and_what_is_cut_off_is_kept(tmp_path: Path) -> None:
    with SimProcess(SLOW_WEB) as sim:
        half_done(tmp_path, sim, 40)
        (file,) = (tmp_path / "archive").iterdir()
        before = file.read_bytes()
        rows = sorted(rows_of(tmp_path).values(), key=lambda row: row.offset)
        spoilt = rows[len(rows) // 2]
        with file.open("r+b") as out:
            out.seek(spoilt.offset + spoilt.length // 2)
            out.write(b"\xff" * 30)
        after = file.read_bytes()
        lose_database(tmp_path)
        found = repair(tmp_path)
        assert file.read_bytes() == before[: spoilt.offset]
        (rest,) = Path(found.cut_off).iterdir()
        assert rest.read_bytes() == after[spoilt.offset :]
        _, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


def test_several_files_are_all_read_and_the_next_one_has_a_new_number(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        half_done(tmp_path, sim, 20, workers=2, fixed=True)
        resume(tmp_path, max_pages=40)
        names = {path.name for path in (tmp_path / "archive").iterdir()}
        assert len(names) >= 2
        lose_database(tmp_path)
        assert repair(tmp_path).files == len(names)
        _, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)
    numbers = [path.name.removesuffix(".warc.gz").rpartition("-")[2] for path in files.warcs]
    assert len(set(numbers)) == len(numbers) > len(names)
    assert asked_for(sim.log, sim.http_port) == dict.fromkeys(truth.fetchable, 1)


def test_a_repair_that_is_stopped_leaves_no_database_behind_and_the_next_one_succeeds(tmp_path: Path) -> None:
    """Half a database would be taken for a whole one, and files that it does not know would be removed."""

    def contents() -> dict[str, bytes]:
        return {path.name.removesuffix(".open"): path.read_bytes() for path in (tmp_path / "archive").iterdir()}

    with SimProcess(SLOW_WEB) as sim:
        killed(tmp_path, sim, warc_bytes=20_000)  # several files, however few of the workers have begun
        lose_database(tmp_path)
        before = contents()
        for _ in range(2):
            with pytest.raises(StoppedError):
                repair(tmp_path, stop_at_second_file())
            with pytest.raises(FolderError, match="no database; `weft repair"):
                Crawl.resume(tmp_path)
        assert contents() == before
        repair(tmp_path)
        _, files = resume(tmp_path)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


def test_a_crawl_that_lost_all_of_its_state_is_not_begun_anew_over_its_archive(tmp_path: Path) -> None:
    """Its settings are lost, too: they are given again, as at the beginning."""
    with SimProcess(SLOW_WEB) as sim:
        killed(tmp_path, sim)
        shutil.rmtree(tmp_path / "state")
        archive = {path.name for path in (tmp_path / "archive").iterdir()}
        with pytest.raises(FolderError, match="has an archive but no database; `weft repair"):
            Crawl.create(tmp_path, quick_config(sim))
        assert {path.name for path in (tmp_path / "archive").iterdir()} == archive
        repair(tmp_path)
        kept = archived(tmp_path)
        _, files = resume(tmp_path)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)
    asked = asked_for(sim.log, sim.http_port)
    assert {url: times for url, times in asked.items() if url in kept} == dict.fromkeys(kept, 1)


def test_a_repair_of_a_sound_crawl_keeps_its_database_aside(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        half_done(tmp_path, sim, 20)
        before = rows_of(tmp_path)
        found = repair(tmp_path)
        assert Path(found.old_database).is_dir()
        assert rows_of(tmp_path).keys() == {url for url, row in before.items() if row.file}


# ── what a crawl can have besides pages ────────────────────────────────────────────────────────────────


def test_revisits_refer_to_their_originals_again_and_are_fetched_again_without_them(tmp_path: Path) -> None:
    body = b"<!DOCTYPE html><title>Same</title>" + b"The same words on two pages. " * 40

    def sites(web: SimWeb) -> Sites:
        same: dict[tuple[str, str], Behaviour] = {(SITE, path): Fixed(body) for path in ("/a", "/b", "/c")}
        return {(SITE, "/"): page("/a", "/b", "/c")} | same

    web = RestartedWeb((SITE,), sites)
    web.crawl(tmp_path, SITE, max_pages=2)  # at the end of a run all is synced
    assert web.resume(tmp_path, max_pages=None) is Ending.DONE
    home, original, *again = (web.url(SITE, path) for path in ("/", "/a", "/b", "/c"))
    before = rows_of(tmp_path)
    lose_database(tmp_path)
    assert repair(tmp_path).left_out == 0
    after = rows_of(tmp_path)
    for url in again:
        was, known = before[url].original, after[url].original
        assert was
        assert known
        assert msgspec.structs.replace(known, fetched_at=was.fetched_at) == was
        assert after[url].mime == before[url].mime
    with CrawlReader(tmp_path) as reader:
        assert reader.counters.revisits == 2
        assert [page.body for page in reader.pages() if page.url in again] == [body, body]

    cut_off(tmp_path, before[original])
    lose_database(tmp_path)
    assert repair(tmp_path).left_out == 2
    assert rows_of(tmp_path).keys() == {home}
    assert web.resume(tmp_path) is Ending.DONE
    assert rows_of(tmp_path).keys() == before.keys()


def test_items_stay_as_they_are_and_those_of_new_pages_follow(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        half_done(tmp_path, sim, 30, extractors=("tests.pipeline.extractors:url",))
        lose_database(tmp_path)
        with (tmp_path / "items.jsonl").open("ab") as file:
            file.write(b'{"url": "torn')
        repair(tmp_path)
        _, files = resume(tmp_path, max_pages=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)
    lines = (tmp_path / "items.jsonl").read_bytes().splitlines()
    pages = [url for url, status in truth.status.items() if 200 <= status < 300]
    assert Counter(json.loads(line)["url"] for line in lines) == Counter(pages)


def test_a_budget_a_host_is_not_given_a_second_time(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=3, pages=120, seed=5)) as sim:
        crawl_all(tmp_path, quick_config(sim, max_pages_per_host=10))
        before = rows_of(tmp_path)
        lose_database(tmp_path)
        repair(tmp_path)
        ending, files = resume(tmp_path)
    assert ending is Ending.DONE
    assert files.responses().keys() == before.keys()


def test_the_target_of_a_redirected_seed_is_in_scope_again_although_it_was_not_archived_yet(tmp_path: Path) -> None:
    pages = range(60)
    filler = f"<!-- {'x' * 100_000} -->"  # so that both workers have something to do

    def sites(web: SimWeb) -> Sites:
        found: dict[tuple[str, str], Behaviour] = {
            ("old.test", "/"): redirect(web.url("new.test", "/"), 301),
            ("new.test", "/"): page(*(f"/{number}" for number in pages)),
        }
        found |= {("new.test", f"/{number}"): page(f"/{number}/more", head=filler) for number in pages}
        return found | {("new.test", f"/{number}/more"): page() for number in pages}

    web = RestartedWeb(("old.test", "new.test"), sites)
    web.crawl(tmp_path, "old.test", scope="host", workers=2, connections_per_host=32)
    whole = set(rows_of(tmp_path))
    assert len(whole) == 2 + 2 * len(pages)
    keep_only_page(tmp_path, web.url("old.test"))
    lose_database(tmp_path)
    assert repair(tmp_path).pages == 1
    assert web.resume(tmp_path) is Ending.DONE
    assert set(rows_of(tmp_path)) == whole
