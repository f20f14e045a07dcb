from __future__ import annotations

import pytest

from weft.filter import DepthFilter, FilterChain, LengthFilter, ScopeFilter, Stage, UrlFilter
from weft.types import Kind, Link, Refusal

LINK = Link("http://h/long/path", 3, Kind.LINK, "http://h/")


class Recorder(UrlFilter):
    """Notes what it is asked."""

    def __init__(self, answer: Refusal | None, stage: Stage = Stage.SCHEDULE) -> None:
        self.answer = answer
        self.stage = stage
        self.asked: list[Link] = []

    def refuses(self, link: Link) -> Refusal | None:
        self.asked.append(link)
        return self.answer


def test_an_empty_chain_refuses_nothing() -> None:
    assert FilterChain().refuses(LINK) is None


def test_the_first_refusal_wins() -> None:
    assert FilterChain([DepthFilter(1), LengthFilter(5)]).refuses(LINK) == Refusal.DEPTH
    assert FilterChain([LengthFilter(5), DepthFilter(1)]).refuses(LINK) == Refusal.LENGTH


def test_after_a_refusal_no_further_filter_is_asked() -> None:
    first, second = Recorder(Refusal.USER), Recorder(None)
    assert FilterChain([first, second]).refuses(LINK) == Refusal.USER
    assert (first.asked, second.asked) == ([LINK], [])


def test_filters_that_need_the_link_are_asked_after_those_that_need_only_the_url() -> None:
    recorder = Recorder(Refusal.USER)
    assert FilterChain([recorder, DepthFilter(1)]).refuses(LINK) == Refusal.DEPTH
    assert recorder.asked == []


def test_the_two_halves_can_be_asked_apart() -> None:
    recorder = Recorder(Refusal.USER)
    chain = FilterChain([ScopeFilter("host", ["http://h/"]), recorder])
    assert chain.refuses_url(LINK.url, "h", LINK.depth) is None
    assert chain.refuses_url("http://g/", "g", 1) == Refusal.SCOPE
    assert recorder.asked == []
    assert chain.refuses_link(LINK) == Refusal.USER


def test_filters_come_and_go_while_the_chain_is_in_use() -> None:
    chain = FilterChain()
    depth, user = DepthFilter(1), Recorder(Refusal.USER)
    chain.add(user)
    assert chain.refuses(LINK) == Refusal.USER
    chain.add(depth)
    assert chain.refuses(LINK) == Refusal.DEPTH
    assert list(chain) == [user, depth]
    chain.remove(depth)
    chain.remove(user)
    assert chain.refuses(LINK) is None
    with pytest.raises(ValueError, match="not in list"):
        chain.remove(user)


def test_each_stage_asks_its_own_filters() -> None:
    at_schedule, at_fetch = Recorder(Refusal.PATTERN), Recorder(Refusal.USER, Stage.FETCH)
    chain = FilterChain([at_schedule, at_fetch])
    assert chain.at(Stage.SCHEDULE).refuses(LINK) == Refusal.PATTERN
    assert chain.at(Stage.FETCH).refuses(LINK) == Refusal.USER
    assert DepthFilter(1).stage == Stage.SCHEDULE
