"""Processes that read pages for an export die, and the export goes on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from bench.made_archive import MadePage, make_archive
from tests.scratch import scratch_folder
from weft.errors import FolderError
from weft.export import reading
from weft.export.content import Content
from weft.export.format import Source
from weft.export.tally import DAMAGED, POISON, Tally
from weft.folder.reading import CrawlReader

PAGES = 30


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        web = [MadePage(f"http://a.test/{number}", f"<p>Page {number}.".encode()) for number in range(PAGES)]
        yield make_archive(scratch / "crawl", web)


def texts(folder: Path, out: Path) -> dict[str, str]:
    weft.export(folder, "jsonl", out, with_="text", force=True)
    return {row["url"]: row["text"] for row in map(json.loads, out.read_bytes().splitlines())}


def test_a_process_that_dies_is_started_again_and_no_page_is_lost_or_doubled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGES_AT_ONCE", 5)
    monkeypatch.setenv("WEFT_CRASH_AT", "export-reading:9")  # each, at its ninth page
    assert texts(folder, tmp_path / "x.jsonl") == {f"http://a.test/{n}": f"Page {n}." for n in range(PAGES)}


@pytest.fixture(scope="module")
def single() -> Iterator[Path]:
    """A crawl of one page, so that its first process meets it."""
    with scratch_folder() as scratch:
        yield make_archive(scratch / "crawl", [MadePage("http://a.test/", b"<p>Page.")], files=1)


def left_out(folder: Path) -> tuple[int, Tally]:
    with CrawlReader(folder) as reader:
        source = Source(reader, content=Content(forms=("text",)))
        return len(list(source.pages())), source.tally


def test_a_page_of_which_processes_die_is_left_out_and_said(single: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CRASH_AT", "export-reading:1")
    pages, tally = left_out(single)
    assert (pages, tally.left_out[POISON]) == (0, 1)
    assert f"left out: 1 {POISON} (http://a.test/)" in tally.sentence()


def lines_of_wacz(folder: Path, out: Path) -> list[tuple[str, str | None]]:
    """URL and text of each page."""
    weft.export(folder, "wacz", out, with_="text")
    with zipfile.ZipFile(out) as package:
        _, *lines = map(json.loads, package.read("pages/pages.jsonl").splitlines())
    return [(line["url"], line.get("text")) for line in lines]


def test_a_page_of_which_processes_die_is_in_a_wacz_without_its_text(
    single: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lines_of_wacz(single, tmp_path / "whole.wacz") == [("http://a.test/", "Page.")]
    monkeypatch.setenv("WEFT_CRASH_AT", "export-reading:1")
    assert lines_of_wacz(single, tmp_path / "poison.wacz") == [("http://a.test/", None)]


def test_a_process_that_hangs_is_ended(single: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "HANG_AFTER_S", 0.0)
    monkeypatch.setattr(reading, "SLOWEST_BYTES_PER_S", 1e9)  # so all hang
    pages, tally = left_out(single)
    assert (pages, tally.left_out[POISON]) == (0, 1)


def test_a_damaged_record_is_left_out_and_said(tmp_path: Path) -> None:
    web = [MadePage(f"http://a.test/{number}", b"<p>Page.") for number in range(3)]
    folder = make_archive(tmp_path / "crawl", web, files=1)
    with CrawlReader(folder) as reader:
        place = reader.place_of(next(row for row in reader.rows() if row.url.endswith("/1")))
    with Path(place.path).open("r+b") as file:
        file.seek(place.offset + 20)
        file.write(b"\xff" * 20)
    pages, tally = left_out(folder)
    assert (pages, tally.left_out[DAMAGED]) == (2, 1)


def test_a_missing_file_ends_the_export_in_a_sentence(tmp_path: Path) -> None:
    folder = make_archive(tmp_path / "crawl", [MadePage("http://a.test/", b"<p>Page.")], files=1)
    with CrawlReader(folder) as reader:
        Path(reader.place_of(next(iter(reader.rows()))).path).unlink()
    with pytest.raises(FolderError, match="is missing from the archive"):
        left_out(folder)
