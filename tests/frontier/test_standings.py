"""How URLs stand that wait: what pages tell of them adds up, over restarts and tries again, and each counts once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.frontier.rig import Rig, url
from weft.frontier import places
from weft.frontier.places import Places
from weft.state.keys import rank_of
from weft.types import Kind, Link, Standing
from weft.url import host_of, url_id


def added(known: Standing, new: Standing) -> Standing:
    return Standing(known.score + new.score, max(known.inherited, new.inherited))


class Scores:
    """A frontier whose URLs stand by sums, and what must come of it."""

    def __init__(self, path: Path) -> None:
        self.rig = Rig(path, moves=True, connections=5, delay_s=0.0, rank=lambda link: 998)
        self.expected: dict[str, float] = {}
        self.under_way: list = []  # type: ignore[type-arg]
        self._set_up()

    def _set_up(self) -> None:
        self.places.rank = lambda score: max(0, 1000 - int(score))
        self.places.first = lambda link: Standing(1.0)
        self.places.recall(added)

    @property
    def places(self) -> Places:
        assert self.rig.frontier.places is not None
        return self.rig.frontier.places

    def page(self, new: list[str], told: list[tuple[str, float]]) -> None:
        """The batch of a page: some URLs are new, of others there is news."""
        with self.rig.commit() as batch:
            for one in new:
                self.rig.frontier.put(batch, host_of(one), Link(one, 3, Kind.LINK, standing=Standing(2.0)))
                self.expected[one] = 2.0
            for one, score in told:
                self.places.restand(batch, url_id(one), Standing(score), added)
                if one in self.expected:
                    self.expected[one] += score

    def begin(self) -> None:
        if (visit := self.rig.next_visit()) is not None:
            self.under_way.append(visit)

    def end(self, *, is_retried: bool) -> None:
        if not self.under_way:
            return
        visit = self.under_way.pop()
        self.rig.frontier.release(visit, answered=True)
        if is_retried:
            self.rig.retry(visit, 0.0)
        else:
            self.rig.finish(visit)
            del self.expected[visit.link.url]

    def restart(self) -> None:
        self.rig.restart()
        self.under_way.clear()
        self.rig.clock.advance(10)
        self._set_up()

    def check(self) -> None:
        standings = {one: self.places.standing(url_id(one)) for one in self.expected}
        assert {one: standing.score for one, standing in standings.items() if standing} == pytest.approx(self.expected)
        for key, row in self.rig.state.scan("queue"):
            assert row
            assert rank_of(key)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 12))])
def test_scores_add_up_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(places, "FOLD_AT", 25)
    monkeypatch.setattr(places, "REMEMBERED", 10)
    chance = random.Random(seed)
    scores = Scores(tmp_path / "state")
    numbers = iter(range(10_000))
    known: list[str] = []
    for _ in range(400):
        match chance.choices(["page", "begin", "end", "retry", "restart"], [8, 5, 3, 2, 1])[0]:
            case "page":
                new = [url(chance.choice("abc"), next(numbers)) for _ in range(chance.randrange(3))]
                known += new
                told = [(chance.choice(known), chance.random() * 30) for _ in range(chance.randrange(9)) if known]
                scores.page(new, told)
            case "begin":
                scores.begin()
            case "end":
                scores.end(is_retried=False)
            case "retry":
                scores.end(is_retried=True)
            case "restart":
                scores.restart()
        scores.check()
    assert len(known) > 100
    scores.rig.state.close()


def test_a_url_that_is_told_of_moves_ahead(tmp_path: Path) -> None:
    scores = Scores(tmp_path / "state")
    scores.page([url("a", number) for number in range(50)], [])
    scores.page([], [(url("a", 33), 5.0), (url("a", 20), 9.0)])
    scores.restart()
    for expected in (url("a", 20), url("a", 33), url("a", 0)):
        scores.begin()
        assert scores.under_way[-1].link.url == expected
        scores.end(is_retried=False)
    scores.rig.state.close()


def test_what_is_known_better_than_from_news_counts_alone(tmp_path: Path) -> None:
    scores = Scores(tmp_path / "state")
    scores.page([url("a", 1), url("a", 2)], [(url("a", 1), 100.0)])
    with scores.rig.commit() as batch:
        scores.places.put_standing(batch, url_id(url("a", 1)), Standing(7.0))
    for _ in range(2):
        assert scores.places.standing(url_id(url("a", 1))) == Standing(7.0)
        scores.restart()
    scores.rig.state.close()


def test_news_of_what_is_taken_away_is_not_news_of_what_comes_in_its_place(tmp_path: Path) -> None:
    scores = Scores(tmp_path / "state")
    one = url("a", 1)
    scores.page([one, url("b", 1)], [(one, 100.0), (url("b", 1), 5.0)])
    bucket = url_id(one)[:2]
    after = (int.from_bytes(bucket, "big") + 1).to_bytes(2, "big")
    with scores.rig.commit() as batch:
        scores.places.forget(bucket, after)
        for family in ("queue", "place", "host"):
            batch.delete_range(family, bucket, after)
    scores.restart()
    assert scores.places.standing(url_id(one)) is None
    assert scores.places.standing(url_id(url("b", 1))) == Standing(7.0)
    scores.page([one], [])
    scores.restart()
    assert scores.places.standing(url_id(one)) == Standing(2.0)
    scores.rig.state.close()
