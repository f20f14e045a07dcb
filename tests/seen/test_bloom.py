from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.seen.ids import url_ids
from weft.seen import LayeredBloom


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(1, 5), st.sets(st.binary(min_size=16, max_size=16), max_size=300))
def test_what_was_put_in_is_never_denied(first_layer_items: int, items: set[bytes]) -> None:
    bloom = LayeredBloom(first_layer_items)
    for item in items:
        bloom.add(item)
    assert all(item in bloom for item in items)


@pytest.mark.parametrize("at_once", [1, 3, 40])
def test_several_put_in_at_once_grow_the_filter_as_one_by_one(at_once: int) -> None:
    bloom, items = LayeredBloom(10), url_ids(71)
    for start in range(0, len(items), at_once):
        bloom.add_all(items[start : start + at_once])
    assert all(item in bloom for item in items)
    assert bloom.statistics()["layers"] == 4


def test_an_empty_filter_holds_nothing() -> None:
    bloom = LayeredBloom(10)
    assert not any(item in bloom for item in url_ids(100))


@pytest.mark.parametrize(("items", "layers"), [(10, 1), (11, 2), (30, 2), (31, 3), (70, 3), (71, 4)])
def test_each_layer_holds_twice_the_one_before(items: int, layers: int) -> None:
    bloom = LayeredBloom(10)
    for item in url_ids(items):
        bloom.add(item)
    assert bloom.statistics()["layers"] == layers


def test_a_filter_that_has_grown_still_denies_nearly_all_it_does_not_hold() -> None:
    bloom = LayeredBloom(10)
    items = url_ids(22_000)
    for item in items[:2_000]:
        bloom.add(item)
    assert bloom.statistics()["layers"] > 4
    claimed = sum(item in bloom for item in items[2_000:])
    assert claimed < 0.05 * 20_000  # eight layers of 0.5 % would be 4 %


def test_the_memory_of_a_filter_is_told() -> None:
    bloom = LayeredBloom(1_000)
    small = bloom.statistics()["bytes"]
    assert 1_000 < small < 3_000  # about 11 bits an item
    for item in url_ids(1_001):
        bloom.add(item)
    assert bloom.statistics()["bytes"] > 2 * small
