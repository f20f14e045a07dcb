"""A host that must rest for long: whoever takes it over hears of it, whatever else there is to tell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from tests.cluster.schedules.node import BUCKETS, LEASE_S, SHARES, Node
from tests.cluster.schedules.schedule import World, a_world
from weft.cluster.events import Claim, Entries, Event, HostNote, Release, from_bytes
from weft.cluster.life import Life
from weft.cluster.log import STREAMS, deeds
from weft.frontier.rows import HostRow

REST_S = 600.0


def events_of(world: World, bucket: int) -> list[Event]:
    """What the log says of a bucket."""
    messages = world.network.stored.streams[bucket % STREAMS]
    return [from_bytes(one.data) for one in messages if one.subject == deeds(bucket)]


def owned_by(world: World, number: int) -> bool:
    life = world.nodes[number].life
    return life is not None and len(life.holdings.held) == BUCKETS


def until_owned_by(world: World, number: int) -> None:
    until_s = world.timeline.now_s + 120.0  # of the model's time
    while not owned_by(world, number):
        assert world.timeline.now_s < until_s, "the buckets are not taken"
        world.let_pass(1.0)


def alone_and_paused(world: World) -> tuple[Life, asyncio.AbstractEventLoop]:
    """The first node owns all buckets, and nothing is under way."""
    first = world.nodes[0]
    first.start()
    until_owned_by(world, 0)
    world.change_table(lambda table: msgspec.structs.replace(table, paused=True))
    world.let_pass(10.0)
    assert first.life is not None
    assert first.loop is not None
    return first.life, first.loop


def test_what_is_left_of_a_short_rest_is_told_when_its_host_is_given_up() -> None:
    """Others need not wait for a lease to end before they ask it."""
    rest_s = LEASE_S - 0.5
    with a_world(1) as world:
        first, second = world.nodes[:2]
        life, loop = alone_and_paused(world)
        host = next(name for name, row in hosts_of(first) if not row.parked)
        second.start()
        loop.call_soon(life._inside.frontier.holds.hold, host, rest_s, "status 429", "")
        world.change_table(lambda table: msgspec.structs.replace(table, drained=[first.name]))
        until_owned_by(world, 1)
        assert first.life is life
        *_, told, released, claimed = events_of(world, SHARES.of_host(host))
        assert isinstance(told, Entries)
        (note,) = (one for one in told.entries if isinstance(one, HostNote) and one.host == host)
        assert 1.0 < note.rest_s <= rest_s
        assert isinstance(released, Release)
        assert isinstance(claimed, Claim)


def hosts_of(node: Node) -> Iterator[tuple[str, HostRow]]:
    """The hosts that have something queued."""
    assert node.life is not None
    return node.life._inside.frontier.residents.rows.of_buckets(b"\0\0", b"\xff\xff")


@pytest.mark.parametrize("wait_s", [0.0, 5.0], ids=["at once", "later"])
def test_a_long_rest_of_a_node_that_commits_nothing_is_told_before_its_hosts_are_given_up(wait_s: float) -> None:
    with a_world(1) as world:
        first, second = world.nodes[:2]
        life, loop = alone_and_paused(world)
        assert life._publisher.is_idle
        host = world.web.hosts[0]
        loop.call_soon(life._inside.frontier.holds.on_rest, host, REST_S)
        world.let_pass(wait_s)
        second.start()
        world.change_table(lambda table: msgspec.structs.replace(table, drained=[first.name]))
        until_owned_by(world, 1)
        world.let_pass(5.0)
        assert first.life is life  # others do not take it for dead
        *_, told, released, claimed = events_of(world, SHARES.of_host(host))
        assert isinstance(told, Entries)
        (note,) = told.entries
        assert isinstance(note, HostNote)
        assert (note.host, note.rest_s) == (host, REST_S)
        assert note.since == pytest.approx(life._context.clock.wall(), abs=120.0)  # of the model's time
        assert isinstance(released, Release)
        assert isinstance(claimed, Claim)
