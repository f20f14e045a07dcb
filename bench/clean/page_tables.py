"""The paper's two tables, pages to clean and cleaned pages, and what the designs do with them.

Each method is one or two operations in the paper's sense: a connection is asked for, used, and given back. Whether that
opens a new one (design A) or takes one from a pool (B, C) is the engine's affair. Spring's `DriverManagerDataSource` is
SQLAlchemy's `NullPool`; `BasicDataSource` is its `QueuePool`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Column, Connection, Engine, MetaData, Table, Text, create_engine, delete, insert, select
from sqlalchemy.pool import NullPool, QueuePool

from bench.clean.pages import Page
from bench.clean.stopwatch import Stopwatch

BUSY_TIMEOUT_S = 120  # SQLite has one writer at a time: the others try until then

# Called as `weft clean` calls them if it is told nothing else.
METADATA = MetaData()
TO_CLEAN = Table("pages", METADATA, Column("url", Text, primary_key=True), Column("content", Text))
CLEANED = Table("cleaned", METADATA, Column("url", Text, primary_key=True), Column("content", Text))


def engine_for(url: str, *, pooled: bool = True, autocommit: bool = False) -> Engine:
    """An engine whose connections are kept, or opened for each operation.

    By default JDBC commits each statement on its own, and so do the designs that go page by page.
    """
    connect_args = {"timeout": BUSY_TIMEOUT_S} if url.startswith("sqlite") else {}
    poolclass = QueuePool if pooled else NullPool
    if autocommit:
        return create_engine(url, poolclass=poolclass, connect_args=connect_args, isolation_level="AUTOCOMMIT")
    return create_engine(url, poolclass=poolclass, connect_args=connect_args)


class PageTables:
    """The two tables, as one thread sees them."""

    def __init__(self, engine: Engine, watch: Stopwatch) -> None:
        self._engine = engine
        self._watch = watch

    def pop(self) -> Page | None:
        """Take one page out of the queue: select the first, and delete it."""
        with self._operation() as connection:
            row = connection.execute(select(TO_CLEAN).order_by(TO_CLEAN.c.url).limit(1)).first()
        if row is None:
            return None
        with self._operation() as connection:
            connection.execute(delete(TO_CLEAN).where(TO_CLEAN.c.url == row.url))
        return Page(row.url, row.content)

    def pop_many(self, rows: int) -> list[Page]:
        """Take the next pages out of the queue at once."""
        with self._operation() as connection:
            found = connection.execute(select(TO_CLEAN).order_by(TO_CLEAN.c.url).limit(rows)).all()
            if found:
                connection.execute(delete(TO_CLEAN).where(TO_CLEAN.c.url <= found[-1].url))
            connection.commit()
        return [Page(row.url, row.content) for row in found]

    def push(self, page: Page) -> None:
        """Keep one cleaned page."""
        with self._operation() as connection:
            connection.execute(insert(CLEANED), {"url": page.url, "content": page.content})

    def push_many(self, pages: Sequence[Page]) -> None:
        """Keep cleaned pages in one batch."""
        with self._operation() as connection:
            connection.execute(insert(CLEANED), [{"url": page.url, "content": page.content} for page in pages])
            connection.commit()

    @contextmanager
    def _operation(self) -> Iterator[Connection]:
        """A connection for one operation. This is where the paper's Advice stood."""
        watch = self._watch
        began = time.perf_counter()
        with self._engine.connect() as connection:
            opened = time.perf_counter()
            yield connection
            done = time.perf_counter()
        closed = time.perf_counter()
        watch.opening_s += (opened - began) + (closed - done)
        watch.statements_s += done - opened
        watch.operations += 1
