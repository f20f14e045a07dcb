"""Which tables and columns: what is there is looked at before the work begins, what is missing is created.

| table | columns | is |
|---|---|---|
| `pages` | url, content, perhaps a type | the queue; only read, marked, or taken from, as `Queue` says |
| `cleaned` | url, content, title, language, charset | what is cleaned |
| `cleaned_aside` | url, reason | what could not be cleaned; it stays in the queue |
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import Column, ColumnElement, LargeBinary, MetaData, Table, Text, column, inspect
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import DateTime, TypeEngine, UserDefinedType

from weft.clean.bulk.tables.database import Database
from weft.errors import BadInput

MARK = "cleaned_at"
ROWID: ColumnElement[int] = column("_rowid_")  # SQLite's
IN_COLUMNS = ("url", "content", "type")
OUT_COLUMNS = ("url", "content", "title", "language", "charset")
OPTIONAL = ("type", "title", "language", "charset")


class Tid(UserDefinedType[int]):
    """Where a version of a row lies in a PostgreSQL table: as a number, the block and 16 bits for the item in it."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Its name in SQL."""
        return "tid"

    def bind_processor(self, dialect: object) -> Callable[[Any], str]:
        """As PostgreSQL writes it."""
        return lambda place: f"({place >> 16},{place & 0xFFFF})"


class Queue(StrEnum):
    """What happens to a page's row when the page is cleaned."""

    KEEP = "keep"  # nothing: a page is done if its URL is among the cleaned ones
    MARK = "mark"  # its column `cleaned_at` gets the time
    TAKE = "take"  # it goes


class Names(msgspec.Struct, frozen=True):
    """What the user calls things; a table may have its schema before a dot."""

    in_table: str = "pages"
    out_table: str = "cleaned"
    aside_table: str = ""  # that of the output with _aside behind it
    in_columns: Mapping[str, str] = {}
    out_columns: Mapping[str, str] = {}

    @property
    def aside(self) -> str:
        """The table of those that are set aside."""
        return self.aside_table or f"{self.out_table}_aside"


def column_names(words: str, known: tuple[str, ...]) -> dict[str, str]:
    """`url=address,content=html` as a dictionary."""
    names: dict[str, str] = {}
    for word in filter(None, words.split(",")):
        name, equals, column = word.partition("=")
        if not equals or not column:
            raise BadInput(f"{word!r} is no column's name, such as {known[0]}=address")
        if name not in known:
            raise BadInput(f"there is no column {name!r} to name: there are {', '.join(known)}")
        names[name] = column
    return names


def input_table(database: Database, names: Names, queue: Queue) -> Table:
    """The queue. Its columns are known by `key`: url, content, perhaps type, mark, place (in PostgreSQL)."""
    found = _found_columns(database, names.in_table)
    if found is None:
        raise BadInput(f"there is no table {names.in_table} in {database}{_nearest_table(database, names.in_table)}")
    columns = _chosen(names.in_table, found, names.in_columns, IN_COLUMNS)
    if queue is Queue.MARK:
        if MARK not in found:
            _add_mark(database, names.in_table)
        columns.append(Column(MARK, DateTime, key="mark"))
    if queue is not Queue.KEEP and not database.is_sqlite:
        columns.append(Column("ctid", Tid, key="place"))
    return _table(names.in_table, columns)


def output_table(database: Database, names: Names) -> Table:
    """The table of cleaned pages, created if it is missing. Title and the like are written where it has columns."""
    columns = _found_columns(database, names.out_table)
    if columns is None:
        chosen = [(name, names.out_columns.get(name, name)) for name in OUT_COLUMNS]
        _create(database, names.out_table, [Column(word, Text, key=name) for name, word in chosen])
        columns = _found_columns(database, names.out_table) or {}
    table = _table(names.out_table, _chosen(names.out_table, columns, names.out_columns, OUT_COLUMNS))
    if not _is_unique(database, table):
        raise BadInput(f"{names.out_table} in {database} needs a primary key or a unique index on {table.c.url.name}")
    return table


def aside_table(database: Database, names: Names) -> Table:
    """The table of those set aside, created if it is missing."""
    if (columns := _found_columns(database, names.aside)) is None:
        _create(database, names.aside, [Column("url", Text), Column("reason", Text)])
        columns = _found_columns(database, names.aside) or {}
    table = _table(names.aside, _chosen(names.aside, columns, {}, ("url", "reason")))
    if not _is_unique(database, table):
        raise BadInput(f"{names.aside} in {database} needs a primary key or a unique index on url")
    return table


def has_index_on_url(database: Database, table: Table) -> bool:
    """Whether a row is found by its URL without reading all of them."""
    with database.told_in_words("look into"):
        found = inspect(database.engine)
        indexes = found.get_indexes(table.name, table.schema) + found.get_unique_constraints(table.name, table.schema)
        keys = [index["column_names"] for index in indexes]
        keys.append(found.get_pk_constraint(table.name, table.schema)["constrained_columns"])
    return any(key and key[0] == table.c.url.name for key in keys)


def is_view(database: Database, table: Table) -> bool:
    """Whether it is a view: it has no rows of its own."""
    with database.told_in_words("look into"):
        return table.name in inspect(database.engine).get_view_names(table.schema)


def is_binary(column: Column[Any]) -> bool:
    """Whether it holds bytes."""
    return isinstance(column.type, LargeBinary)


def _table(word: str, columns: list[Column[Any]]) -> Table:
    schema, _, name = word.rpartition(".")
    return Table(name, MetaData(), *columns, schema=schema or None)


def _found_columns(database: Database, word: str) -> dict[str, TypeEngine[Any]] | None:
    schema, _, name = word.rpartition(".")
    with database.told_in_words("look into"):
        found = inspect(database.engine)
        if not (found.has_table(name, schema or None) or name in found.get_view_names(schema or None)):
            return None
        return {column["name"]: column["type"] for column in found.get_columns(name, schema or None)}


def _chosen(
    table: str, found: Mapping[str, TypeEngine[Any]], given: Mapping[str, str], known: tuple[str, ...]
) -> list[Column[Any]]:
    """The columns that are used, by their names here."""
    chosen: list[Column[Any]] = []
    for key in known:
        name = given.get(key, key)
        if name in found:
            chosen.append(Column(name, found[name], key=key))
        elif key in given or key not in OPTIONAL:
            nearest = difflib.get_close_matches(name, found, n=1)
            hint = f"did you mean {nearest[0]}?" if nearest else f"it has {', '.join(found)}"
            raise BadInput(f"the table {table} has no column {name}; {hint}")
    return chosen


def _is_unique(database: Database, table: Table) -> bool:
    with database.told_in_words("look into"):
        found = inspect(database.engine)
        indexes = [index for index in found.get_indexes(table.name, table.schema) if index["unique"]]
        keys: list[Sequence[str | None]] = [index["column_names"] for index in indexes]
        keys += [one["column_names"] for one in found.get_unique_constraints(table.name, table.schema)]
        keys.append(found.get_pk_constraint(table.name, table.schema)["constrained_columns"])
    return [table.c.url.name] in keys


def _create(database: Database, word: str, columns: list[Column[Any]]) -> None:
    columns[0].primary_key = True
    for other in columns[1:]:
        other.nullable = False
    with database.told_in_words("create a table in"), database.engine.begin() as connection:
        connection.execute(CreateTable(_table(word, columns), if_not_exists=True))


def _add_mark(database: Database, word: str) -> None:
    quote = database.engine.dialect.identifier_preparer.quote
    table = ".".join(map(quote, word.split(".")))
    kind = "TEXT" if database.is_sqlite else "timestamptz"
    with database.told_in_words(f"add the column {MARK} to {word} in"), database.engine.begin() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {MARK} {kind}")


def _nearest_table(database: Database, word: str) -> str:
    schema, _, name = word.rpartition(".")
    with database.told_in_words("look into"):
        found = inspect(database.engine)
        tables = [*found.get_table_names(schema or None), *found.get_view_names(schema or None)]
    nearest = difflib.get_close_matches(name, tables, n=1)
    if nearest:
        return f"; did you mean {nearest[0]}?"
    return f"; there is {', '.join(sorted(tables)[:5])}: --in-table chooses one" if tables else "; it is empty"
