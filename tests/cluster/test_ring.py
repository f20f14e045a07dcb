"""Which node should own which bucket: numbers by weight, fewest moves, the same table everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.ring import NOBODY, assign, shares

PAPER = {"A": 150, "B": 80, "C": 200, "D": 40}

# Few weights that are far apart, since these make rounding hard.
WEIGHTS = st.one_of(st.integers(1, 10), st.sampled_from([1, 6, 104, 10_000]), st.integers(1, 10_000))
NAMES = st.sampled_from([f"node-{number}" for number in range(24)])
MEMBERS = st.dictionaries(NAMES, WEIGHTS, min_size=1, max_size=20)
BUCKETS = st.one_of(st.integers(1, 40), st.sampled_from([64, 128, 256]))

often = settings(max_examples=120, deadline=None, database=None)


def moved(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """From whom, to whom."""
    return [(old, new) for old, new in zip(before, after, strict=True) if old != new]


def assert_shares(table: Sequence[str], weights: Mapping[str, int]) -> None:
    counts = Counter(table)
    assert counts.keys() <= weights.keys()
    assert all(abs(counts[node] - due) <= 1 for node, due in shares(weights, len(table)).items())


def needed_moves(before: Sequence[str], weights: Mapping[str, int]) -> int:
    """Of buckets that have an owner: those over ±1, or what new nodes and those below ±1 lack beyond what is free."""
    counts, due, whole = Counter(before), shares(weights, len(before)), sum(weights.values())
    free = sum(count for owner, count in counts.items() if owner not in weights)
    too_many = sum(max(counts[node] - due[node] - 1, 0) for node in weights)
    too_few = sum(
        max(due[node] - 1 - counts[node], 0) if counts[node] else due[node] * (weights[node] * len(before) >= whole)
        for node in weights
    )
    return max(too_many, too_few - free)


# ── how many ───────────────────────────────────────────────────────────────────────────────────────────


@often
@given(MEMBERS, BUCKETS)
def test_a_share_is_the_exact_one_rounded_up_or_down(weights: dict[str, int], buckets: int) -> None:
    due = shares(weights, buckets)
    whole = sum(weights.values())
    assert sum(due.values()) == buckets
    assert all(abs(due[node] * whole - weight * buckets) < whole for node, weight in weights.items())


def test_the_papers_weights_are_kept_to_the_bucket() -> None:
    assert shares(PAPER, 470) == PAPER
    assert shares(PAPER, 256) == {"A": 82, "B": 43, "C": 109, "D": 22}


def test_of_equal_nodes_the_first_by_name_are_rounded_up() -> None:
    assert shares({"c": 5, "a": 5, "b": 5}, 8) == {"a": 3, "b": 3, "c": 2}


@often
@given(MEMBERS, BUCKETS)
def test_a_table_from_nothing_has_each_share_exactly(weights: dict[str, int], buckets: int) -> None:
    assert Counter(assign(weights, buckets, ())) == Counter(shares(weights, buckets))


# ── what moves ─────────────────────────────────────────────────────────────────────────────────────────


@often
@given(MEMBERS, BUCKETS)
def test_nothing_moves_when_nothing_changed(weights: dict[str, int], buckets: int) -> None:
    table = assign(weights, buckets, ())
    assert assign(weights, buckets, table) == table


@often
@given(MEMBERS, BUCKETS, st.data())
def test_when_a_node_leaves_only_its_buckets_move(weights: dict[str, int], buckets: int, data: st.DataObject) -> None:
    before = assign(weights, buckets, ())
    gone = data.draw(st.sampled_from(sorted(weights)))
    others = {node: weight for node, weight in weights.items() if node != gone}
    after = assign(others, buckets, before)
    assert {old for old, _ in moved(before, after)} <= {gone}
    assert_shares(after, others or {NOBODY: 1})


@often
@given(MEMBERS, BUCKETS, WEIGHTS, st.sampled_from(["a", "z"]))
def test_when_a_node_joins_only_its_share_moves_and_only_to_it(
    weights: dict[str, int], buckets: int, weight: int, joining: str
) -> None:
    before = assign(weights, buckets, ())
    all_of_them = {**weights, joining: weight}
    after = assign(all_of_them, buckets, before)
    assert {new for _, new in moved(before, after)} <= {joining}
    whole_ones = weight * buckets // sum(all_of_them.values())
    assert whole_ones <= after.count(joining) <= shares(all_of_them, buckets)[joining]
    assert_shares(after, all_of_them)


@settings(max_examples=80, deadline=None, database=None)
@given(BUCKETS, st.lists(st.dictionaries(NAMES, st.none() | WEIGHTS, min_size=1, max_size=3), max_size=12), MEMBERS)
def test_in_any_history_shares_are_kept_and_no_move_is_needless(
    buckets: int, changes: list[dict[str, int | None]], weights: dict[str, int]
) -> None:
    """A change: nodes that leave (None), join, or have another weight, several at once."""
    table = assign(weights, buckets, ())
    for change in changes:
        merged = {**weights, **change}
        weights = {node: weight for node, weight in merged.items() if weight is not None}
        if not weights:
            return
        after = assign(weights, buckets, table)
        assert_shares(after, weights)
        assert sum(old in weights for old, _ in moved(table, after)) <= needed_moves(table, weights)
        assert assign(weights, buckets, after) == after
        table = after


def test_what_one_leaves_goes_to_another_that_joins_at_the_same_time() -> None:
    before = assign(PAPER, 256, ())
    after = assign({"A": 150, "B": 80, "E": 200, "D": 40}, 256, before)
    assert {*moved(before, after)} == {("C", "E")}


def test_a_bucket_of_nobody_gets_an_owner() -> None:
    before = (NOBODY, *assign(PAPER, 256, ())[1:])
    after = assign(PAPER, 256, before)
    assert [old for old, _ in moved(before, after)] == [NOBODY]


def test_where_no_node_is_left_nobody_owns_anything() -> None:
    assert assign({}, 4, ()) == assign({}, 4, ("A", "A", "B", NOBODY)) == (NOBODY,) * 4


# ── which ones ─────────────────────────────────────────────────────────────────────────────────────────


@often
@given(MEMBERS, BUCKETS)
def test_the_order_in_which_nodes_are_named_does_not_matter(weights: dict[str, int], buckets: int) -> None:
    first = assign(weights, buckets, ())
    assert assign(dict(reversed(weights.items())), buckets, ()) == first
    fewer = dict(list(weights.items())[1:])
    assert assign(dict(reversed(fewer.items())), buckets, first) == assign(fewer, buckets, first)


def test_a_table_is_the_same_on_every_machine() -> None:
    assert "".join(assign(PAPER, 47, ())) == "CCDAABCDCCCCDCCCAABAABCBCABACACCABACACABBDCACCA"


def test_a_node_that_returns_gets_most_of_its_buckets_back() -> None:
    weights = {f"node-{number}": 100 for number in range(10)}
    before = assign(weights, 1024, ())
    without = assign({node: weight for node, weight in weights.items() if node != "node-3"}, 1024, before)
    after = assign(weights, 1024, without)
    assert sum(old == new == "node-3" for old, new in zip(before, after, strict=True)) > 0.7 * before.count("node-3")


def test_tables_of_different_histories_are_alike() -> None:
    weights = {f"node-{number}": 100 for number in range(10)}
    before = assign(weights, 1024, ())
    fewer = {node: weight for node, weight in weights.items() if node != "node-3"}
    assert len(moved(assign(fewer, 1024, before), assign(fewer, 1024, ()))) < 0.1 * 1024


def test_what_a_node_leaves_is_not_one_nodes_alone() -> None:
    before = assign(PAPER, 256, ())
    after = assign({"A": 150, "B": 80, "D": 40}, 256, before)
    assert Counter(new for _, new in moved(before, after)) == {"A": 60, "B": 33, "D": 16}


# ── bad input ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_table_of_another_number_of_buckets_is_refused() -> None:
    with pytest.raises(ValueError, match="64 buckets, not 128"):
        assign(PAPER, 128, assign(PAPER, 64, ()))


def test_a_weight_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        assign({"A": 1, "B": 0}, 64, ())
