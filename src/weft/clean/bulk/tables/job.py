"""Cleaning from table to table."""

from __future__ import annotations

from contextlib import ExitStack

from weft.clean.bulk.ports import CleanJob
from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.tables.columns import (
    Names,
    Queue,
    aside_table,
    has_index_on_url,
    input_table,
    is_view,
    output_table,
)
from weft.clean.bulk.tables.database import open_database
from weft.clean.bulk.tables.sink import Leaving, TableSink, done_among
from weft.clean.bulk.tables.source import not_among, open_source
from weft.errors import BadInput


def open_table_job(
    source: str, out: str, names: Names | None = None, queue: Queue = Queue.KEEP, sizes: Sizes | None = None
) -> CleanJob:
    """The pages of a table, and the table that they go to; both are database URLs, perhaps the same one."""
    names = names or Names()
    sizes = sizes or Sizes()
    with ExitStack() as opened:
        in_database = open_database(source, must_exist=True)
        opened.callback(in_database.close)
        out_database = open_database(out, must_exist=False)
        opened.callback(out_database.close)
        is_same = in_database.is_same(out_database)
        if is_same and names.in_table in (names.out_table, names.aside):
            raise BadInput(f"the table {names.in_table} cannot be both the queue and where its pages go")
        pages = input_table(in_database, names, queue)
        if queue is not Queue.KEEP and is_view(in_database, pages):
            raise BadInput(f"{names.in_table} is a view: --queue {queue} needs a table")
        if in_database.is_sqlite and is_view(in_database, pages):
            raise BadInput(f"{names.in_table} is a view, which SQLite gives no row ids: weft needs a table")
        if queue is not Queue.KEEP and not in_database.is_sqlite and not has_index_on_url(in_database, pages):
            raise BadInput(f"--queue {queue} needs an index on the column {pages.c.url.name} of {names.in_table}")
        cleaned, aside = output_table(out_database, names), aside_table(out_database, names)
        done_in = [cleaned, aside] if queue is Queue.KEEP else [aside]
        found = open_source(
            in_database,
            pages,
            not_among(pages, done_in) if is_same else [],
            None if is_same else done_among(out_database, done_in),
            sizes,
        )
        opened.callback(found.close)
        leaving = None if queue is Queue.KEEP else Leaving(in_database, pages, queue)
        sink = TableSink(out_database, cleaned, aside, leaving, is_same=is_same, let_go=opened.pop_all().close)
    # SQLite has one lock a file: one thread for both need not wait for it.
    return CleanJob(found, sink, is_parallel=not (is_same and in_database.is_sqlite))
