"""Paper 4's designs: whatever the engine, each page is cleaned once; and what their threads say they did."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import event

from bench.clean.buffers import Buffer
from bench.clean.databases import SqliteFile, count_cleaned, fill
from bench.clean.designs import DESIGNS, Design, run_design
from bench.clean.page_tables import PageTables, engine_for
from bench.clean.pages import Page
from bench.clean.stopwatch import Stopwatch

PAGES = 7
SMALL_BATCHES = Design("batches", is_pooled=True, deleters=1, rows_read=4, rows_a_block=3, blocks_buffered=1)
WITHIN_S = 60.0


def pages(count: int = PAGES) -> list[Page]:
    return [Page(f"http://pages.example/{number}", f"<p>{number}") for number in range(count)]


def in_capitals(content: str, url: str) -> str:
    return content.upper()


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    url = SqliteFile(tmp_path).emptied()
    fill(url, pages())
    return url


@pytest.mark.parametrize("design", [*DESIGNS, SMALL_BATCHES], ids=lambda design: design.name)
def test_every_design_cleans_every_page_once(design: Design, database_url: str) -> None:
    run_design(design, database_url, in_capitals)
    engine = engine_for(database_url)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT url, content FROM cleaned ORDER BY url").all()
        left = connection.exec_driver_sql("SELECT count(*) FROM pages").scalar_one()
    engine.dispose()
    assert [tuple(row) for row in rows] == [(page.url, page.content.upper()) for page in pages()]
    assert left == 0


def test_going_page_by_page_takes_two_operations_to_read_and_one_to_write(database_url: str) -> None:
    times = run_design(DESIGNS[1], database_url, in_capitals)
    assert times.maintaining.operations == 2 * PAGES + 1  # the last finds nothing
    assert times.deleting.operations == PAGES


def test_batches_take_an_operation_each(database_url: str) -> None:
    times = run_design(SMALL_BATCHES, database_url, in_capitals)
    assert times.maintaining.operations == 3  # 4 rows, 3 rows, none
    assert times.deleting.operations == 3  # 3 and 1 of the first, 3 of the second


def test_a_thread_has_no_more_time_than_there_was(database_url: str) -> None:
    times = run_design(DESIGNS[1], database_url, in_capitals)
    for watch in (times.maintaining, times.deleting):
        assert 0 < watch.database_s + watch.waiting_s + watch.cleaning_s <= watch.whole_s <= times.seconds
        assert 0 < watch.database_share < 1


def test_an_error_while_cleaning_ends_the_run(database_url: str) -> None:
    def fail(content: str, url: str) -> str:
        raise ValueError(url)

    with pytest.raises(ValueError, match=r"pages\.example"):
        run_design(DESIGNS[2], database_url, fail)


@pytest.mark.parametrize(("is_pooled", "wanted"), [(False, 4), (True, 1)])
def test_without_a_pool_each_operation_opens_a_connection(is_pooled: bool, wanted: int, database_url: str) -> None:
    engine = engine_for(database_url, pooled=is_pooled, autocommit=True)
    opened: list[object] = []
    event.listen(engine, "connect", lambda connection, record: opened.append(connection))
    tables = PageTables(engine, Stopwatch())
    tables.pop()
    tables.pop()
    engine.dispose()
    assert len(opened) == wanted


def test_what_comes_goes_to_the_shortest_queue() -> None:
    buffer: Buffer[str] = Buffer(queues=2, most_each=2)
    for element in "abc":
        buffer.push(element)
    assert [buffer.pop(0), buffer.pop(0), buffer.pop(1)] == ["a", "c", "b"]


def test_a_full_buffer_waits_until_something_is_taken() -> None:
    buffer: Buffer[int] = Buffer(queues=1, most_each=1)
    buffer.push(1)
    pushing = Thread(target=buffer.push, args=(2,), daemon=True)
    pushing.start()
    assert buffer.pop(0) == 1
    pushing.join(WITHIN_S)
    assert buffer.pop(0) == 2


def test_a_closed_buffer_gives_what_it_has_and_then_nothing() -> None:
    buffer: Buffer[int] = Buffer(queues=1, most_each=2)
    buffer.push(1)
    buffer.close()
    assert [buffer.pop(0), buffer.pop(0)] == [1, None]


def test_a_database_is_empty_again_for_the_next_design(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path)
    fill(database.emptied(), pages())
    url = database.emptied()
    fill(url, pages(2))
    run_design(DESIGNS[0], url, in_capitals)
    assert count_cleaned(url) == 2
