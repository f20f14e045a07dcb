"""A log that was cut short: every life says so, until somebody makes the log again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.cluster.schedules.schedule import World, a_world
from weft.cluster.events import LogDamaged
from weft.cluster.log import PAUSE_S, STREAMS, Log, NatsLog
from weft.cluster.reach import Reach, reached
from weft.state import State

MADE = ["made"] * STREAMS


def until_told(world: World, number: int) -> None:
    """A node finds that the log is damaged."""
    node = world.nodes[number]
    node.start()
    with pytest.raises(LogDamaged, match="has lost events"):
        world.let_pass(120.0)
    node.trouble = None


def a_log_cut_short(world: World, places: int) -> None:
    """A node has written; then all servers are away, and have lost the end."""
    world.nodes[0].start()
    while len(world.done()) < 5:
        world.let_pass(1.0)
    world.nodes[0].kill()
    world.network.stored.cut_short(places)


@pytest.mark.parametrize("places", [1, 1_000])
def test_each_life_of_a_node_says_that_the_log_was_cut_short_and_keeps_its_rows(places: int) -> None:
    with a_world(1) as world:
        a_log_cut_short(world, places)
        rows = dict(world.nodes[0].disk.rows["page"].values)
        assert rows
        for _ in range(3):
            until_told(world, 0)
            assert world.nodes[0].disk.rows["page"].values == rows  # of which the log is made again


def test_a_log_that_is_cut_short_while_a_node_writes_ends_that_life_and_all_later_ones() -> None:
    with a_world(1) as world:
        world.nodes[0].start()
        while len(world.done()) < 5:
            world.let_pass(1.0)
        world.network.stored.cut_short(3)
        for _ in range(3):
            until_told(world, 0)


def test_a_log_that_was_made_again_is_not_compared_with_the_one_before(tmp_path: Path) -> None:
    state, log = State(tmp_path / "state"), cast(Log, SimpleNamespace())
    try:
        reach = Reach(state, log, MADE)
        log.known = [9, 8, 7, 6]
        reach.keep()
        assert reached([state], MADE) == [9, 8, 7, 6]
        assert reached([state], ["again", *MADE[1:]]) == [0] * STREAMS
    finally:
        state.close()


class OldLeader:
    """Tells an end that is not true any more, twice."""

    def __init__(self) -> None:
        self.known: list[int] = []
        self.asked = 0

    async def ends(self) -> list[int]:
        self.asked += 1
        return [5 if self.asked <= 2 else 9] * STREAMS


def test_an_old_end_that_a_former_leader_tells_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.cluster.reach.PAUSE_S", PAUSE_S / 1_000)
    leader = OldLeader()
    state = State(tmp_path / "state")
    try:
        reach = Reach(state, cast(Log, leader), MADE)
        leader.known = [7] * STREAMS
        assert asyncio.run(reach.ends()) == [9] * STREAMS
        assert reached([state], MADE) == [9] * STREAMS
    finally:
        state.close()


def test_an_event_that_comes_to_stand_before_one_that_was_acknowledged_shows_that_the_log_was_cut_short() -> None:
    class Server:
        max_payload, is_closed = 1 << 20, False
        places = iter([7, 8, 8])

        def jetstream(self, timeout: float) -> Server:
            return self

        async def publish(self, *_: object, **__: object) -> object:
            return SimpleNamespace(seq=next(self.places))

    log = NatsLog(cast("object", Server()), "crawl")  # type: ignore[arg-type]

    async def write() -> list[int]:
        return [await log.publish(0, "f.0", b""), await log.publish(0, "f.0", b"")]

    assert asyncio.run(write()) == [7, 8]
    with pytest.raises(LogDamaged, match="has lost events"):
        asyncio.run(write())
