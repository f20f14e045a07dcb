"""Pages on their way to a reader: which are put when, and what holds the engine back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from weft.fetch import replay
from weft.pipeline.delivery import BYTES, PAGES, Delivery, undelivered
from weft.pipeline.doors import Finished
from weft.pipeline.halts import Halt
from weft.types import Fetched, Link, Outcome, PageRow, Processed
from weft.url import host_of, url_id

from .ledgers import Book, open_ledger

URL = "http://a.example/"

encoded = msgspec.msgpack.Encoder().encode


def finished(url: str = URL, status: int = 200, body_bytes: int = 1, outcome: Outcome = Outcome.RESPONSE) -> Finished:
    row = PageRow(url, status, 0.0, 0, outcome=outcome, body_bytes=body_bytes)
    return Finished(url_id(url), host_of(url), row, replay(url, b"HTTP/1.1 200 OK\r\n\r\nx"), Processed())


def commit(book: Book, delivery: Delivery, *visits: Finished) -> None:
    batch = book.ledger.batch()
    for visit in visits:
        delivery.finished(batch, visit)
    book.ledger.write(batch)
    delivery.settle()


async def taken(book: Book, delivery: Delivery) -> tuple[PageRow, Fetched | None] | None:
    return await delivery.next(lambda: book.context.state)


def test_a_page_is_put_when_its_batch_is_written_and_its_row_goes_when_the_next_is_asked_for(tmp_path: Path) -> None:
    async def read(book: Book) -> None:
        delivery = Delivery()
        delivery.join(book.context)
        batch = book.ledger.batch()
        delivery.finished(batch, finished())
        assert delivery.halt() is None
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(taken(book, delivery), 0.05)
        book.ledger.write(batch)
        delivery.settle()
        got = await taken(book, delivery)
        assert got is not None
        assert got[0].url == URL
        assert got[1] is not None
        assert got[1].body == b"x"
        assert book.context.state.get("undelivered", url_id(URL)) is not None, "the reader has not finished it"
        delivery.end()
        assert await taken(book, delivery) is None
        assert book.context.state.get("undelivered", url_id(URL)) is None

    with open_ledger(tmp_path) as book:
        asyncio.run(read(book))


@pytest.mark.parametrize(
    "visit",
    [
        finished(status=404),
        finished(status=302),
        finished(outcome=Outcome.POISON),
        finished()._replace(processed=None, fetched=None),
    ],
)
def test_what_is_no_page_is_not_delivered(tmp_path: Path, visit: Finished) -> None:
    with open_ledger(tmp_path) as book:
        delivery = Delivery()
        delivery.join(book.context)
        commit(book, delivery, visit)
        assert book.context.state.get("undelivered", visit.id) is None


@pytest.mark.parametrize(("pages", "each_bytes"), [(PAGES, 1), (1, BYTES)])
def test_no_visit_begins_while_the_reader_is_behind(tmp_path: Path, pages: int, each_bytes: int) -> None:
    with open_ledger(tmp_path) as book:
        delivery = Delivery()
        delivery.join(book.context)
        commit(book, delivery, *(finished(f"{URL}{number}", body_bytes=each_bytes) for number in range(pages)))
        assert delivery.halt() is Halt.READER
        assert asyncio.run(taken(book, delivery)) is not None
        assert delivery.halt() is None
        assert not delivery.may_end(), "the reader may ask for more"


def test_what_a_reader_did_not_finish_comes_first_in_the_next_run(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as book:
        ledger, state = book.ledger, book.context.state
        batch = ledger.batch()
        for number, url in enumerate((URL, f"{URL}2")):
            ledger.put_back(batch, Link(url, number))
            batch.put("page", url_id(url), encoded(PageRow(url, 200, 0.0, 0)))
        batch.put("undelivered", url_id(f"{URL}2"), b"")
        ledger.write(batch)
        assert [row.url for _, row, _ in undelivered(state)] == [f"{URL}2"]
        delivery = Delivery()
        delivery.join(book.context)
        got = asyncio.run(taken(book, delivery))
        assert got is not None
        assert (got[0].url, got[1]) == (f"{URL}2", None)


def test_where_nothing_is_archived_a_page_is_kept_for_its_reader_until_it_has_finished_it(tmp_path: Path) -> None:
    async def leave(book: Book) -> None:
        delivery = Delivery()
        delivery.join(book.context)
        batch = book.ledger.batch()
        for url in (f"{URL}1", f"{URL}2"):
            batch.put("page", url_id(url), encoded(finished(url).page))
        book.ledger.write(batch)
        commit(book, delivery, finished(f"{URL}1"), finished(f"{URL}2"))
        await taken(book, delivery)
        await taken(book, delivery)

    async def come_back(book: Book) -> None:
        delivery = Delivery()
        delivery.join(book.context)
        got = await taken(book, delivery)
        assert got is not None
        assert got[0].url == f"{URL}2"
        assert got[1] is not None
        assert got[1].body == b"x"
        delivery.end()
        assert await taken(book, delivery) is None
        assert undelivered(book.context.state) == []

    with open_ledger(tmp_path, archive="none") as book:
        asyncio.run(leave(book))
    with open_ledger(tmp_path, is_new=False, archive="none") as book:
        asyncio.run(come_back(book))


@pytest.mark.parametrize(("body_bytes", "is_kept"), [(5, True), (BYTES + 1, False)])
def test_where_nothing_is_archived_a_body_in_a_file_is_kept_unless_it_is_long(
    body_bytes: int, is_kept: bool, tmp_path: Path
) -> None:
    spool = tmp_path / "spool"
    spool.write_bytes(b"a" * body_bytes)
    visit = finished(body_bytes=body_bytes)
    assert visit.fetched is not None
    fetched = msgspec.structs.replace(visit.fetched, body=None, spool=str(spool), body_bytes=body_bytes)

    async def read(book: Book) -> None:
        delivery = Delivery()
        delivery.join(book.context)
        commit(book, delivery, visit._replace(fetched=fetched))
        spool.unlink()  # as it is after the commit
        got = await taken(book, delivery)
        assert got is not None
        assert (got[1] is not None and got[1].body == b"aaaaa") is is_kept

    with open_ledger(tmp_path, archive="none") as book:
        asyncio.run(read(book))
