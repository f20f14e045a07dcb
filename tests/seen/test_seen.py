from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.scratch import scratch_folder
from tests.seen.ids import colliding_ids, url_ids
from weft.seen import Found, Seen
from weft.seen.known_ids import GROUP_RECORDS, MOST_DEPTH
from weft.seen.seen import HOT_CACHE_IDS, REBUILD_STEP_ROWS
from weft.state import State

ONE, OTHER, THIRD = url_ids(3)


@pytest.fixture
def state() -> Iterator[State]:
    with scratch_folder() as folder:
        state = State(folder / "db")
        yield state
        state.close()


@pytest.fixture
def seen(state: State) -> Seen:
    return Seen(state, is_new_crawl=True)


def add(state: State, seen: Seen, *found: tuple[bytes, int]) -> list[Found]:
    """Add all in one batch and write it."""
    batch = state.batch()
    answers = [seen.add(batch, url_id, depth) for url_id, depth in found]
    state.write(batch)
    seen.settle()
    return answers


# ── what an answer means ───────────────────────────────────────────────────────────────────────────────


def test_a_url_is_new_once(state: State, seen: Seen) -> None:
    assert add(state, seen, (ONE, 3)) == [Found.NEW]
    assert add(state, seen, (ONE, 3), (OTHER, 3)) == [Found.KNOWN, Found.NEW]


@pytest.mark.parametrize(("then", "answer", "depth"), [(2, Found.NEARER, 2), (3, Found.KNOWN, 3), (4, Found.KNOWN, 3)])
def test_a_known_url_is_nearer_only_at_a_smaller_depth(
    state: State, seen: Seen, then: int, answer: Found, depth: int
) -> None:
    add(state, seen, (ONE, 3))
    assert add(state, seen, (ONE, then)) == [answer]
    assert seen.depth(ONE) == depth


GUESSES = [
    ([(3, True), (3, True), (4, True)], [Found.NEW, Found.KNOWN, Found.KNOWN], 3, True),
    ([(3, True), (2, True)], [Found.NEW, Found.NEARER], 2, True),
    ([(3, True), (3, False), (3, False), (3, True)], [Found.NEW, Found.LINKED, Found.KNOWN, Found.KNOWN], 3, False),
    ([(3, True), (5, False), (4, False)], [Found.NEW, Found.LINKED, Found.KNOWN], 3, False),
    ([(3, True), (2, False)], [Found.NEW, Found.NEARER], 2, False),
    ([(3, False), (2, True), (2, False)], [Found.NEW, Found.NEARER, Found.KNOWN], 2, False),
]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(("found", "news", "depth", "is_guess"), GUESSES)
def test_a_link_to_what_was_only_guessed_is_news(
    state: State, found: list[tuple[int, bool]], news: list[Found], depth: int, is_guess: bool, again: bool
) -> None:
    seen = Seen(state, is_new_crawl=True)
    told = []
    for at, guessed in found:
        batch = state.batch()
        told.append(seen.add(batch, ONE, at, guessed))
        state.write(batch)
        seen.settle()
        if again:  # resumed
            seen = Seen(state, is_new_crawl=False)
    assert told == news
    assert (seen.depth(ONE), seen.is_guess(ONE)) == (depth, is_guess)


def test_a_url_is_unknown_from_when_it_is_forgotten(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, 3))
    batch = state.batch()
    seen.forget(batch, ONE)
    assert seen.depth(ONE) is None
    state.write(batch)
    seen.settle()
    assert add(state, seen, (ONE, 3)) == [Found.NEW]


def test_a_url_at_depth_zero_is_known(state: State, seen: Seen) -> None:
    assert add(state, seen, (ONE, 0)) == [Found.NEW]
    assert add(state, seen, (ONE, 0)) == [Found.KNOWN]
    assert seen.depth(ONE) == 0


def test_an_unknown_url_has_no_depth(seen: Seen) -> None:
    assert seen.depth(ONE) is None


def test_within_one_batch_later_links_know_the_earlier_ones(state: State, seen: Seen) -> None:
    answers = add(state, seen, (ONE, 5), (ONE, 5), (ONE, 4), (ONE, 4), (OTHER, 9), (ONE, 6))
    assert answers == [Found.NEW, Found.KNOWN, Found.NEARER, Found.KNOWN, Found.NEW, Found.KNOWN]
    assert state.get("seen", ONE) == (4).to_bytes(4, "big")


@pytest.mark.parametrize("depth", [65_535, 65_536, 1_000_000])
def test_a_url_may_be_found_at_any_depth(state: State, seen: Seen, depth: int) -> None:
    """A trap of links that lead ever deeper must not end the crawl."""
    assert add(state, seen, (ONE, depth)) == [Found.NEW]
    assert add(state, seen, (ONE, depth)) == [Found.KNOWN]
    assert add(state, seen, (ONE, 7)) == [Found.NEARER]


def test_a_batch_that_was_never_written_makes_nothing_known_to_the_next_run(state: State) -> None:
    Seen(state, is_new_crawl=True).add(state.batch(), ONE, 1)
    assert Seen(state, is_new_crawl=False).depth(ONE) is None


# ── who answers ────────────────────────────────────────────────────────────────────────────────────────


def test_a_new_url_of_a_new_crawl_needs_no_look_at_the_disk(state: State, seen: Seen) -> None:
    add(state, seen, *((url_id, 1) for url_id in url_ids(100)))
    assert seen.statistics()["filter"] == 100
    assert seen.statistics()["disk"] == 0


def test_a_url_just_found_is_answered_from_memory(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, 1))
    add(state, seen, (ONE, 1), (ONE, 1))
    assert seen.statistics()["cache"] == 2
    assert seen.statistics()["disk"] == 0


def test_an_id_in_neither_cache_nor_table_is_known_from_the_disk(state: State) -> None:
    seen = Seen(state, is_new_crawl=True, known_ids_bytes=0)  # one group
    ids = url_ids(GROUP_RECORDS + 1)
    add(state, seen, *((url_id, 1) for url_id in ids))
    assert add(state, seen, *((url_id, 1) for url_id in ids[1:])) == [Found.KNOWN] * GROUP_RECORDS
    assert seen.statistics()["disk"] == 0
    assert add(state, seen, (ids[0], 1)) == [Found.KNOWN]
    assert seen.statistics()["disk"] == 1


def test_the_cache_forgets_what_is_not_asked_for_and_stays_right(state: State, seen: Seen) -> None:
    ids = url_ids(3 * HOT_CACHE_IDS)
    add(state, seen, *((url_id, 5) for url_id in ids))
    add(state, seen, *((url_id, 5) for url_id in ids))
    assert add(state, seen, (ids[0], 4), (ids[-1], 3)) == [Found.NEARER] * 2
    assert add(state, seen, (ids[0], 4), (ids[-1], 3)) == [Found.KNOWN] * 2
    assert [seen.depth(one) for one in (ids[0], ids[1], ids[-1])] == [4, 5, 3]


def test_a_depth_that_the_table_does_not_hold_is_read_from_the_disk_once(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, MOST_DEPTH + 1))
    for _ in range(2):
        assert add(state, seen, (ONE, MOST_DEPTH + 1)) == [Found.KNOWN]
    assert seen.statistics()["disk"] == 1
    assert add(state, seen, (ONE, MOST_DEPTH)) == [Found.NEARER]
    assert add(state, seen, (ONE, MOST_DEPTH)) == [Found.KNOWN]
    assert seen.statistics()["disk"] == 1


def test_a_url_that_was_forgotten_is_new_again(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, 1), (OTHER, 1))
    add(state, seen, (ONE, 1), (OTHER, 1))
    batch = state.batch()
    seen.forget(batch, ONE)
    state.write(batch)
    assert add(state, seen, (ONE, 1), (OTHER, 1)) == [Found.NEW, Found.KNOWN]


def test_the_ids_of_a_range_that_is_taken_away_are_new_again(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, 1))
    batch = state.batch()
    batch.delete_range("seen", ONE, ONE + b"\0")
    state.write(batch)
    seen.forget_range(ONE, ONE + b"\0")
    assert add(state, seen, (ONE, 1)) == [Found.NEW]


def test_urls_that_the_filter_takes_for_others_are_still_new(state: State, seen: Seen) -> None:
    ids = colliding_ids(200)
    assert add(state, seen, *((url_id, 2) for url_id in ids[:100])) == [Found.NEW] * 100
    assert add(state, seen, *((url_id, 2) for url_id in ids[100:])) == [Found.NEW] * 100
    assert add(state, seen, *((url_id, 2) for url_id in ids)) == [Found.KNOWN] * 200
    assert seen.statistics()["false_positives"] == 100


# ── after a restart ────────────────────────────────────────────────────────────────────────────────────


def test_a_resumed_crawl_knows_its_urls_before_the_filter_is_rebuilt(state: State, seen: Seen) -> None:
    add(state, seen, (ONE, 3), (OTHER, 3))
    resumed = Seen(state, is_new_crawl=False)
    assert add(state, resumed, (ONE, 3), (OTHER, 1), (THIRD, 3)) == [Found.KNOWN, Found.NEARER, Found.NEW]
    assert resumed.statistics()["false_positives"] == 0


def test_a_rebuilt_filter_knows_old_and_new_urls(state: State, seen: Seen) -> None:
    ids = url_ids(3 * REBUILD_STEP_ROWS)
    add(state, seen, *((url_id, 4) for url_id in ids[: 2 * REBUILD_STEP_ROWS + 1]))
    resumed = Seen(state, is_new_crawl=False)
    asyncio.run(resumed.rebuild_filter())
    answers = add(state, resumed, *((url_id, 4) for url_id in ids))
    assert answers == [Found.KNOWN] * (2 * REBUILD_STEP_ROWS + 1) + [Found.NEW] * (REBUILD_STEP_ROWS - 1)
    statistics = resumed.statistics()
    assert statistics["filter"] > 0.9 * REBUILD_STEP_ROWS, "the new ones are certainly new"


def test_urls_found_while_the_filter_is_rebuilt_are_not_forgotten(state: State, seen: Seen) -> None:
    ids = url_ids(6 * REBUILD_STEP_ROWS)
    old, during = ids[: 5 * REBUILD_STEP_ROWS], ids[5 * REBUILD_STEP_ROWS :]
    add(state, seen, *((url_id, 4) for url_id in old))
    resumed = Seen(state, is_new_crawl=False)

    async def find_some_meanwhile() -> None:
        rebuilding = asyncio.create_task(resumed.rebuild_filter())
        for number in range(0, len(during), 500):
            found = ((url_id, 4) for url_id in during[number : number + 500])
            assert set(add(state, resumed, *found)) == {Found.NEW}
            await asyncio.sleep(0.002)
        await rebuilding

    asyncio.run(find_some_meanwhile())
    assert set(add(state, resumed, *((url_id, 4) for url_id in ids))) == {Found.KNOWN}


@pytest.mark.parametrize("rows", [0, 1, REBUILD_STEP_ROWS - 1, REBUILD_STEP_ROWS, REBUILD_STEP_ROWS + 1])
def test_the_filter_is_whole_after_any_number_of_rows(state: State, seen: Seen, rows: int) -> None:
    ids = url_ids(rows)
    add(state, seen, *((url_id, 1) for url_id in ids))
    resumed = Seen(state, is_new_crawl=False)
    asyncio.run(resumed.rebuild_filter())
    assert all(resumed.depth(url_id) == 1 for url_id in ids)
    unknown = url_ids(rows + 200)[rows:]
    assert [resumed.depth(url_id) for url_id in unknown] == [None] * 200
    assert resumed.statistics()["filter"] > 150, "the filter answers now"
