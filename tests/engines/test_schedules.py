"""Random schedules of kills, power cuts and lost acknowledgements: no link is lost, no page is visited twice."""

from __future__ import annotations

import pytest

from .model import play

SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crawl_that_nothing_happens_to_visits_each_page_once(seed: int) -> None:
    outcome = play(seed)
    assert not outcome.missed
    assert not outcome.twice
    assert not outcome.queued


@pytest.mark.parametrize("seed", SEEDS)
def test_kills_lose_no_link_and_visit_no_page_twice(seed: int) -> None:
    outcome = play(seed, kills=4)
    assert not outcome.missed
    assert not outcome.twice


@pytest.mark.parametrize("seed", SEEDS)
def test_power_cuts_lose_no_link(seed: int) -> None:
    outcome = play(seed, kills=2, cuts=3)
    assert not outcome.missed
    assert not outcome.queued


def test_the_model_finds_links_that_are_acknowledged_before_they_are_safe() -> None:
    assert any(play(seed, cuts=4, acks_at_once=True).missed for seed in range(300))
