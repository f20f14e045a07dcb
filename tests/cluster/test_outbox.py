"""What is to be told is kept until it is told, in order, over restarts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scratch import scratch_folder
from weft.cluster.events import Again, Done, FoundUrl, HostNote, url_of
from weft.cluster.outbox import Outbox, OutboxRow, OwnEntry, OwnLink, by_bucket, entries_by_bucket
from weft.state import State
from weft.types import Link, Original, PageRow


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state")
    yield state
    state.close()


def url(number: int) -> FoundUrl:
    return url_of(Link(f"http://a.test:8080/{number}", 1), "a.test")


def links(*numbers: int, bucket: int = 3, claim: int = 0) -> OutboxRow:
    return OutboxRow([OwnLink(bucket, claim, url(number)) for number in numbers])


def done(number: int) -> OwnEntry:
    page = PageRow(
        f"http://a.test/{number}", 200, 1.5, 2, file=4, original=Original("http://b.test/", 1.0, "x", 1, 2, 3)
    )
    return OwnEntry(3, 7, bytes([number]) * 16, Done(page, "weft-4.warc.gz", "weft-1.warc.gz"))


def put(state: State, outbox: Outbox, *rows: OutboxRow) -> None:
    for row in rows:
        batch = state.batch()
        outbox.put(batch, row)
        state.write(batch)


def numbers(rows: list[OutboxRow]) -> list[list[str]]:
    return [[one.url.file for one in row.found] for row in rows]


def test_rows_come_out_as_they_were_put_in_and_in_their_order(state: State) -> None:
    outbox = Outbox(state)
    row = OutboxRow(
        [OwnLink(3, 7, url(1)), OwnLink(9, 0, url(2))],
        [done(1), OwnEntry(3, 7, b"", Again(url(5))), OwnEntry(3, 7, b"", HostNote("a.test", 5.0, 60.0))],
        ["http://seed.test/"],
    )
    put(state, outbox, row, links(3), links(4))
    _, rows = outbox.oldest(1_000)
    assert rows == [row, links(3), links(4)]


def test_what_is_told_is_gone_and_the_rest_stays(state: State) -> None:
    outbox = Outbox(state)
    put(state, outbox, links(1, 2), links(3, 4), links(5))
    last, rows = outbox.oldest(4)
    assert numbers(rows) == [["/1", "/2"], ["/3", "/4"]]
    put(state, outbox, links(6))
    outbox.told(last, rows)
    assert (outbox.rows, outbox.links) == (2, 2)
    assert numbers(outbox.oldest(100)[1]) == [["/5"], ["/6"]]


def test_the_oldest_row_is_told_however_many_links_it_has(state: State) -> None:
    outbox = Outbox(state)
    put(state, outbox, links(1, 2, 3), links(4))
    assert numbers(outbox.oldest(1)[1]) == [["/1", "/2", "/3"]]


def test_an_empty_outbox_has_nothing_to_tell_and_telling_it_takes_nothing_away(state: State) -> None:
    outbox = Outbox(state)
    last, rows = outbox.oldest(100)
    assert rows == []
    put(state, outbox, links(1))
    outbox.told(last, rows)
    assert (outbox.rows, outbox.links) == (1, 1)
    assert numbers(outbox.oldest(100)[1]) == [["/1"]]


@settings(max_examples=20, deadline=None, database=None)
@given(st.lists(st.sampled_from(["put", "put", "tell", "restart"]), max_size=30), st.integers(1, 5))
def test_every_row_is_told_once_in_order_over_any_restarts(steps: list[str], most_links: int) -> None:
    told: list[list[str]] = []
    count = 0
    with scratch_folder() as folder:
        state = State(folder / "state")
        outbox = Outbox(state)
        for step in [*steps, *["tell"] * 30]:
            if step == "put":
                count += 1
                put(state, outbox, links(count, count))
            elif step == "tell":
                last, rows = outbox.oldest(most_links)
                told += numbers(rows)
                outbox.told(last, rows)
            else:
                state.close()
                state = State(folder / "state")
                outbox = Outbox(state)
            left = [row for _, row in state.scan("outbox")]
            assert (outbox.rows, outbox.links) == (len(left), 2 * len(left))
        state.close()
    assert told == [[f"/{number}", f"/{number}"] for number in range(1, count + 1)]


def test_a_row_that_is_not_written_is_not_there(state: State) -> None:
    outbox = Outbox(state)
    outbox.put(state.batch(), links(1))
    assert Outbox(state).oldest(10) == (0, [])


def test_of_a_page_whose_record_was_lost_nobody_hears_that_it_is_done_but_of_its_links(state: State) -> None:
    outbox = Outbox(state)
    again = OwnEntry(3, 7, done(1).id, Again(url(1)))
    put(state, outbox, OutboxRow([OwnLink(3, 7, url(9))], [done(1), done(2)]), OutboxRow(entries=[again, done(3)]))
    outbox.without([done(1).id, done(3).id, b"\x99" * 16])
    _, (first, second) = outbox.oldest(100)
    assert first == OutboxRow([OwnLink(3, 7, url(9))], [done(2)])
    assert second.entries == [again]
    assert Outbox(state).oldest(100)[1] == [first, second]
    last, rows = outbox.oldest(100)
    outbox.told(last, rows)
    assert (outbox.rows, outbox.links) == (0, 0)


def test_a_row_is_worth_writing_if_anything_is_in_it() -> None:
    assert not OutboxRow()
    assert links(1)
    assert OutboxRow(entries=[done(1)])
    assert OutboxRow(scope=["http://seed.test/"])


def test_rows_are_sorted_by_bucket_and_claim_each_in_its_order() -> None:
    rows = [
        OutboxRow([OwnLink(3, 7, url(1)), OwnLink(3, 0, url(2)), OwnLink(5, 0, url(3))], [done(1)]),
        OutboxRow([OwnLink(3, 7, url(4))], [OwnEntry(3, 8, b"", Again(url(1))), done(2)]),
    ]
    assert list(by_bucket(rows)) == [(3, 7, [url(1), url(4)]), (3, 0, [url(2)]), (5, 0, [url(3)])]
    assert entries_by_bucket(rows) == {(3, 7): [done(1).entry, done(2).entry], (3, 8): [Again(url(1))]}


def test_what_waits_does_so_since_it_came_or_since_the_log_last_took_something(state: State) -> None:
    now = [100.0]
    outbox = Outbox(state, lambda: now[0])
    assert outbox.untold_s() == 0.0
    now[0] = 110.0
    put(state, outbox, links(1))
    now[0] = 114.0
    put(state, outbox, links(2))
    assert outbox.untold_s() == 4.0  # not since it is published: before that it waits for a window
    last, rows = outbox.oldest(1)
    now[0] = 116.0
    outbox.told(last, rows)
    now[0] = 117.0
    assert outbox.untold_s() == 1.0
    outbox.told(*outbox.oldest(1))
    now[0] = 150.0
    assert outbox.untold_s() == 0.0
    put(state, outbox, links(3))
    assert outbox.untold_s() == 0.0
