from __future__ import annotations

from math import inf, nan

import pytest

from weft.errors import BadInput
from weft.order import MAX_RANK, ORDERS, BreadthFirst, fitting, guarded, order_named
from weft.types import Link

URL = "http://a.example/"


def test_breadth_first_visits_nearer_pages_earlier() -> None:
    ranks = [BreadthFirst().rank(Link(URL, depth)) for depth in range(50)]
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize("depth", [65_534, 65_535, 65_536, 10_000_000])
def test_a_rank_fits_into_two_bytes_however_deep_the_page(depth: int) -> None:
    assert 0 <= BreadthFirst().rank(Link(URL, depth)) <= 65_535


@pytest.mark.parametrize("name", ORDERS)
def test_every_order_can_be_had_by_its_name(name: str) -> None:
    assert isinstance(order_named(name), ORDERS[name])


def test_an_unknown_order_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"unknown order 'dsf'; known are .*bfs"):
        order_named("dsf")


class LongestFirst:
    def rank(self, link: Link) -> float:
        return 100_000.7 - 10_000 * len(link.url)


class NoOrder:
    pass


def test_a_users_own_order_is_found_by_its_import_path_and_its_ranks_fit() -> None:
    rank = guarded(order_named(f"{__name__}:LongestFirst")).rank
    assert rank(Link("http://a/", 0)) == 10_000
    assert rank(Link("x", 0)) == 65_534, "the very last is for retries"
    assert rank(Link("http://a.example/long", 0)) == 0


@pytest.mark.parametrize(
    ("rank", "fits"),
    [(-1, 0), (-inf, 0), (0.9, 0), (MAX_RANK + 1, MAX_RANK), (10**400, MAX_RANK), (inf, MAX_RANK), (nan, MAX_RANK)],
)
def test_any_number_is_made_a_rank_that_fits(rank: float, fits: int) -> None:
    assert fitting(rank) == fits


class OfSomething:
    def __init__(self, something: str) -> None:
        self.rank = something.count


def test_an_order_that_cannot_be_made_without_arguments_is_refused() -> None:
    with pytest.raises(BadInput, match="OfSomething' cannot be made without arguments"):
        order_named(f"{__name__}:OfSomething")


@pytest.mark.parametrize("name", [f"{__name__}:NoOrder", f"{__name__}:Missing", "no_such_module:X", "no_module:"])
def test_what_is_no_order_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="order"):
        order_named(name)
