"""A user's functions over an archive: each item once, in the order of the archive, whatever the functions do."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import weft
from tests.cli.running import Finished
from tests.faults.disks import small_disk
from tests.pipeline.engine_process import await_others, sleeps
from tests.scratch import scratch_folder
from weft.errors import BadInput, FolderError
from weft.folder.reading import CrawlReader

from . import functions
from .rig import (
    BAD_EVERY,
    PAGES,
    by_number,
    expected,
    extracting,
    items_in,
    left_in,
    made,
    path_of,
    url_of,
)

BAD_PAGES = len(range(3, PAGES, BAD_EVERY))


@pytest.fixture(scope="module")
def crawl() -> Iterator[Path]:
    with scratch_folder() as folder:
        yield made(folder / "crawl")


def extract(crawl: Path | list[Path], name: str, out: Path | None, **options: Any) -> weft.ExtractSummary:
    options.setdefault("workers", 1)
    return asyncio.run(weft.extract(crawl, path_of(name), out, **options))


def test_each_item_is_there_once_in_the_order_of_the_archive_whatever_the_number_of_workers(
    crawl: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    summary = extract(crawl, "numbers", one)
    assert (summary.pages, summary.items, summary.failed, summary.exit) == (PAGES, 2 * PAGES, 0, "done")
    assert by_number(one) == expected()
    with CrawlReader(crawl) as reader:
        rows = sorted((reader.file_name(row.file), row.offset, row.url) for row in reader.rows() if row.status == 200)
    assert [item["url"] for item in items_in(one)] == [url for _, _, url in rows for _ in range(2)]
    extract(crawl, "numbers", two, workers=3)
    assert two.read_bytes() == one.read_bytes()
    assert left_in(one) | left_in(two) == set()


def test_functions_are_given_as_they_are_and_by_their_file_and_see_what_the_crawl_knew(
    crawl: Path, tmp_path: Path
) -> None:
    out, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    asyncio.run(weft.extract(crawl, functions.status, out, workers=1, status=["404"]))
    file = functions.__file__
    asyncio.run(weft.extract(crawl, f"{file}:status", again, workers=1, status=["404"]))
    assert again.read_bytes() == out.read_bytes()
    (item,) = items_in(out)
    assert (item["status"], item["type"]) == (404, "text/html")
    assert item["at"].startswith("2027-01-15T")


def test_a_site_extracts_by_its_rules_and_only_wanted_pages_are_read(crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    summary = extract(crawl, "site", out, match=["/bad/*"])
    assert summary.pages == BAD_PAGES
    assert sorted(item["bad"] for item in items_in(out)) == list(range(3, PAGES, BAD_EVERY))
    assert all(item["seen"] for item in items_in(out))


@pytest.mark.parametrize("ending", ["csv", "parquet", "sqlite"])
def test_items_go_to_the_form_that_the_ending_says(crawl: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    extract(crawl, "numbers", out)
    if ending == "csv":
        rows = list(csv.DictReader(out.read_text().splitlines()))
        assert sorted(int(row["number"]) for row in rows) == [item["number"] for item in expected()]
    elif ending == "parquet":
        found = pyarrow.parquet.read_table(out).to_pylist()
        assert sorted(found, key=lambda item: (item["number"], item["place"])) == expected()
    else:
        assert out.read_bytes().startswith(b"SQLite format 3")


def test_without_a_name_items_lie_in_the_crawl_folder_and_a_file_that_is_there_stays(tmp_path: Path) -> None:
    folder = made(tmp_path / "crawl", range(3))
    extract(folder, "nothing", None)
    assert (folder / "extract.jsonl").read_bytes() == b""
    with pytest.raises(BadInput, match="--force"):
        extract(folder, "numbers", None)
    extract(folder, "numbers", None, force=True)
    assert by_number(folder / "extract.jsonl") == expected(range(3))


def test_what_functions_do_wrong_is_counted_and_named_with_page_and_traceback(crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    summary = extract(crawl, "fail", out)
    assert (summary.items, summary.failed, summary.worker_deaths) == (PAGES, BAD_PAGES, 0)
    failed = items_in(out.with_name("out.jsonl.failed.jsonl"))
    assert sorted(line["url"] for line in failed) == sorted(url_of(number) for number in range(3, PAGES, BAD_EVERY))
    assert all("RuntimeError: a fault in a user's function" in line["reason"] for line in failed)
    assert all("functions.py" in line["traceback"] for line in failed)
    assert "failed on http://site.test/bad/" in out.with_name("out.jsonl.log").read_text()
    extract(crawl, "numbers", out, force=True)
    assert left_in(out) == set(), "what an earlier output had to say is gone"


def test_a_page_that_ends_its_worker_costs_nothing_but_itself(crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    summary = extract(crawl, "end", out, match=[r"re:/1\d$", "/bad/3"], workers=2)
    wanted = [url_of(number) for number in range(10, 20)] + [url_of(3)]
    bad = [url for url in wanted if functions.BAD in url]
    assert (summary.pages, summary.failed) == (len(wanted), len(bad))
    assert summary.worker_deaths >= 3
    assert sorted(item["url"] for item in items_in(out)) == sorted(set(wanted) - set(bad))
    failed = items_in(out.with_name("out.jsonl.failed.jsonl"))
    assert sorted(line["url"] for line in failed) == sorted(bad)
    assert all("its worker" in line["reason"] for line in failed)


@pytest.mark.parametrize("name", ["fork", "fork_and_stay", "shout"])
def test_functions_that_fork_and_print_and_close_streams_change_no_item(crawl: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.jsonl"
    summary = extract(crawl, name, out)
    assert (summary.pages, summary.items) == (PAGES, PAGES)
    assert sorted(item["url"] for item in items_in(out)) == sorted(map(url_of, range(PAGES)))


def test_requests_are_counted_and_not_followed(crawl: Path, tmp_path: Path) -> None:
    summary = extract(crawl, "ask", tmp_path / "out.jsonl")
    assert (summary.items, summary.requests, summary.failed) == (PAGES, PAGES, 0)


def test_a_damaged_record_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    folder = made(tmp_path / "crawl", range(6))
    with CrawlReader(folder) as reader:
        row = next(row for row in reader.rows() if row.url == url_of(4))
        place = reader.place_of(row)
    with Path(place.path).open("r+b") as file:
        file.seek(place.offset + place.length // 2)
        file.write(b"\xff" * 40)
    summary = extract(folder, "numbers", tmp_path / "out.jsonl")
    assert (summary.pages, summary.items, summary.unreadable) == (6, 10, 1)
    (failed,) = items_in(tmp_path / "out.jsonl.failed.jsonl")
    assert failed["url"] == url_of(4)
    assert "damaged" in failed["reason"]


def test_a_good_file_is_not_replaced_by_an_empty_one_of_a_failed_run(crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    extract(crawl, "numbers", out)
    summary = extract(crawl, "fail_always", out, force=True)
    assert (summary.failed, summary.items) == (PAGES, 0)
    assert by_number(out) == expected()
    assert len(items_in(tmp_path / "out.jsonl.failed.jsonl")) == PAGES


def test_the_folders_of_a_clusters_nodes_are_one_archive(tmp_path: Path) -> None:
    halves = [made(tmp_path / node, numbers, node=node) for node, numbers in (("a", range(9)), ("b", range(9, 20)))]
    out = tmp_path / "out.jsonl"
    summary = extract(halves, "numbers", out)
    assert summary.pages == 20
    assert by_number(out) == expected(range(20))
    with pytest.raises(BadInput, match="-o FILE"):
        extract(halves, "numbers", None)


def test_an_archive_without_pages_gives_an_empty_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "crawl", range(0))
    summary = extract(folder, "numbers", tmp_path / "out.csv")
    assert (summary.pages, summary.exit) == (0, "done")
    assert (tmp_path / "out.csv").read_bytes() == b""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": "missing"}, "has no 'missing'"),
        ({"name": "BAD"}, "is not a function"),
        ({"out": "out.txt"}, "by the ending of the file"),
        ({"workers": 0}, "at least 1"),
        ({"status": "abc"}, "is no status"),
        ({"retries": 1}, "there is no setting 'retries'"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_begun(
    crawl: Path, tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    name, out = given.pop("name", "numbers"), tmp_path / given.pop("out", "out.jsonl")
    with pytest.raises(BadInput, match=words):
        extract(crawl, name, out, **given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "beside", ["log", "failed.jsonl", "parts/notes.txt", "parts/000001.items.old", "parts/journal"]
)
def test_files_of_the_user_that_have_the_names_of_weft_stay_and_are_told(
    crawl: Path, tmp_path: Path, beside: str
) -> None:
    mine = tmp_path / f"out.jsonl.{beside}"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(BadInput, match=mine.name):
        extract(crawl, "numbers", tmp_path / "out.jsonl")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("left", [(), ("journal",), ("000001.items", "000002.at", "000002.failed", ".sort-x1")])
def test_what_a_kill_left_without_a_journal_is_taken_over(crawl: Path, tmp_path: Path, left: tuple[str, ...]) -> None:
    out = tmp_path / "out.jsonl"
    (tmp_path / "out.jsonl.parts").mkdir()
    for name in left:
        (tmp_path / "out.jsonl.parts" / name).write_text("" if name == "journal" else "left")
    assert extract(crawl, "numbers", out, match=["/1"]).items == 2
    assert left_in(out) == set()


def test_a_file_that_the_user_put_among_the_parts_stays(crawl: Path, tmp_path: Path) -> None:
    mine = tmp_path / "out.jsonl.parts" / "notes.txt"
    mine.parent.mkdir()
    (mine.parent / "journal").touch()
    mine.write_text("mine")
    extract(crawl, "numbers", tmp_path / "out.jsonl", match=["/1"])
    assert [path.name for path in mine.parent.iterdir()] == ["notes.txt"]
    with pytest.raises(BadInput, match=r"notes\.txt is not weft's own"):
        extract(crawl, "numbers", tmp_path / "out.jsonl", force=True)
    assert mine.read_text() == "mine"


def test_a_crawl_folder_on_a_read_only_disk_is_read_and_an_output_there_is_refused(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 30_000_000) as disk:
        folder = made(disk.path / "crawl", range(5))
        disk.remount("ro")
        with pytest.raises(FolderError, match="Read-only"):
            extract(folder, "numbers", None)
        extract(folder, "numbers", tmp_path / "out.jsonl")
    assert by_number(tmp_path / "out.jsonl") == expected(range(5))


def test_a_full_disk_ends_the_run_in_a_sentence_and_the_same_command_goes_on(crawl: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4_000_000) as disk:
        out = disk.path / "out.jsonl"
        go = tmp_path / "go"
        with extracting(crawl, "held_numbers", out, "--workers", "1", WEFT_TEST_GO=str(go)) as process:
            await_others(lambda: process.written_bytes() > 0, "items")
            disk.fill()
            go.touch()
            code, errors = process.wait()
        assert (code, errors.count("\n")) == (5, 1), errors
        assert "the disk is full" in errors
        disk.make_room()
        with extracting(crawl, "held_numbers", out) as process:
            assert process.wait() == (0, "")
        assert by_number(out) == expected()


def test_one_output_is_written_by_one_process_and_stays_with_its_crawl_and_function(
    crawl: Path, tmp_path: Path
) -> None:
    out, go = tmp_path / "out.jsonl", tmp_path / "go"
    with extracting(crawl, "wait_for_go", out, "--workers", "1", WEFT_TEST_GO=str(go)) as process:
        await_others(lambda: process.journal_bytes() > 0, "the journal")
        with pytest.raises(FolderError, match="in use"):
            extract(crawl, "wait_for_go", out)
    with pytest.raises(BadInput, match=r"was begun with .*wait_for_go, not .*numbers; --force"):
        extract(crawl, "numbers", out)
    with pytest.raises(BadInput, match=r"was begun of .*2xx.*not .*404"):
        extract(crawl, "wait_for_go", out, status=["404"])
    other = made(tmp_path / "other", range(2))
    with pytest.raises(BadInput, match="was begun from"):
        extract(other, "wait_for_go", out)
    extract(other, "numbers", out, force=True)
    assert by_number(out) == expected(range(2))


def test_ctrl_c_ends_in_order_and_the_same_command_goes_on_with_another_number_of_workers(
    crawl: Path, tmp_path: Path
) -> None:
    out, undisturbed, go = tmp_path / "out.jsonl", tmp_path / "undisturbed.jsonl", tmp_path / "go"
    with extracting(crawl, "held_numbers", out, "--workers", "2", WEFT_TEST_GO=str(go)) as process:
        await_others(lambda: process.written_bytes() > 0, "items")
        os.kill(process.pid, signal.SIGINT)
        await_others(lambda: sleeps(process.pid), "it has heard of it, and waits for its workers")
        go.touch()
        code, errors = process.wait()
    assert (code, errors) == (130, "")
    assert not out.exists()
    summary = extract(crawl, "held_numbers", out, workers=3)
    assert summary.pages == PAGES
    extract(crawl, "held_numbers", undisturbed)
    assert out.read_bytes() == undisturbed.read_bytes()


def test_the_command_prints_its_figures(crawl: Path, tmp_path: Path) -> None:
    done = Finished("extract", str(crawl), path_of("fail"), "-o", "out.csv", "--json", cwd=tmp_path)
    assert done.code == 0, done.errors
    assert (done.summary()["items"], done.summary()["failed"]) == (PAGES, BAD_PAGES)
    done = Finished("extract", str(crawl), path_of("fail_always"), "-o", "out.csv", "--force", cwd=tmp_path)
    assert done.code == 4, done.errors
    assert "Every call failed, so out.csv is left as it was. out.csv.failed.jsonl tells what failed." in done.out
    done = Finished("extract", str(crawl), path_of("fail_always"), "-o", "none.csv", cwd=tmp_path)
    assert done.code == 4, done.errors
    assert "Every call failed: none.csv is empty. none.csv.failed.jsonl tells what failed." in done.out
    done = Finished("extract", str(crawl), path_of("numbers"), "-o", "new.sqlite", cwd=tmp_path)
    assert "Done. The items are in new.sqlite." in done.out
    done = Finished("extract", str(crawl), path_of("numbers"), "--to", "new.csv", cwd=tmp_path)
    assert (done.code, done.errors) == (2, "weft: --to names a form of pages; the file of items is -o new.csv\n")
    assert json.loads((tmp_path / "out.csv.failed.jsonl").read_bytes().splitlines()[0])["url"]
