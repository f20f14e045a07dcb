# mypy: disable-error-code="import-untyped"
"""The databases of the experiment: SQLite and a PostgreSQL of our own, both as they come, with nothing switched off."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import psutil
from sqlalchemy import create_engine, func, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool

from bench.clean.page_tables import CLEANED, METADATA, TO_CLEAN, engine_for
from bench.clean.pages import Page
from tests.postgres import SAFE, postgres

FILL_ROWS = 500


class Database(Protocol):
    """A place for the two tables."""

    name: str

    def emptied(self) -> str:
        """Begin again; the URL of a database without tables."""

    def server_cpu_s(self) -> float:
        """What a server of its own has used so far."""


class SqliteFile:
    """A file, with SQLite's defaults: a rollback journal, and the disk is waited for at each commit."""

    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "sqlite"

    def emptied(self) -> str:
        """A new file."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        return f"sqlite:///{self._folder / 'pages.db'}"

    def server_cpu_s(self) -> float:
        """It has none."""
        return 0.0


class PostgresDatabase:
    """A database of a running server, which waits for the disk at each commit."""

    name = "PostgreSQL"

    def __init__(self, server_url: str, server_pid: int, database: str = "weft_bench") -> None:
        self._server_url = make_url(server_url).set(drivername="postgresql+psycopg")
        self._server_pid = server_pid
        self._database = database

    def emptied(self) -> str:
        """A new database; the server's pages of the last one are written out, so that no run pays for another."""
        engine = create_engine(self._server_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE IF EXISTS {self._database} WITH (FORCE)"))
            connection.execute(text(f"CREATE DATABASE {self._database}"))
            connection.execute(text("CHECKPOINT"))
        return self._server_url.set(database=self._database).render_as_string(hide_password=False)

    def server_cpu_s(self) -> float:
        """Of the server's processes, also of those that have ended: one for each connection."""
        first = psutil.Process(self._server_pid)
        own = first.cpu_times()
        others = [times for child in first.children() if (times := _cpu_times(child))]
        alive = sum(times.user + times.system for times in (own, *others))
        return float(alive + own.children_user + own.children_system)


def _cpu_times(process: psutil.Process) -> Any:
    try:
        return process.cpu_times()
    except psutil.NoSuchProcess:  # just ended
        return None


def fill(database_url: str, pages: Iterable[Page]) -> None:
    """Make both tables, and put the pages into the queue."""
    engine = engine_for(database_url)
    METADATA.create_all(engine)
    rest = iter(pages)
    with engine.begin() as connection:
        while batch := list(islice(rest, FILL_ROWS)):
            connection.execute(insert(TO_CLEAN), [{"url": page.url, "content": page.content} for page in batch])
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))  # what the server does by itself a little later
            connection.execute(text("CHECKPOINT"))
    engine.dispose()


def count_cleaned(database_url: str) -> int:
    """How many pages there are in the table of cleaned pages."""
    engine = engine_for(database_url)
    with engine.connect() as connection:
        count = connection.execute(select(func.count()).select_from(CLEANED)).scalar_one()
    engine.dispose()
    return count


DATABASE_NAMES = (SqliteFile.name, PostgresDatabase.name)


@contextmanager
def open_databases(names: Sequence[str], scratch: Path) -> Iterator[list[Database]]:
    """Those that are named; a PostgreSQL runs as long as the context lasts."""
    with postgres(*SAFE) as server:
        there: list[Database] = [SqliteFile(scratch), PostgresDatabase(server.url(), server.pid)]
        yield [database for database in there if database.name in names]
