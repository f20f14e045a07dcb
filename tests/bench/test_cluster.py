"""The figures of `make bench-cluster`."""

from __future__ import annotations

import msgspec
import pytest

from bench.clean.document import with_part
from bench.cluster.__main__ import PAGE, PARTS
from bench.cluster.paper import PHASES, due, ratio, received
from bench.cluster.phases import bucket_index, compute, host_names, must_hold
from bench.cluster.plain_ring import PlainRing
from bench.cluster.scale import cycled, drawn_hosts, folded, max_mean, measured
from bench.tools import PROJECT
from weft.url import bucket_of

NAMES = host_names(20_000)


def test_the_papers_ratios_follow_from_its_counts() -> None:
    first, c_left, e_joined = PHASES
    assert ratio(first.sent["A"], "A") == "1:2.20:0.50"
    assert ratio(c_left.sent["B"], "B") == "1:0.07"
    assert ratio(e_joined.sent["D"], "D") == "1:0.42:2.32"
    assert ratio(first.weights, "B") == "1:1.33:0.27"


def test_what_a_node_is_due_is_its_part_of_what_the_others_sent() -> None:
    sent = {"A": {"B": 10, "C": 20}, "B": {"A": 5, "C": 5}, "C": {"A": 1, "B": 2}}
    weights = {"A": 1, "B": 1, "C": 2}
    assert received(sent, "C") == 25
    assert due(sent, weights, "C") == pytest.approx(30 * 2 / 3 + 10 * 2 / 3)
    assert sum(due(sent, weights, node) for node in weights) == sum(received(sent, node) for node in weights)


def test_a_crawls_bucket_is_the_first_bits_of_a_hosts() -> None:
    whole = int.from_bytes(bucket_of("www.example.org"))
    assert [bucket_index("www.example.org", 1 << bits) for bits in (16, 8, 6)] == [whole, whole >> 8, whole >> 10]


def test_all_lines_of_the_paper_that_are_computed_hold() -> None:
    lines = must_hold(compute(NAMES, 256))
    assert [line.what for line in lines if not line.holds] == []


def test_a_phase_that_moves_the_wrong_buckets_does_not_hold() -> None:
    first, c_left, e_joined = compute(NAMES, 256)
    swapped = [
        first,
        msgspec.structs.replace(c_left, moves=e_joined.moves),
        msgspec.structs.replace(e_joined, moves=c_left.moves),
    ]
    assert [line.what for line in must_hold(swapped) if line.holds is False] == [
        "C leaves: buckets moved that were not C's",
        "E joins: buckets moved, but not to E",
    ]


def test_the_parts_of_a_plain_ring_are_the_hosts_of_its_nodes() -> None:
    ring = PlainRing(PHASES[0].weights)
    parts, owners = ring.parts(), ring.owners(NAMES)
    assert sum(parts.values()) == pytest.approx(1)
    for node, part in parts.items():
        assert owners.count(node) == pytest.approx(part * len(NAMES), rel=0.1)


def test_the_fullest_node_is_measured_by_what_it_is_due() -> None:
    assert max_mean({"A": 30, "B": 10}, {"A": 3, "B": 1}) == 1
    assert max_mean({"A": 20, "B": 20}, {"A": 3, "B": 1}) == 2


def test_hosts_by_fewer_buckets_are_the_same_hosts() -> None:
    hosts_of = drawn_hosts(10_000)
    assert sum(hosts_of) == sum(folded(hosts_of, 1_024)) == 10_000
    assert folded(hosts_of, 1_024)[1] == sum(hosts_of[64:128])


def test_one_of_many_nodes_moves_its_share_alone() -> None:
    row = measured("equal", cycled((100,), 50), 1_024, folded(drawn_hosts(10_000), 1_024))
    assert row.others == 0
    assert row.left_percent == pytest.approx(2, abs=0.1)
    assert row.joined_percent == pytest.approx(100 / 51, abs=0.1)


@pytest.mark.parametrize("name", PARTS)
def test_each_part_has_its_place_in_the_docs(name: str) -> None:
    assert "new figures" in with_part((PROJECT / "docs" / PAGE).read_text(), name, "new figures")
