"""Processes that read pages for an export die, and the export goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from bench.made_archive import MadePage, make_archive
from tests.scratch import scratch_folder
from weft.export import reading
from weft.export.content import Content
from weft.export.format import Source
from weft.export.tally import POISON
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
    monkeypatch.setattr(reading, "READ_HERE", 2)
    monkeypatch.setattr(reading, "PAGES_AT_ONCE", 5)
    monkeypatch.setenv("WEFT_CRASH_AT", "export-reading:9")  # each, at its ninth page
    assert texts(folder, tmp_path / "x.jsonl") == {f"http://a.test/{n}": f"Page {n}." for n in range(PAGES)}


def test_a_page_of_which_processes_die_is_left_out_and_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_HERE", PAGES - 1)
    monkeypatch.setenv("WEFT_CRASH_AT", "export-reading:1")
    with CrawlReader(folder) as reader:
        source = Source(reader, content=Content(forms=("text",)))
        rows = [row.url for row in source.rows()]
        assert [row.url for row, _ in source.pages()] == rows[:-1]
    assert source.tally.left_out[POISON] == 1
    assert f"29 pages; left out: 1 {POISON} ({rows[-1]})" in source.tally.sentence()


def test_a_process_that_hangs_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_HERE", PAGES - 1)
    monkeypatch.setattr(reading, "HANG_AFTER_S", 0.0)
    monkeypatch.setattr(reading, "SLOWEST_BYTES_PER_S", 1e9)  # so all hang
    with CrawlReader(folder) as reader:
        source = Source(reader, content=Content(forms=("text",)))
        assert len(list(source.pages())) == PAGES - 1
    assert source.tally.left_out[POISON] == 1
