"""URLs that wait get another rank, by an order that has changed its mind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frontier.rig import Rig, url, urls
from weft.types import Kind, Link
from weft.url import url_id


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "moving", moves=True)
    yield rig
    rig.state.close()


def move(rig: Rig, rank: int, *moved: str) -> list[bool]:
    places = rig.frontier.places
    assert places is not None
    with rig.commit() as batch:
        return [places.move(batch, url_id(one), rank) for one in moved]


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


def test_each_url_comes_once_when_a_batch_moves_all_that_memory_has_of_a_host(rig: Rig) -> None:
    """The host is read from the disk again, where the rows of the batch are already."""
    rig.put(*urls("a", 20), depth=5)
    move(rig, 9, *urls("a", 18))
    assert rig.drain() == [*urls("a", 20)[18:], *urls("a", 18)]


def test_a_url_that_is_moved_several_times_in_a_batch_or_queued_in_it_ends_where_it_was_moved_last(rig: Rig) -> None:
    rig.put(*urls("a", 3), depth=5)
    places = rig.frontier.places
    assert places is not None
    with rig.commit() as batch:
        rig.frontier.put(batch, "a.example", Link(url("a", 9), 7, Kind.LINK))
        for rank in (1, 2, 9, 1):
            assert places.move(batch, url_id(url("a", 9)), rank)
        for rank in (4, 5, 4, 5, 2):
            places.move(batch, url_id(url("a", 1)), rank)
        for rank in (1, 5):
            places.move(batch, url_id(url("a", 2)), rank)  # and back
    assert len(list(rig.state.scan("queue"))) == 4
    assert rig.drain() == [url("a", 9), url("a", 1), url("a", 0), url("a", 2)]


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
