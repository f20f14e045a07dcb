"""A scope that grew is remembered until pages were read again, whatever ends the run before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.pipeline.growing_scope import GrowingScope
from weft.state import State
from weft.types import PageRow


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state")
    yield state
    state.close()


def add(state: State, scope: GrowingScope, *seeds: str) -> None:
    batch = state.batch()
    scope.add(batch, seeds)
    state.write(batch)


def judged_by(seeds: int) -> PageRow:
    return PageRow("http://a.test/", 200, 0.0, 1, outside=seeds)


def test_by_the_seeds_that_a_crawl_begins_with_nothing_grows(state: State) -> None:
    scope = GrowingScope(state, "host")
    add(state, scope, "http://a.test/", "http://b.test/")
    assert not scope.has_grown


@pytest.mark.parametrize(
    ("kind", "seed", "grows"),
    [
        ("host", "https://a.test/x", False),
        ("host", "https://www.a.test/", True),
        ("domain", "https://www.a.test/", False),
        ("prefix", "https://a.test/docs/more/", False),
        ("prefix", "https://a.test/", True),
        ("any", "https://b.test/", False),
    ],
)
def test_it_grows_by_what_it_did_not_hold(kind: str, seed: str, grows: bool, state: State) -> None:
    scope = GrowingScope(state, kind)
    add(state, scope, "http://a.test/docs/")
    add(state, scope, seed)
    assert scope.has_grown is grows


def test_pages_judged_before_it_grew_are_told_from_others_also_by_the_next_run(state: State) -> None:
    scope = GrowingScope(state, "host")
    add(state, scope, "http://a.test/", "http://b.test/")
    add(state, scope, "http://c.test/")
    add(state, scope, "http://c.test/same")
    scope = GrowingScope(state, "host")
    assert scope.seeds == ["http://a.test/", "http://b.test/", "http://c.test/", "http://c.test/same"]
    assert [scope.was_smaller_for(judged_by(seeds)) for seeds in range(5)] == [False, True, True, False, False]


def test_once_they_are_read_again_it_is_forgotten(state: State) -> None:
    scope = GrowingScope(state, "host")
    add(state, scope, "http://a.test/")
    add(state, scope, "http://b.test/")
    batch = state.batch()
    scope.settle_growth(batch)
    state.write(batch)
    assert not scope.has_grown
    assert not GrowingScope(state, "host").has_grown
