"""The items that users' functions made, as a file. Its ending says in which form.

.jsonl     an item a line, as in `items.jsonl`
.csv       with a line of names; nothing is changed, so a text that a spreadsheet takes for a formula is one there
.parquet   a table
.sqlite    a database with one table, `items`; also .sqlite3 and .db

Lines are read twice, first for their columns (`item_columns`), so memory is bounded by a few thousand items.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from weft.errors import DiskFull, FolderError
from weft.export.format import Advance, Format, Source
from weft.export.item_columns import INT64, Column, ItemTable, Pieces, Shape, text_of
from weft.export.parquet import in_groups, load_pyarrow
from weft.folder.items_files import items_files
from weft.store.items import check_items_file
from weft.whole_file import appears_whole

READ_BYTES: Final = 1024 * 1024
ROWS_AT_ONCE: Final = 1000
GROUP_ROWS: Final = 50_000
GROUP_CHARS: Final = 16_000_000
TABLE: Final = "items"

Write = Callable[[Pieces, BinaryIO, Path], None]  # the last is a folder for temporary files


def write_items(pieces: Pieces, path: Path, *, replaces: bool) -> None:
    """Write items to a file, which appears when it is whole."""
    check_items_file(path)
    with appears_whole(path, replaces=replaces) as out:
        _WRITERS[path.suffix](pieces, out, path.absolute().parent)


def lines_in(files: list[tuple[Path, int]]) -> Iterator[bytes]:
    """The lines of files up to the bytes that are true, some at once, each with its line feed."""
    for path, end in files:
        if not end:
            continue
        with path.open("rb") as file:
            rest = b""
            while end and (data := file.read(min(READ_BYTES, end))):
                end -= len(data)
                whole, line_feed, rest = (rest + data).rpartition(b"\n")
                if line_feed:
                    yield whole + line_feed


def write_jsonl(pieces: Pieces, out: BinaryIO, scratch: Path) -> None:
    """The lines as they are."""
    for piece in pieces():
        out.write(piece)


def write_csv(pieces: Pieces, out: BinaryIO, scratch: Path) -> None:
    """A line with the names of the columns, then a line an item. What is not there is empty."""
    table = ItemTable(pieces)
    text = io.TextIOWrapper(out, "utf-8", newline="")
    writer = csv.writer(text)
    if table.count:
        writer.writerow(column.name for column in table.columns)
    writer.writerows(["" if value is None else text_of(value) for value in row] for row in table.rows())
    text.detach()


def write_parquet(pieces: Pieces, out: BinaryIO, scratch: Path) -> None:
    """A table, whose columns have the types of their values."""
    arrow, parquet = load_pyarrow()
    table = ItemTable(pieces)
    kinds = {Shape.TRUTH: arrow.bool_(), Shape.WHOLE: arrow.int64(), Shape.NUMBER: arrow.float64()}
    fields = [arrow.field(column.name, kinds.get(column.shape, arrow.string())) for column in table.columns]
    schema = arrow.schema(fields)
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in in_groups(_typed_rows(table), GROUP_ROWS, _chars, GROUP_CHARS):
            columns = zip(fields, zip(*group, strict=True), strict=True)
            arrays = [arrow.array(values, field.type) for field, values in columns]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def write_sqlite(pieces: Pieces, out: BinaryIO, scratch: Path) -> None:
    """A database with one table. It is made in a file without a name, as SQLite writes to none that is open."""
    table = ItemTable(pieces)
    name_for_sqlite(table.columns)
    fd, name = tempfile.mkstemp(dir=scratch, prefix=".items-")
    with open(fd, "rb") as made:
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as database:
                for pragma in ("journal_mode = OFF", "synchronous = OFF", "temp_store = MEMORY"):
                    database.execute(f"PRAGMA {pragma}")
                database.execute("BEGIN")
                database.execute(f"CREATE TABLE {TABLE} ({', '.join(map(_declared, table.columns))})")
                os.unlink(name)
                _fill(database, table)
                database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise DiskFull("cannot write the items: the disk is full") from error
            raise FolderError(f"cannot write the items: {error}") from error
        finally:
            Path(name).unlink(missing_ok=True)
        shutil.copyfileobj(made, out, READ_BYTES)


def _fill(database: sqlite3.Connection, table: ItemTable) -> None:
    insert = f"INSERT INTO {TABLE} VALUES ({', '.join('?' * len(table.columns))})"
    rows = table.rows()
    while some := list(islice(rows, ROWS_AT_ONCE)):
        database.executemany(insert, ([_kept(value) for value in row] for row in some))


def name_for_sqlite(columns: list[Column]) -> None:
    """Names that SQLite tells apart: to it `Name` and `name` are one; and none has a NUL in it."""
    taken: set[str] = set()
    for column in columns:
        wanted = column.name.replace("\0", "\N{REPLACEMENT CHARACTER}") or "_"
        name, number = wanted, 1
        while _folded(name) in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(_folded(name))
        column.name = name


def _folded(name: str) -> str:
    """As SQLite compares: letters of ASCII only."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def _declared(column: Column) -> str:
    """A column of mixed values is declared without a type, and keeps each value as it is."""
    kinds = {Shape.TRUTH: "INTEGER", Shape.WHOLE: "INTEGER", Shape.NUMBER: "REAL", Shape.TEXT: "TEXT"}
    quoted = column.name.replace('"', '""')
    return f'"{quoted}"' + ("" if column.is_mixed else f" {kinds[column.shape]}")


def _kept(value: object) -> object:
    """As SQLite keeps it."""
    if value is None or isinstance(value, str | float) or (isinstance(value, int) and value in INT64):
        return value
    return text_of(value)


def _typed_rows(table: ItemTable) -> Iterator[list[Any]]:
    """Each value as its column has it."""
    are_texts = [column.shape is Shape.TEXT for column in table.columns]
    for row in table.rows():
        values = zip(are_texts, row, strict=True)
        yield [text_of(value) if is_text and value is not None else value for is_text, value in values]


def _chars(row: list[Any]) -> int:
    """About how much memory a row takes."""
    return sum(len(value) if isinstance(value, str) else 8 for value in row)


_WRITERS: Final[dict[str, Write]] = {
    ".jsonl": write_jsonl,
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".sqlite": write_sqlite,
    ".sqlite3": write_sqlite,
    ".db": write_sqlite,
}


def _write(source: Source, out: BinaryIO, advance: Advance) -> None:
    """The lines of the crawl's `items.jsonl`."""
    for piece in lines_in(items_files(source.reader)):
        out.write(piece)
        advance(piece.count(b"\n"))


def _write_named(source: Source, path: Path, advance: Advance, force: bool) -> None:
    """A file, in the form that its ending says."""
    files = items_files(source.reader)
    write_items(lambda: lines_in(files), path, replaces=force)
    advance(source.reader.items)


ITEMS = Format("items", "items.jsonl", _write, is_stream=True, write_named=_write_named)
