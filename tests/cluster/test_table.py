"""The table: who should own which bucket, and how long a window is."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.members import Member
from weft.cluster.table import BUSY_STREAM, LONGEST_WINDOW_S, NOBODY, WINDOW_S, Table, next_window_s, with_owners

EMPTY = Table(64, owners=[NOBODY] * 64)


def members(**of_weight: int) -> dict[str, Member]:
    return {name: Member("1-x", "folder", weight) for name, weight in of_weight.items()}


def owners(table: Table) -> Counter[str]:
    return Counter(table.owner(bucket) for bucket in range(table.buckets))


def test_of_a_new_table_nobody_owns_anything() -> None:
    for table in (EMPTY, Table(64)):
        assert owners(table) == {"": 64}
        assert table.wanted_by("a") == set()


def test_each_bucket_has_one_owner_by_weight() -> None:
    table = with_owners(EMPTY, members(a=100, b=300))
    assert owners(table) == {"a": 16, "b": 48}
    assert table.wanted_by("a") | table.wanted_by("b") == set(range(64))
    assert table.wanted_by("a") == {bucket for bucket in range(64) if table.owner(bucket) == "a"}
    assert table.wanted_by("z") == set()


def test_the_same_nodes_make_the_very_same_table_so_that_nothing_is_written() -> None:
    table = with_owners(EMPTY, members(a=100, b=300))
    assert with_owners(table, members(b=300, a=100)) is table
    assert with_owners(EMPTY, {}) is EMPTY


def test_what_else_the_table_says_stays() -> None:
    before = msgspec.structs.replace(EMPTY, paused=True, epoch=9, seeds=3, streams=["x"], deadline=5.0)
    after = with_owners(before, members(a=100))
    assert msgspec.structs.replace(after, nodes=[], owners=EMPTY.owners) == before


def test_who_leaves_or_is_drained_loses_all_and_nobody_elses_buckets_move() -> None:
    both = with_owners(EMPTY, members(a=100, b=100, c=100))
    leaving = {**members(a=100, b=100, c=100), "c": Member("1-x", "folder", leaves=True)}
    drained = msgspec.structs.replace(both, drained=["c"])
    for table in (with_owners(both, leaving), with_owners(drained, members(a=100, b=100, c=100))):
        assert table.wanted_by("c") == set()
        assert table.wanted_by("a") >= both.wanted_by("a")
        assert table.wanted_by("b") >= both.wanted_by("b")


def test_when_the_last_node_leaves_nobody_owns_anything() -> None:
    table = with_owners(EMPTY, members(a=100))
    after = with_owners(table, {})
    assert owners(after) == {"": 64}
    assert after.nodes == []
    assert owners(with_owners(after, members(b=1))) == {"b": 64}


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 300), max_size=5), min_size=1, max_size=6))
def test_in_any_history_every_bucket_is_somebodys_who_lives_and_it_is_read_as_it_was_written(
    history: list[dict[str, int]],
) -> None:
    table = EMPTY
    for living in history:
        table = with_owners(table, members(**living))
        assert owners(table).keys() <= (living.keys() or {""})
        assert msgspec.json.decode(msgspec.json.encode(table), type=Table) == table


@pytest.mark.parametrize(
    ("window_s", "messages_per_s", "after_s"),
    [
        (WINDOW_S, BUSY_STREAM + 1, 2 * WINDOW_S),
        (40.0, BUSY_STREAM + 1, LONGEST_WINDOW_S),
        (LONGEST_WINDOW_S, 10 * BUSY_STREAM, LONGEST_WINDOW_S),
        (20.0, BUSY_STREAM, 20.0),
        (20.0, BUSY_STREAM / 4, 20.0),  # half the window would make it at most half as busy as may be
        (20.0, BUSY_STREAM / 5, 10.0),
        (WINDOW_S, 0.0, WINDOW_S),
    ],
)
def test_a_window_grows_while_a_stream_is_busy_and_shrinks_when_there_is_room(
    window_s: float, messages_per_s: float, after_s: float
) -> None:
    assert next_window_s(Table(64, window_s=window_s), messages_per_s) == after_s
