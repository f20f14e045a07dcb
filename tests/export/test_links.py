"""The table of links: what a crawl with --links kept, and what is read again from the archive of one without."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
import pytest

import weft
from tests.pipeline.live_site import Answer, LiveSite, html, redirect, served
from weft.errors import BadInput
from weft.export.links import COLUMNS, defused
from weft.folder.reading import CrawlReader
from weft.folder.reread_links import linked_rows
from weft.folder.site_rows import has_links, site_rows

Row = tuple[str, ...]

PAGES = {
    "/": (
        "<h1>Home</h1><a href=/a>The  <b>first</b></a><a href=/gone rel=nofollow>=1+1</a><a href=/away>away</a>"
        "<a href=http://outside.test/ rel='sponsored nofollow'>@out</a><link rel=next href=/a><a href=/b.zip>file</a>"
        "<iframe src=/frame></iframe><a href=/deep1>down</a><area href=/a alt=area>"
    ),
    "/a": "<a href=/><img src=x alt='-home'></a><a href=/a>self</a>",
    "/frame": "<a href=/>\thome</a>",
    "/deep1": "<a href=/deep2>deeper</a>",
    "/target": "<p>No links.",
}
# From, to, kind, rel, anchor and status.
EXPECTED: set[Row] = {
    ("/", "/a", "link", "", "The first", "200"),
    ("/", "/gone", "link", "nofollow", "=1+1", "404"),
    ("/", "/away", "link", "", "away", "302"),
    ("/", "http://outside.test/", "link", "nofollow sponsored", "@out", ""),
    ("/", "/b.zip", "link", "", "file", ""),
    ("/", "/frame", "frame", "", "", "200"),
    ("/", "/deep1", "link", "", "down", "200"),
    ("/a", "/", "link", "", "-home", "200"),
    ("/frame", "/", "link", "", "home", "200"),
    ("/deep1", "/deep2", "link", "", "deeper", ""),
    ("/away", "/target", "redirect", "", "", "200"),
}


def answer(path: str, _headers: Mapping[str, str]) -> Answer:
    if path == "/away":
        return redirect("/target")
    return html(PAGES[path], path) if path in PAGES else (404, {}, "<p>Not found.")


@pytest.fixture
def site() -> Iterator[LiveSite]:
    with served(answer) as opened:
        yield opened


def crawled(site: LiveSite, folder: Path, **changes: Any) -> Path:
    site.crawl(folder, depth=1, exclude=("*.zip",), **changes)
    return folder


def rows_in(lines: bytes, site: LiveSite) -> set[Row]:
    decoded = [msgspec.json.decode(line, type=dict[str, str]) for line in lines.splitlines()]
    assert all(tuple(row) == COLUMNS for row in decoded)
    found = [tuple(cell.removeprefix(site.origin) for cell in row.values()) for row in decoded]
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize("keeps_links", [True, False], ids=["kept", "read again"])
def test_every_link_is_told_with_the_status_of_its_target(site: LiveSite, tmp_path: Path, keeps_links: bool) -> None:
    folder = crawled(site, tmp_path / "crawl", links=keeps_links)
    out = io.BytesIO()
    told: list[int] = []
    weft.export(folder, "links", out, progress=lambda amount, total: told.append(amount))
    assert rows_in(out.getvalue(), site) == EXPECTED
    assert sum(told) == len(EXPECTED) + (0 if keeps_links else 7), "links, and pages that were read again"


def test_what_is_read_again_is_what_would_have_been_kept(site: LiveSite, tmp_path: Path) -> None:
    kept, bare = (crawled(site, tmp_path / name, links=name == "kept") for name in ("kept", "bare"))
    with CrawlReader(kept) as with_links, CrawlReader(bare) as without:
        assert has_links(with_links.database)
        assert not has_links(without.database)
        with linked_rows(without, tmp_path) as database:
            again = list(site_rows(database))
        assert again == list(site_rows(with_links.database))
        with linked_rows(with_links) as database:
            assert database is with_links.database, "nothing is read again"
    assert [path.name for path in tmp_path.glob("weft-links-*")] == []


def test_the_ending_says_the_form(site: LiveSite, tmp_path: Path) -> None:
    folder = crawled(site, tmp_path / "crawl", links=True)
    for ending in ("jsonl", "csv", "parquet"):
        weft.export(folder, "links", tmp_path / f"x.{ending}")
    with pytest.raises(BadInput, match=r"\.jsonl, \.csv or \.parquet"):
        weft.export(folder, "links", tmp_path / "x.txt")
    lines = (tmp_path / "x.jsonl").read_bytes()
    rows = [tuple(msgspec.json.decode(line).values()) for line in lines.splitlines()]
    table: Any = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert table.column_names == list(COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        names, *cells = csv.reader(file)
    assert tuple(names) == COLUMNS
    assert [tuple(row) for row in cells] == [tuple(map(defused, row)) for row in rows]
    assert {row[4] for row in cells} >= {"'=1+1", "'@out", "'-home"}
    assert rows_in((crawl_default := weft.export(folder, "links")).read_bytes(), site) == EXPECTED  # type: ignore[union-attr]
    assert crawl_default == folder / "export.links.jsonl"


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "\rx", "=", "-"])
def test_a_cell_that_a_spreadsheet_would_run_is_defused(cell: str) -> None:
    assert defused(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["", "x=1", "1-1", "'=", " =1", "https://x.test/", "200"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert defused(cell) == cell


def test_a_crawl_that_read_nothing_has_no_links(site: LiveSite, tmp_path: Path) -> None:
    with served(lambda path, headers: (404, {}, "")) as empty:
        empty.crawl(tmp_path / "crawl")
    out = io.BytesIO()
    weft.export(tmp_path / "crawl", "links", out)
    assert out.getvalue() == b""
