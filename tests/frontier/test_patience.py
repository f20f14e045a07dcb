"""With patience, what was found later goes before a URL a bounded number of times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontier.rig import Rig, url, urls

PATIENCE = 10


def visited_before(rig: Rig, awaited: str, *, most: int, each_time: Callable[[int], None] = lambda number: None) -> int:
    """Visit a host at which better URLs turn up all the time; how many visits it takes until this URL comes."""
    for number in range(most):
        rig.put(url("a", 1000 + 2 * number), url("a", 1001 + 2 * number), depth=1)
        visit = rig.visit()
        if visit.link.url == awaited:
            return number
        rig.end(visit)
        rig.clock.advance(1)
        each_time(number)
    return most


@pytest.mark.parametrize(("patience", "visits"), [(None, 50), (PATIENCE, PATIENCE)])
def test_a_url_waits_while_so_many_that_came_later_are_visited(
    tmp_path: Path, patience: int | None, visits: int
) -> None:
    rig = Rig(tmp_path / "state", patience=patience)
    rig.put(url("a", 1), depth=9)
    assert visited_before(rig, url("a", 1), most=50) == visits
    rig.state.close()


def test_what_waits_together_comes_by_age_once_its_time_has_come(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "state", patience=PATIENCE)
    rig.put(*reversed(urls("a", 5)), depth=9)
    rig.put(*(url("a", 100 + number) for number in range(20)), depth=1)
    came = rig.drain()
    assert came[:PATIENCE] == [url("a", 100 + number) for number in range(PATIENCE)]
    assert came[PATIENCE : PATIENCE + 5] == list(reversed(urls("a", 5)))
    rig.state.close()


def test_patience_is_kept_over_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "state", patience=PATIENCE)
    rig.put(url("a", 1), depth=9)

    def die_at_times(number: int) -> None:
        if number % 3 == 0:
            rig.restart()
            rig.clock.advance(100)

    assert visited_before(rig, url("a", 1), most=50, each_time=die_at_times) == PATIENCE
    rig.state.close()


def test_nothing_is_left_of_urls_that_were_visited(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "state", patience=3)
    rig.put(*urls("a", 30), *urls("b", 2), depth=5)
    assert len(set(rig.drain())) == 32
    assert [key for key, _ in rig.state.scan("patience") if b"\0" in key[2:]] == []
    rig.state.close()
