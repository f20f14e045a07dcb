"""When a crawl is over: two probes, one behind the other in every stream, with nobody busy."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.ending import Ending, Probes
from weft.cluster.members import Member, ProbeHeard

LIFE = "1-x"
IDLE = Member("1-x", "folder", buckets=8, is_idle=True)


def idle(probe: int = 0, by: str = LIFE, **changes: object) -> dict[str, Member]:
    """Two nodes that have nothing to do and have heard a probe."""
    one = msgspec.structs.replace(IDLE, heard=ProbeHeard(by, probe) if probe else None)
    return {"a": one, "b": msgspec.structs.replace(one, life="1-y", **changes)}


def begun() -> Ending:
    """The first probe is sent."""
    ending = Ending(LIFE, 16)
    assert ending.wants_probe(idle()) == 1
    assert not ending.sent(1, (10, 20, 30, 40))
    return ending


# ── the writer's part ──────────────────────────────────────────────────────────────────────────────────


def test_a_crawl_is_over_when_the_second_probe_stands_right_behind_the_first_in_every_stream() -> None:
    ending = begun()
    assert ending.wants_probe(idle(1)) == 2
    assert ending.sent(2, (11, 21, 31, 41))


@pytest.mark.parametrize("stream", range(4))
def test_it_is_not_over_if_something_came_between_them_in_one_stream(stream: int) -> None:
    ending = begun()
    places = [11, 21, 31, 41]
    places[stream] += 1
    assert not ending.sent(2, places)


def test_after_that_the_second_probe_is_the_first_of_another_try() -> None:
    ending = begun()
    assert not ending.sent(2, (12, 21, 31, 41))
    assert ending.wants_probe(idle(1)) is None
    assert ending.wants_probe(idle(2)) == 3
    assert ending.sent(3, (13, 22, 32, 42))


@pytest.mark.parametrize(
    "members",
    [
        {},
        idle(is_idle=False),
        idle(buckets=7),
        idle(buckets=9),
    ],
    ids=["nobody lives", "one is busy", "a bucket is nobody's", "a bucket is told twice"],
)
def test_no_probe_is_sent_before_all_are_idle_and_own_all_buckets(members: Mapping[str, Member]) -> None:
    assert Ending(LIFE, 16).wants_probe(members) is None


@pytest.mark.parametrize(
    "members",
    [idle(), idle(2), idle(1, by="1-z"), idle(1, heard=None), idle(1, heard=ProbeHeard(LIFE, 2))],
    ids=["none has heard it", "another number", "of another life", "one has not", "one has heard another"],
)
def test_the_second_probe_waits_until_all_have_heard_the_first(members: Mapping[str, Member]) -> None:
    assert begun().wants_probe(members) is None


def test_if_one_was_busy_in_between_it_begins_again_with_a_number_that_nobody_has_heard() -> None:
    ending = begun()
    assert ending.wants_probe(idle(1, is_idle=False)) is None
    assert ending.wants_probe(idle(1)) == 2
    assert not ending.sent(2, (11, 21, 31, 41)), "though it stands behind the first"
    assert ending.wants_probe(idle(1)) is None


# ── a node's part ──────────────────────────────────────────────────────────────────────────────────────


def test_a_probe_is_heard_when_it_has_come_in_all_streams() -> None:
    probes = Probes(4)
    assert probes.heard_everywhere is None
    for stream in (2, 0, 3):
        probes.hear(stream, ProbeHeard(LIFE, 1))
        assert probes.heard_everywhere is None
    probes.hear(1, ProbeHeard(LIFE, 1))
    assert probes.heard_everywhere == ProbeHeard(LIFE, 1)


def test_of_probes_that_differ_none_is_heard_everywhere() -> None:
    probes = Probes(2)
    probes.hear(0, ProbeHeard(LIFE, 1))
    probes.hear(1, ProbeHeard("1-y", 1))
    assert probes.heard_everywhere is None
    probes.hear(1, ProbeHeard(LIFE, 1))
    probes.hear(0, ProbeHeard(LIFE, 2))
    assert probes.heard_everywhere is None


# ── both ───────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=300, deadline=None, database=None)
@given(st.lists(st.sampled_from(["send", "read 0", "read 1", "work 0", "work 1", "look", "renew"]), max_size=40))
def test_in_no_order_of_steps_is_a_crawl_over_while_work_is_on_its_way(steps: list[str]) -> None:
    """Two nodes, two streams; each node reads one stream's work, and all probes. Work makes more work, until it ends.

    `send` is work that was under way at the beginning: a node that has some is not idle.
    """
    streams: list[list[object]] = [[], []]
    read = [[0, 0], [0, 0]]  # by node and stream
    under_way = [2, 1]
    probes = [Probes(2), Probes(2)]
    ending = Ending(LIFE, 16)
    entries = idle()

    def is_idle(node: int) -> bool:
        return not under_way[node]

    def look() -> bool:
        if (number := ending.wants_probe(entries)) is None:
            return False
        for stream in streams:
            stream.append(ProbeHeard(LIFE, number))
        return ending.sent(number, [len(stream) for stream in streams])

    for step in steps:
        what, _, which = step.partition(" ")
        node = int(which or 0)
        if what == "send" and under_way[0]:
            under_way[0] -= 1
            streams[1].append("work")  # told before it is idle
        elif what == "work" and under_way[node]:
            under_way[node] -= 1
        elif what == "read":
            for stream in range(2):
                if read[node][stream] < len(streams[stream]):
                    event = streams[stream][read[node][stream]]
                    read[node][stream] += 1
                    if isinstance(event, ProbeHeard):
                        probes[node].hear(stream, event)
                    elif stream == node:
                        under_way[node] += 1
        elif what == "renew":
            entries = {
                name: msgspec.structs.replace(
                    IDLE, is_idle=is_idle(at), heard=probes[at].heard_everywhere if is_idle(at) else None
                )
                for at, name in enumerate("ab")
            }
        elif what == "look" and look():
            assert under_way == [0, 0]
            assert "work" not in [event for at in range(2) for event in streams[at][read[at][at] :]]
            return
