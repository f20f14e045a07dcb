"""URLs that wait get another rank, by an order that has changed its mind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frontier.rig import Rig, url, urls
from weft.url import host_of, url_id


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "moving", moves=True)
    yield rig
    rig.state.close()


def move(rig: Rig, rank: int, *moved: str) -> list[bool]:
    with rig.commit() as batch:
        return [rig.frontier.move(batch, host_of(one), url_id(one), rank) for one in moved]


def test_a_url_that_is_moved_to_the_front_comes_next(rig: Rig) -> None:
    rig.put(*urls("a", 100), depth=5)
    assert move(rig, 0, url("a", 77), url("a", 3)) == [True, True]
    first = []
    for _ in range(3):
        visit = rig.visit()
        first.append(visit.link.url)
        rig.end(visit)
        rig.clock.advance(1)
    assert first == [url("a", 3), url("a", 77), url("a", 0)], "of equal rank as they were found"


def test_each_url_comes_once_however_often_it_is_moved(rig: Rig) -> None:
    rig.put(*urls("a", 100), *urls("b", 3), depth=5)
    for rank in (9, 2, 7, 7, 0):
        move(rig, rank, *urls("a", 100)[rank::7])
    assert sorted(rig.drain()) == sorted([*urls("a", 100), *urls("b", 3)])
    assert list(rig.state.scan("queue")) == []
    assert list(rig.state.scan("place")) == []


def test_a_url_moves_once_a_batch(rig: Rig) -> None:
    rig.put(*urls("a", 2), depth=5)
    assert move(rig, 1, url("a", 1), url("a", 1)) == [True, False]
    assert len(list(rig.state.scan("queue"))) == 2


def test_a_url_whose_turn_has_come_or_that_nobody_knows_does_not_move(rig: Rig) -> None:
    rig.put(*urls("a", 2), depth=5)
    visit = rig.visit()
    assert move(rig, 0, visit.link.url, url("a", 99), url("nowhere", 1)) == [False, False, False]
    rig.end(visit)
    assert move(rig, 0, visit.link.url) == [False]
    assert rig.drain() == [url("a", 1)]


def test_a_move_is_kept_over_a_restart(rig: Rig) -> None:
    rig.put(*urls("a", 30), depth=5)
    move(rig, 0, url("a", 20))
    rig.restart()
    rig.clock.advance(100)
    assert rig.visit().link.url == url("a", 20)
