"""Databases for tests: SQLite files and PostgreSQL databases that are used in the same way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine

from tests.postgres import Postgres

_numbers = itertools.count()
DATABASES = ("sqlite", "postgres")

# For long tests of what happens in the workers, whichever database the pages come from.
MOSTLY_SQLITE = pytest.mark.parametrize(
    "make_place", ["sqlite", pytest.param("postgres", marks=pytest.mark.large)], indirect=True
)


class Place:
    """A database of a test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine: Engine | None = None

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """For who asks it again and again: a new connection each time costs more than a query."""
        self._engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
        try:
            yield
        finally:
            self._engine.dispose()
            self._engine = None

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A transaction."""
        with nullcontext() if self._engine else self.kept_open():
            assert self._engine is not None
            with self._engine.begin() as connection:
                yield connection

    def run(self, *statements: str) -> None:
        """Statements, for what they do."""
        with self.connected() as connection:
            for statement in statements:
                connection.exec_driver_sql(self._plain(statement))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives."""
        with self.connected() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(self._plain(query))]

    def _plain(self, statement: str) -> str:
        """As the driver wants it: to psycopg a % is something else."""
        return statement if self.url.startswith("sqlite") else statement.replace("%", "%%")

    def fill(self, pages: Iterable[tuple[str, str]], table: str = "pages") -> None:
        """A queue with these pages."""
        self.run(f"CREATE TABLE {table} (url text PRIMARY KEY, content text)")
        self.insert(pages, table)

    def insert(self, pages: Iterable[tuple[str, str | bytes]], table: str = "pages") -> None:
        """More pages."""
        mark = "?" if self.url.startswith("sqlite") else "%s"
        rows = list(pages)
        with self.connected() as connection:
            if rows:
                connection.exec_driver_sql(f"INSERT INTO {table} VALUES ({mark}, {mark})", rows)

    def cleaned(self) -> dict[str, str]:
        """What the output holds; a URL that is there twice fails."""
        rows = self.rows("SELECT url, content FROM cleaned")
        assert len({url for url, _ in rows}) == len(rows)
        return dict(rows)

    def aside(self) -> dict[str, str]:
        """What was set aside, with the reasons."""
        return dict(self.rows("SELECT url, reason FROM cleaned_aside"))

    def queued(self) -> set[str]:
        """The URLs that are in the queue."""
        return {url for (url,) in self.rows("SELECT url FROM pages")}


MakePlace = Callable[[], Place]


def sqlite_place(folder: Path) -> Place:
    """An SQLite file that does not exist yet."""
    return Place(f"sqlite:///{folder / f'{next(_numbers)}.db'}")


def postgres_place(server: Postgres) -> Place:
    """A new database of the server."""
    name = f"test_{next(_numbers)}"
    engine = create_engine(server.url().replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return Place(server.url(database=name))


def small_page(number: int, padding_chars: int = 0) -> str:
    """A page with a word that no other has, and some things to delete."""
    return (
        f"<!DOCTYPE html><title>title {number}</title><script>var x = {number};</script>"
        f"<p>word{number}{' padding' * (padding_chars // 8)}<input name=q><br>"
    )


def small_pages(count: int, padding_chars: int = 0) -> list[tuple[str, str]]:
    return [(f"http://site.test/{number}", small_page(number, padding_chars)) for number in range(count)]


def count_cleaned(out: Place) -> int:
    """How far it is; 0 as long as there is no table."""
    exists = "SELECT name FROM sqlite_master WHERE name = 'cleaned'"
    if not out.url.startswith("sqlite"):
        exists = "SELECT tablename FROM pg_tables WHERE tablename = 'cleaned'"
    if not out.rows(exists):
        return 0
    ((count,),) = out.rows("SELECT count(*) FROM cleaned")
    assert isinstance(count, int)
    return count


def assert_all_cleaned(out: Place, pages: Iterable[tuple[str, str]]) -> None:
    """Each page is there once, and is what became of it."""
    cleaned = out.cleaned()
    assert cleaned.keys() == {url for url, _ in pages}
    for url, content in cleaned.items():
        assert f"word{url.rpartition('/')[2]}" in content
        assert "script" not in content
        assert "input" not in content
