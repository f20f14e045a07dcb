"""Pages from a table.

A page is to be done unless it was set aside, and unless, as `Queue` says, it is marked or among the cleaned ones. Where
that can be asked of the same database, it is part of the query; else `is_done` is asked for what was read.

SQLite is read in the order of its row ids, some hundred rows a query, so no lock is held meanwhile. PostgreSQL is asked
once: the rows come as they are taken, from one snapshot, in the order in which they lie on the disk. So it needs no
index, and gives each row once, whatever happens to the table meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, LargeBinary, Select, Table, case, cast, column, exists, func, select
from sqlalchemy.types import String

from weft.clean.bulk.ports import RawPage
from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.tables.columns import ROWID, is_binary
from weft.clean.bulk.tables.database import Database
from weft.errors import BadInput

READ_BYTES = 8_000_000  # at once; a row more than that is the end of a read
TEXT_TYPE = "text/html; charset=utf-8"  # of a column that holds text: the database has decoded it

IsDone = Callable[[Sequence[str]], set[str]]


class TableSource(Protocol):
    """A source that has to be closed."""

    def remaining(self) -> int:
        """How many pages there are to do, as far as one database can tell."""

    def read(self, rows: int) -> Sequence[RawPage]:
        """The next pages."""

    def load(self, page: RawPage) -> RawPage:
        """A large page with its content."""

    def close(self) -> None:
        """Nothing more is read."""


def not_among(queue: Table, others: Sequence[Table]) -> list[ColumnElement[bool]]:
    """Conditions: the URL is in none of these tables of the same database."""
    return [~exists().where(other.c.url == queue.c.url) for other in others]


def open_source(
    database: Database, queue: Table, conditions: Sequence[ColumnElement[bool]], is_done: IsDone | None, sizes: Sizes
) -> TableSource:
    """The pages of a queue that meet the conditions, without those that are done."""
    conditions = [queue.c.url.is_not(None), *conditions]
    if "mark" in queue.c:
        conditions.append(queue.c.mark.is_(None))
    source = SqliteSource if database.is_sqlite else PostgresSource
    return source(database, queue, conditions, is_done, sizes)


class _Reader:
    """What both have in common."""

    def __init__(
        self,
        database: Database,
        queue: Table,
        conditions: Sequence[ColumnElement[bool]],
        is_done: IsDone | None,
        sizes: Sizes,
    ) -> None:
        self._database = database
        self._queue = queue
        self._conditions = conditions
        self._is_done = is_done
        self._sizes = sizes

    def remaining(self) -> int:
        query = select(func.count()).select_from(self._queue).where(*self._conditions)
        with self._database.told_in_words("read"), self._database.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def read(self, rows: int) -> Sequence[RawPage]:
        pages = self._next(rows)
        while pages and self._is_done is not None:
            done = self._is_done([page.url for page in pages])
            if left := [page for page in pages if page.url not in done]:
                return left
            pages = self._next(rows)
        return pages

    def close(self) -> None:
        """Nothing is open between two reads."""

    def _next(self, rows: int) -> list[RawPage]:
        raise NotImplementedError

    def _taken(self, pages: Iterator[RawPage], rows: int) -> list[RawPage]:
        """So many pages, fewer when they are large."""
        taken: list[RawPage] = []
        read_bytes = 0
        for page in pages:
            taken.append(page)
            read_bytes += len(page.content)
            if len(taken) == rows or read_bytes >= READ_BYTES:
                break
        return taken

    def _type(self) -> ColumnElement[Any]:
        return self._queue.c.type if "type" in self._queue.c else column("''", is_literal=True)


class SqliteSource(_Reader):
    """Pages of an SQLite table, by their row ids."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._after = -(2**63)

    def load(self, page: RawPage) -> RawPage:
        rowid, content = ROWID, cast(self._queue.c.content, LargeBinary)
        query = select(content, func.typeof(self._queue.c.content)).where(rowid == page.place)
        with self._database.told_in_words("read"), self._database.engine.connect() as connection:
            row = connection.execute(query).first()
        data, kind = row if row is not None else (b"", "")
        return _page(page.url, data, kind == "text", page.content_type, page.place)

    def _next(self, rows: int) -> list[RawPage]:
        with self._database.told_in_words("read"), self._database.engine.connect() as connection:
            pages = self._taken(self._rows(connection, rows), rows)
        if pages:
            self._after = pages[-1].place
        return pages

    def _rows(self, connection: Connection, rows: int) -> Iterator[RawPage]:
        """One after the other: SQLite finds a row when it is asked for it."""
        rowid, content = ROWID, cast(self._queue.c.content, LargeBinary)
        size = func.length(content)
        fitting = case((size <= self._sizes.large_bytes, content))
        query = (
            select(rowid, self._queue.c.url, fitting, size, func.typeof(self._queue.c.content), self._type())
            .select_from(self._queue)
            .where(rowid > self._after, *self._conditions)
            .order_by(rowid)
            .limit(rows)
        )
        for place, url, data, size_bytes, kind, media_type in connection.execution_options(yield_per=1).execute(query):
            yield _page(url, data, kind == "text", media_type or "", place, size_bytes or 0)


class PostgresSource(_Reader):
    """Pages of a PostgreSQL table, by one query whose rows are received as they are wanted."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if not isinstance(self._queue.c.url.type, String):
            raise BadInput(f"the column {self._queue.c.url.name} of {self._queue.name} holds no text")
        self._is_text = not is_binary(self._queue.c.content)
        self._connection: Connection | None = None
        self._pages: Iterator[RawPage] = iter(())

    def load(self, page: RawPage) -> RawPage:
        query = select(self._content()).where(self._queue.c.url == page.url)
        if "place" in self._queue.c:
            query = query.order_by((self._queue.c.place == page.place).desc())  # of several rows the one that was read
        with self._database.told_in_words("read"), self._database.engine.connect() as connection:
            data = connection.execute(query.limit(1)).scalar()
        data = data.encode() if isinstance(data, str) else data
        return _page(page.url, data, self._is_text, page.content_type, page.place)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()  # it may be in the middle of its answer
            self._connection.close()

    def _next(self, rows: int) -> list[RawPage]:
        with self._database.driver_told_in_words("read"):
            if self._connection is None:
                with self._database.told_in_words("read"):
                    self._connection = self._database.engine.connect()
                self._pages = self._rows(self._connection)
            return self._taken(self._pages, rows)

    def _content(self) -> ColumnElement[Any]:
        content = self._queue.c.content
        return content if isinstance(content.type, String | LargeBinary) else cast(content, String)

    def _query(self) -> Select[Any]:
        content = self._content()
        size = func.octet_length(content)  # known without unpacking
        fitting = case((size <= self._sizes.large_bytes, content))
        # A view has no places.
        place = self._queue.c.place if "place" in self._queue.c else column("''::bytea", is_literal=True)
        columns = (place, self._queue.c.url, fitting, size, self._type())
        return select(*columns).select_from(self._queue).where(*self._conditions)

    def _rows(self, connection: Connection) -> Iterator[RawPage]:
        from psycopg.types.string import ByteaBinaryLoader

        compiled = self._query().compile(self._database.engine)
        driver: Any = connection.connection.driver_connection
        driver.autocommit = True
        cursor = driver.cursor()
        for kind in ("text", "varchar", "bpchar"):
            cursor.adapters.register_loader(kind, ByteaBinaryLoader)  # pages are bytes to us: they need no decoding
        parameters = compiled.construct_params()
        for tid, url, data, size_bytes, media_type in cursor.stream(str(compiled), parameters, binary=True):
            place = int.from_bytes(tid)
            yield _page(url.decode(), data, self._is_text, (media_type or b"").decode(), place, size_bytes or 0)


def _page(url: str, data: bytes | None, is_text: bool, media_type: str, place: int, size_bytes: int = 0) -> RawPage:
    left_out_bytes = size_bytes if data is None else 0
    return RawPage(url, data or b"", _typed(media_type) if is_text else media_type, place, left_out_bytes)


def _typed(media_type: str) -> str:
    """The type of what the database has decoded: whatever charset was told of it before is past."""
    essence = media_type.partition(";")[0].strip()
    return f"{essence}; charset=utf-8" if essence else TEXT_TYPE
