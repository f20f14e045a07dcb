"""Kills at any moment of any process: no page is lost, none is there twice, and the queue agrees with the output."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Collection, Iterable

import psycopg
import pytest
from _pytest.mark import ParameterSet

from tests.pipeline.engine_process import await_others
from tests.postgres import postgres
from weft.clean.bulk.tables.columns import Queue

from .databases import (
    DATABASES,
    MakePlace,
    Place,
    assert_all_cleaned,
    count_cleaned,
    postgres_place,
    small_page,
    small_pages,
)
from .running import cleaning

# Where something is half done: see src/weft/crash_points.py.
PAGES = 400
SERVED_PAGES = 200
CRASH_POINTS = ("cleaned-inserted", "cleaned-commit", "cleaned-written")
# Each way of the queue, one database or two, SQLite and PostgreSQL; the large run has all combinations.
KILLED = {("sqlite", Queue.MARK, False), ("sqlite", Queue.KEEP, True), ("postgres", Queue.TAKE, True)}
BATCHES = {
    ("sqlite", "cleaned-inserted", Queue.MARK, True),
    ("sqlite", "cleaned-inserted", Queue.TAKE, False),
    ("sqlite", "cleaned-commit", Queue.TAKE, True),
    ("sqlite", "cleaned-commit", Queue.MARK, False),
    ("sqlite", "cleaned-written", Queue.MARK, False),
    ("sqlite", "cleaned-written", Queue.TAKE, True),
    ("postgres", "cleaned-inserted", Queue.TAKE, True),
    ("postgres", "cleaned-commit", Queue.MARK, True),
    ("postgres", "cleaned-written", Queue.TAKE, False),
}


def cases(chosen: Collection[tuple[object, ...]], *values: Iterable[object]) -> list[ParameterSet]:
    """All combinations; those that are not chosen are of the large run."""
    return [
        pytest.param(*case, marks=() if case in chosen else pytest.mark.large) for case in itertools.product(*values)
    ]


def assert_queue_agrees(queue: Place, out: Place, mode: Queue, pages: int, *, is_same: bool) -> None:
    """In one database no page is both cleaned and still to do, or neither.

    At no moment: so both are counted by one query, because a server may still be busy with the last commit of a client
    that was killed.
    """
    if not is_same or mode is Queue.KEEP:
        return
    condition = " WHERE cleaned_at IS NULL" if mode is Queue.MARK else ""
    both = f"SELECT (SELECT count(*) FROM pages{condition}), (SELECT count(*) FROM cleaned)"
    ((left, done),) = queue.rows(both)
    assert left + done == pages


@pytest.mark.parametrize(
    ("make_place", "mode", "is_same"), cases(KILLED, DATABASES, Queue, (True, False)), indirect=["make_place"]
)
def test_a_run_that_is_killed_again_and_again_loses_and_doubles_nothing(
    make_place: MakePlace, mode: Queue, is_same: bool
) -> None:
    chance = random.Random(f"{mode} {is_same}")
    queue = make_place()
    out = queue if is_same else make_place()
    pages = small_pages(PAGES, padding_chars=20_000)
    queue.fill(pages)
    command = (queue.url, out.url, "--queue", mode.value, "--write-rows", "10", "--read-rows", "50", "--workers", "2")
    kills = 0
    for _ in range(3):
        goal = count_cleaned(out) + chance.randint(1, 60)
        with cleaning(*command) as process:
            with out.kept_open():
                await_others(lambda: count_cleaned(out) >= goal or not process.is_running(), "some pages")  # noqa: B023
            time.sleep(chance.uniform(0, 0.02))
            kills += process.is_running()
            (process.kill if chance.random() < 0.5 else process.kill_group)()
        assert_queue_agrees(queue, out, mode, PAGES, is_same=is_same)
    assert kills >= 1  # on a busy machine a run may be over before it is seen
    with cleaning(*command) as process:
        process.wait()
    assert_all_cleaned(out, pages)
    assert out.aside() == {}
    assert_queue_agrees(queue, out, mode, PAGES, is_same=is_same)


@pytest.mark.parametrize(
    ("make_place", "point", "mode", "is_same"),
    cases(BATCHES, DATABASES, CRASH_POINTS, (Queue.MARK, Queue.TAKE), (True, False)),
    indirect=["make_place"],
)
def test_a_kill_in_the_middle_of_a_batch_is_a_kill_before_or_after_it(
    make_place: MakePlace, point: str, mode: Queue, is_same: bool
) -> None:
    queue = make_place()
    out = queue if is_same else make_place()
    pages = small_pages(30)
    queue.fill(pages)
    command = (queue.url, out.url, "--queue", mode.value, "--write-rows", "10", "--workers", "1")
    with cleaning(*command, environment={"WEFT_CRASH_AT": f"{point}:2"}) as process:
        await_others(lambda: not process.is_running(), "its death")
    assert count_cleaned(out) == (20 if point == "cleaned-written" else 10)
    assert_queue_agrees(queue, out, mode, 30, is_same=is_same)
    with cleaning(*command) as process:
        summary = process.wait()
    # In two databases the batch that was not marked is cleaned again.
    again = 10 if point == "cleaned-written" and not is_same else 0
    assert summary["cleaned"] == 30 - count_before(point) + again
    assert_all_cleaned(out, pages)
    assert_queue_agrees(queue, out, mode, 30, is_same=is_same)


def count_before(point: str) -> int:
    return 20 if point == "cleaned-written" else 10


def test_a_server_that_is_killed_ends_it_in_words_and_loses_nothing() -> None:
    pages = small_pages(SERVED_PAGES, padding_chars=20_000)
    with postgres() as own:
        queue = postgres_place(own)
        queue.fill(pages)
        command = (queue.url, queue.url, "--queue", "take", "--write-rows", "10", "--read-rows", "20")
        with psycopg.connect(queue.url) as holder:
            # It cannot come to its end: somebody holds a row.
            holder.execute("SELECT 1 FROM pages WHERE url = (SELECT max(url) FROM pages) FOR UPDATE")
            with cleaning(*command) as process:
                with queue.kept_open():
                    await_others(lambda: count_cleaned(queue) > 20, "some pages")
                own.kill()
                _, errors = process.popen.communicate(timeout=60)
                assert process.popen.returncode == 1
                assert errors.decode().startswith("weft: cannot ")
                assert errors.count(b"\n") == 1
            holder.close()
        own.start()
        assert_queue_agrees(queue, queue, Queue.TAKE, SERVED_PAGES, is_same=True)
        with cleaning(*command) as process:
            process.wait()
        assert_all_cleaned(queue, pages)


@pytest.mark.large
def test_200_000_pages_killed_ten_times_are_cleaned_exactly_once() -> None:
    count, kills_wanted = 200_000, 10
    chance = random.Random(10)
    with postgres("fsync=on", "max_wal_size=4GB") as own:
        queue = postgres_place(own)
        queue.run("SET default_toast_compression = 'lz4'", "CREATE TABLE pages (url text PRIMARY KEY, content text)")
        for start in range(0, count, 5000):
            numbers = range(start, start + 5000)
            queue.insert((f"http://site.test/{number}", small_page(number, padding_chars=4000)) for number in numbers)
        began = time.monotonic()
        command = (queue.url, queue.url, "--queue", "take")
        for number in range(1, kills_wanted + 1):
            goal = count * number // (kills_wanted + 1) + chance.randint(-2000, 2000)
            with cleaning(*command) as process:
                while count_cleaned(queue) < goal:
                    assert process.is_running()
                    time.sleep(0.2)
                time.sleep(chance.uniform(0, 0.1))
                (process.kill if chance.random() < 0.5 else process.kill_group)()
            assert_queue_agrees(queue, queue, Queue.TAKE, count, is_same=True)
        with cleaning(*command) as process:
            summary = process.wait(1800)
        seconds = time.monotonic() - began
        print(f"\n{count:,} pages, {kills_wanted} kills: {seconds:.0f} s; the last run: {summary}")
        assert queue.rows("SELECT count(*), count(DISTINCT url) FROM cleaned") == [(count, count)]
        wrong = "position('word' || substring(url FROM 18) || ' padding' IN content) = 0 OR content LIKE '%script%'"
        assert queue.rows(f"SELECT count(*) FROM cleaned WHERE {wrong}") == [(0,)]
        assert queue.aside() == {}
        assert queue.queued() == set()
