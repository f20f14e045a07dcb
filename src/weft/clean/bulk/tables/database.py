"""SQLite and PostgreSQL: opened by a URL, and what goes wrong told in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from weft.errors import BadInput, DiskFull, WeftError
from weft.missing_library import how_to_install

SQLITE, POSTGRESQL = "sqlite", "postgresql"
LOCK_TIMEOUT_S = 60
CONNECT_TIMEOUT_S = 10
POOL_SIZE = 3  # the reader, the writer, and what is asked beside them
_SQLITE_FULL = "database or disk is full"
_SQLSTATE_FULL = "53100"
_SQLSTATES_OF_USER = ("28", "3D", "3F", "42", "0A")  # who may do what, and what there is


class Database:
    """A database, and its pool of connections."""

    def __init__(self, engine: Engine, path: Path | None) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == SQLITE
        self._path = path

    def __str__(self) -> str:
        return str(self._path) if self._path is not None else self.engine.url.render_as_string(hide_password=True)

    def is_same(self, other: Database) -> bool:
        """Whether one transaction can span both."""
        if self._path is not None and other._path is not None:
            return self._path.exists() and other._path.exists() and os.path.samefile(self._path, other._path)
        return self.engine.url == other.engine.url

    @contextmanager
    def told_in_words(self, doing: str) -> Iterator[None]:
        """In this block: what the database refuses is told in one sentence."""
        try:
            yield
        except DBAPIError as error:
            raise self._told(doing, error) from error
        except SQLAlchemyError as error:
            raise WeftError(f"cannot {doing} {self}: {_first_line(error)}") from error

    @contextmanager
    def driver_told_in_words(self, doing: str) -> Iterator[None]:
        """The same where the driver is called without SQLAlchemy."""
        try:
            yield
        except self.engine.dialect.loaded_dbapi.Error as error:
            raise self._told(doing, error) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _told(self, doing: str, error: Any) -> WeftError:
        original = error.orig if isinstance(error, DBAPIError) else error
        sentence = f"cannot {doing} {self}: {_first_line(original)}"
        state = getattr(original, "sqlstate", None) or ""
        if state == _SQLSTATE_FULL or _SQLITE_FULL in str(original):
            return DiskFull(sentence)
        if state.startswith(_SQLSTATES_OF_USER) or (self.is_sqlite and "locked" not in str(original)):
            return BadInput(sentence)
        return WeftError(sentence)


def open_database(word: str, *, must_exist: bool) -> Database:
    """The database of a URL, or of an SQLite file; one that cannot be used is told so now and not later."""
    url = _url_of(word)
    if url.get_backend_name() == SQLITE:
        return _open_sqlite(url, must_exist=must_exist)
    return _open_postgresql(url)


def _url_of(word: str) -> URL:
    try:
        url = make_url(word if "://" in word else f"sqlite:///{word}")
        name = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise BadInput(f"{word!r} is no database URL, such as sqlite:///pages.db") from error
    if name == "postgres":
        return url.set(drivername="postgresql+psycopg")
    if name not in (SQLITE, POSTGRESQL):
        raise BadInput(f"{name} is no database that weft knows: it is sqlite:///FILE or postgresql://…")
    return url.set(drivername={SQLITE: SQLITE, POSTGRESQL: "postgresql+psycopg"}[name])


def _open_sqlite(url: URL, *, must_exist: bool) -> Database:
    if not url.database or url.database == ":memory:":
        raise BadInput("an SQLite database must be a file: sqlite:///pages.db")
    path = Path(url.database)
    if must_exist and not path.is_file():
        raise BadInput(f"there is no file {path}")
    if not path.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {path.absolute().parent}")
    engine = create_engine(url, connect_args={"timeout": LOCK_TIMEOUT_S, "check_same_thread": False})

    # The journal stays as it is: measured, pages of 40 KB are written in half the time that a write-ahead log takes.
    @event.listens_for(engine, "connect")
    def _make_safe(connection: Any, _: object) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.text_factory = _text

    database = Database(engine, path)
    with database.told_in_words("open"), engine.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
    return database


def _open_postgresql(url: URL) -> Database:
    if find_spec("psycopg") is None:
        raise BadInput(f"PostgreSQL is reached by psycopg, which is not there: {how_to_install('psycopg[binary]')}")
    options = {"application_name": "weft clean", "connect_timeout": str(CONNECT_TIMEOUT_S)}
    engine = create_engine(
        url.update_query_dict({name: value for name, value in options.items() if name not in url.query}),
        pool_size=POOL_SIZE,
        max_overflow=0,
        client_encoding="utf8",
    )

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: object) -> None:
        # The rows of one query come as the workers take them: that is no reason to end it.
        connection.execute("SET statement_timeout = 0")
        # Measured: a page is stored in a quarter of the time that the default takes.
        known = "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        if (connection.execute(known).fetchone() or [False])[0]:
            connection.execute("SET default_toast_compression = 'lz4'")
        connection.commit()

    database = Database(engine, None)
    try:
        with engine.connect():
            pass
    except DBAPIError as error:
        raise BadInput(f"cannot reach {database}: {_first_line(error.orig)}") from error
    return database


def _text(data: bytes) -> str:
    """SQLite lets anything be text, also what is no UTF-8."""
    return data.decode("utf-8", "replace")


def _first_line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
