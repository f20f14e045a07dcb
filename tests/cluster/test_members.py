"""Whose life is over, as each node sees it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.members import SPARE_S, Member, Members, new_life, number_of, weights

LEASE_S = 30.0


def member(life: str, **changes: object) -> Member:
    return msgspec.structs.replace(Member(life, "folder"), **changes)


def seen(**entries: tuple[int, Member]) -> Members:
    members = Members(LEASE_S)
    members.see(entries, 0.0)
    return members


def silent(members: Members, now_s: float) -> list[str]:
    return [name for name, _ in members.silent(now_s)]


def test_a_life_has_a_number_and_a_name_that_no_other_has() -> None:
    assert number_of(new_life(7)) == 7
    assert len({new_life(7) for _ in range(100)}) == 100


# ── silence ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_node_is_silent_once_nothing_new_was_seen_of_it_for_longer_than_a_lease_and_what_is_spare() -> None:
    members = seen(a=(1, member("1-x")))
    assert silent(members, LEASE_S + SPARE_S) == []
    assert silent(members, LEASE_S + SPARE_S + 0.01) == ["a"]


def test_a_renewal_is_counted_from_when_it_was_first_seen() -> None:
    members = seen(a=(1, member("1-x")))
    members.see({"a": (2, member("1-x"))}, 20.0)
    for now_s in (30.0, 40.0, 50.0):
        members.see({"a": (2, member("1-x"))}, now_s)
    assert silent(members, 20.0 + LEASE_S + SPARE_S) == []
    assert silent(members, 20.1 + LEASE_S + SPARE_S) == ["a"]


def test_an_entry_that_was_read_late_changes_nothing() -> None:
    members = seen(a=(5, member("2-y", weight=7)))
    members.see({"a": (4, member("1-x"))}, 20.0)
    assert members.living()["a"].weight == 7
    assert silent(members, LEASE_S + SPARE_S + 1) == ["a"]


def test_after_a_reconnection_nobody_is_silent_before_another_lease_has_passed() -> None:
    members = seen(a=(1, member("1-x")), b=(2, member("1-y")))
    members.reconnected(100.0)
    assert silent(members, 100.0 + LEASE_S + SPARE_S) == []
    assert silent(members, 100.1 + LEASE_S + SPARE_S) == ["a", "b"]


def test_who_is_over_is_not_silent_and_the_silent_are_told_with_the_revision_to_be_overwritten() -> None:
    members = seen(a=(3, member("1-x")), b=(4, member("1-y", is_over=True)))
    ((name, one),) = members.silent(1_000.0)
    assert (name, one.revision, one.member.life) == ("a", 3, "1-x")


# ── over ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_life_is_over_when_its_node_has_a_later_one_or_its_entry_says_so() -> None:
    members = seen(a=(1, member("3-now")), b=(2, member("2-gone", is_over=True)))
    assert members.is_over("a", "2-before")
    assert not members.is_over("a", "3-now")
    assert members.is_over("b", "2-gone")
    assert members.is_over("b", "1-before")


def test_a_life_that_is_not_known_yet_is_not_over() -> None:
    """What was read of its node is older than the life itself, or nothing was read."""
    members = seen(a=(1, member("3-gone", is_over=True)))
    assert not members.is_over("a", "4-just-born")
    assert not members.is_over("z", "1-x")


def test_of_two_lives_with_one_number_the_one_that_is_not_in_the_entry_is_not_held_for_over() -> None:
    """Only one of them was ever written: this cannot be, so nothing is concluded from it."""
    assert not seen(a=(1, member("3-x", is_over=True))).is_over("a", "3-y")


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=9), st.permutations(range(9)))
def test_what_is_over_stays_over_in_whatever_order_entries_are_read(
    lives: list[tuple[int, bool]], order: list[int]
) -> None:
    """A node's history: lives with growing numbers, each of which may be declared over. Reads may be stale."""
    history: list[Member] = []
    number = 0
    for more, is_over in lives:
        number += more
        history.append(member(f"{number}-x"))
        if is_over:
            history.append(member(f"{number}-x", is_over=True))
    members = Members(LEASE_S)
    over: set[str] = set()
    for at in order:
        if at < len(history):
            members.see({"a": (at + 1, history[at])}, 0.0)
        now_over = {one.life for one in history if members.is_over("a", one.life)}
        assert over <= now_over
        over = now_over
        assert (history[-1].life in over) <= history[-1].is_over


def test_the_living_are_told_by_name() -> None:
    members = seen(b=(1, member("1-y")), c=(2, member("1-z", is_over=True)), a=(3, member("1-x")))
    assert list(members.living()) == ["a", "b"]
    assert members.get("c") is not None
    assert members.get("z") is None


def test_a_node_that_begins_another_life_lives() -> None:
    members = seen(a=(1, member("1-x", is_over=True)))
    members.see({"a": (2, member("2-y"))}, 50.0)
    assert list(members.living()) == ["a"]
    assert silent(members, 50.0 + LEASE_S) == []


# ── weights ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("gone", "left"), [((), {"a": 100, "b": 7}), (("a",), {"b": 7}), (("a", "b", "z"), {})])
def test_who_leaves_or_was_drained_shall_have_nothing(gone: tuple[str, ...], left: dict[str, int]) -> None:
    members = {"a": member("1-x"), "b": member("1-y", weight=7), "c": member("1-z", leaves=True)}
    assert weights(members, gone) == left
