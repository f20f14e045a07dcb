"""Until when a node may ask servers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.lease import Lease, boot_time_s
from weft.cluster.members import SPARE_S, Member, Members


class Now:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def lease_at(now: Now, lease_s: float = 30.0) -> Lease:
    return Lease(lease_s, now)


def test_without_a_renewal_nothing_begins() -> None:
    lease = lease_at(Now())
    assert not lease.holds()
    assert lease.left_s() < 0


def test_a_lease_ends_with_what_is_spare_before_the_end_counted_from_when_its_renewal_was_sent() -> None:
    now = Now()
    lease = lease_at(now)
    now.s = 110.0  # when the answer comes
    lease.renewed(sent_at_s=101.0)
    assert lease.left_s() == pytest.approx(101.0 + 30.0 - SPARE_S - 110.0)
    now.s = 101.0 + 30.0 - SPARE_S - 0.01
    assert lease.holds()
    now.s = 101.0 + 30.0 - SPARE_S
    assert not lease.holds()


def test_a_renewal_that_is_acknowledged_late_does_not_bring_it_back_nor_shorten_a_later_one() -> None:
    now = Now()
    lease = lease_at(now)
    lease.renewed(120.0)
    lease.renewed(100.0)
    now.s = 140.0
    assert lease.holds()
    now.s = 200.0
    lease.renewed(150.0)
    assert not lease.holds()


def test_a_life_that_is_over_holds_no_lease() -> None:
    lease = lease_at(Now())
    lease.renewed(100.0)
    lease.end()
    assert not lease.holds()


def test_there_are_several_tries_to_renew_a_lease_before_it_ends() -> None:
    lease = lease_at(Now(), lease_s=30.0)
    assert lease.renew_every_s * 3 < 30.0 - SPARE_S


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(st.floats(0.0, 20.0), st.floats(0.0, 20.0)), max_size=10), st.floats(0.0, 5.0))
def test_no_lease_holds_when_another_node_may_call_the_life_over(
    renewals: list[tuple[float, float]], seen_after_s: float
) -> None:
    """Each renewal: how long after the one before it is sent, and how long its acknowledgement takes.

    The other one has a clock of its own, which runs as fast; it sees entries no earlier than they were sent.
    """
    now, offset_s = Now(), 5_000.0
    lease, members = lease_at(now), Members(30.0)
    for number, (pause_s, answer_s) in enumerate(renewals, 1):
        now.s += pause_s
        sent_at_s = now.s
        members.see({"a": (number, Member("1-x", "folder"))}, now.s + seen_after_s + offset_s)
        now.s += answer_s
        lease.renewed(sent_at_s)
    for _ in range(60):
        if members.silent(now.s + offset_s):
            assert not lease.holds()
        now.s += 1.0
    assert not lease.holds()


def test_the_clock_goes_on_by_itself() -> None:
    assert 0 < boot_time_s() <= boot_time_s()
