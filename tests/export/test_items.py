"""Items as lines, CSV, Parquet and SQLite: nothing is lost on the way, whatever an item is."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import weft
from tests.graph.crawls import make_crawl
from tests.scratch import files_no_longer_than
from weft.errors import BadInput, DiskFull, FolderError
from weft.export.item_columns import MAX_COLUMNS
from weft.export.items import lines_in, write_items
from weft.folder.layout import database_of
from weft.state import State
from weft.store.items import adopt_items

HUGE = 10**30
ITEMS: list[Any] = [
    {"name": "kettle", "price": 20, "tags": ["a", "b"], "is_new": True, "big": 1},
    {"name": "=1+1", "price": 19.5, "Name": "other", "big": HUGE, "mixed": "text"},
    {"name": 'line\r\nbreak, "quoted"\0nul', "price": None, "nested": {"ü": [1, None]}, "mixed": 7},
    "no object",
    {},
    {"mixed": False, "": "no name", "a\0b": 2**63, "small": -(2**63)},
    [1, 2],
]
KEYS = ["name", "price", "tags", "is_new", "big", "Name", "mixed", "nested", "value", "", "a\0b", "small"]


def lines_of(items: list[Any]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def written(items: list[Any], path: Path) -> Path:
    lines = lines_of(items)
    write_items(lambda: iter([lines] if lines else []), path, replaces=False)
    return path


def sqlite_rows(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = database.execute("SELECT * FROM items ORDER BY rowid")
        return [column[0] for column in found.description], found.fetchall()


def test_lines_stay_as_they_are(tmp_path: Path) -> None:
    assert written(ITEMS, tmp_path / "out.jsonl").read_bytes() == lines_of(ITEMS)


def test_csv_has_a_column_a_key_and_nothing_is_changed(tmp_path: Path) -> None:
    text = written(ITEMS, tmp_path / "out.csv").read_bytes().decode()
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    assert names == KEYS
    first, second, third, fourth, *others = [dict(zip(names, row, strict=True)) for row in rows]
    assert [first[key] for key in ("name", "price", "tags", "is_new")] == ["kettle", "20", '["a","b"]', "true"]
    assert (second["name"], second["price"], second["big"]) == ("=1+1", "19.5", str(HUGE))
    assert (third["name"], third["price"]) == ('line\r\nbreak, "quoted"\0nul', "")
    assert json.loads(third["nested"]) == {"ü": [1, None]}
    assert fourth["value"] == "no object"
    assert set(others[0].values()) == {""}
    assert others[2]["value"] == "[1,2]"


def test_parquet_has_the_types_of_the_values_and_text_where_they_differ(tmp_path: Path) -> None:
    table = pyarrow.parquet.read_table(written(ITEMS, tmp_path / "out.parquet"))
    assert table.column_names == KEYS
    kinds = {name: str(table.schema.field(name).type) for name in KEYS}
    assert (kinds["price"], kinds["is_new"], kinds["small"]) == ("double", "bool", "int64")
    assert {kinds[name] for name in KEYS} == {"double", "bool", "int64", "string"}
    columns = table.to_pydict()
    assert columns["price"][:3] == [20.0, 19.5, None]
    assert columns["name"][2] == ITEMS[2]["name"]
    assert columns["big"][:2] == ["1", str(HUGE)]
    assert columns["mixed"] == [None, "text", "7", None, None, "false", None]
    assert columns["a\0b"][5] == str(2**63)
    assert columns["small"][5] == -(2**63)


def test_sqlite_keeps_each_value_as_it_is_and_tells_columns_apart_that_differ_in_case(tmp_path: Path) -> None:
    names, rows = sqlite_rows(written(ITEMS, tmp_path / "out.sqlite"))
    expected = [*KEYS[:5], "Name_2", *KEYS[6:9], "_", "a\N{REPLACEMENT CHARACTER}b", "small"]
    assert names == expected
    first, second, third, fourth, empty, sixth, last = [dict(zip(KEYS, row, strict=True)) for row in rows]
    assert (first["price"], first["is_new"], first["tags"], first["big"]) == (20, 1, '["a","b"]', 1)
    assert (second["name"], second["Name"], second["big"], second["mixed"]) == ("=1+1", "other", str(HUGE), "text")
    assert third["name"] == ITEMS[2]["name"]
    assert (third["mixed"], sixth["mixed"], sixth["a\0b"], sixth["small"]) == (7, 0, str(2**63), -(2**63))
    assert (fourth["value"], last["value"], set(empty.values())) == ("no object", "[1,2]", {None})


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet", "sqlite", "sqlite3", "db"])
@pytest.mark.parametrize("items", [[], [{}], [{"a": None}]], ids=["none", "empty", "null"])
def test_no_items_or_empty_ones_are_a_file_as_well(tmp_path: Path, ending: str, items: list[Any]) -> None:
    path = written(items, tmp_path / f"out.{ending}")
    if ending == "parquet":
        assert pyarrow.parquet.read_table(path).num_rows == len(items)
    elif ending.startswith(("sqlite", "db")):
        assert len(sqlite_rows(path)[1]) == len(items)


@pytest.mark.parametrize("ending", ["csv", "parquet", "sqlite"])
def test_keys_beyond_the_bound_go_together_into_one_column(tmp_path: Path, ending: str) -> None:
    items = [{f"k{number}": number, "more": 1} for number in range(MAX_COLUMNS + 10)]
    path = written(items, tmp_path / f"out.{ending}")
    if ending == "csv":
        names, *rows = csv.reader(io.StringIO(path.read_text()))
    elif ending == "parquet":
        table = pyarrow.parquet.read_table(path)
        names, rows = table.column_names, [list(row.values()) for row in table.to_pylist()]
    else:
        names, rows = sqlite_rows(path)  # type: ignore[assignment]  # tuples do, too
    assert (len(names), names[-1]) == (MAX_COLUMNS + 1, "more_2")
    assert json.loads(rows[-1][-1]) == {f"k{MAX_COLUMNS + 9}": MAX_COLUMNS + 9}


PIECES = 60


@pytest.mark.parametrize("ending", ["csv", "parquet", "sqlite"])
def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path, ending: str) -> None:
    piece = lines_of([{"url": f"http://site.test/{number}", "text": "x" * 1000} for number in range(1000)])

    def pieces() -> Iterator[bytes]:
        return (piece for _ in range(PIECES))

    tracemalloc.start()
    try:
        write_items(pieces, tmp_path / f"out.{ending}", replaces=False)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 0.75 * PIECES * len(piece)


def test_what_cannot_be_written_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    for ending in ("jsonl", "csv", "parquet", "sqlite"):
        path = tmp_path / f"out.{ending}"
        path.write_bytes(b"good")
        items = [{"text": os.urandom(50_000).hex(), "number": number} for number in range(20)]
        lines = lines_of(items)
        with files_no_longer_than(10_000), pytest.raises((DiskFull, FolderError)):
            write_items(lambda given=lines: iter([given]), path, replaces=True)  # type: ignore[misc]
        assert path.read_bytes() == b"good"
    assert len(list(tmp_path.iterdir())) == 4, "no temporary file is left"


def test_a_file_of_another_ending_is_refused_and_one_that_is_there_stays(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.jsonl, \.csv, \.parquet or \.sqlite"):
        written(ITEMS, tmp_path / "out.xlsx")
    path = written(ITEMS, tmp_path / "out.csv")
    with pytest.raises(BadInput, match="--force"):
        written([], path)


def with_items(folder: Path, items: list[Any], *, behind: bytes = b"") -> Path:
    """A crawl that has these items, and a line behind them that was never committed."""
    (folder / "items.jsonl").write_bytes(lines_of(items))
    state = State(database_of(folder))
    batch = state.batch()
    adopt_items(batch, folder / "items.jsonl")
    state.write(batch)
    state.close()
    with (folder / "items.jsonl").open("ab") as file:
        file.write(behind)
    return folder


def test_the_items_of_a_crawl_are_exported_as_far_as_they_are_committed(tmp_path: Path) -> None:
    folder = with_items(make_crawl(tmp_path / "crawl"), ITEMS, behind=b'{"half": ')
    assert weft.export(folder, "items") == folder / "export.items.jsonl"
    assert (folder / "export.items.jsonl").read_bytes() == lines_of(ITEMS)
    out = io.BytesIO()
    weft.export(folder, "items", out)
    assert out.getvalue() == lines_of(ITEMS)
    told: list[int] = []
    weft.export(folder, "items", tmp_path / "a.csv", progress=lambda amount, total: told.append(amount))
    assert sum(told) == len(ITEMS)
    assert (tmp_path / "a.csv").read_bytes().decode().startswith("name,price,")


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_items_that_somebody_took_away_are_told_and_not_exported_as_none(tmp_path: Path, ending: str) -> None:
    folder = with_items(make_crawl(tmp_path / "crawl"), ITEMS)
    out = tmp_path / f"out.{ending}"
    lines = folder / "items.jsonl"
    lines.write_bytes(lines.read_bytes()[:-10])
    with pytest.raises(FolderError, match="has lost lines"):
        weft.export(folder, "items", out)
    lines.unlink()
    with pytest.raises(FolderError, match=r"items\.jsonl is missing: 7 items"):
        weft.export(folder, "items", out)
    assert not out.exists()


def test_a_crawl_without_items_has_none_to_export(tmp_path: Path) -> None:
    folder = make_crawl(tmp_path / "crawl")
    weft.export(folder, "items")
    assert (folder / "export.items.jsonl").read_bytes() == b""


def test_the_items_of_a_clusters_nodes_are_exported_together(tmp_path: Path) -> None:
    folders = [
        with_items(make_crawl(tmp_path / node, node=node), [{"node": node, "number": number} for number in range(2)])
        for node in ("a", "b")
    ]
    weft.export(folders, "items", tmp_path / "out.sqlite")
    assert sqlite_rows(tmp_path / "out.sqlite")[1] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


def test_lines_are_read_in_whole_lines_however_long_they_are(tmp_path: Path) -> None:
    lines = [b"x" * 3_000_000, b"y", b"z" * 1_500_000]
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join(lines) + b"\nnot committed")
    end = sum(map(len, lines)) + 3
    pieces = list(lines_in([(path, end), (tmp_path / "missing", 0)]))
    assert all(piece.endswith(b"\n") for piece in pieces)
    assert b"".join(pieces).split(b"\n")[:-1] == lines


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="line 2 of the items is no JSON"):
        write_items(lambda: iter([b'{"a": 1}\n', b"{oops\n"]), tmp_path / "out.csv", replaces=False)
