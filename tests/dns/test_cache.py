"""The pools of paper 1: what stays, what goes, and for how long an answer holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.dns import NameCache

ADDRESS = ("192.0.2.1",)


def filled(capacity: int, names: list[str]) -> NameCache:
    cache = NameCache(capacity)
    for name in names:
        cache.put(name, ADDRESS, 300, now=0)
    return cache


def test_a_name_that_was_put_is_found() -> None:
    cached = filled(10, ["a.example"]).get("a.example", now=1)
    assert cached is not None
    assert cached.addresses == ADDRESS


def test_a_name_that_was_not_put_is_not_found() -> None:
    cache = filled(10, ["a.example"])
    assert cache.get("b.example", now=1) is None  # another pool
    assert cache.get("a.exampel", now=1) is None  # the same pool
    assert cache.get("", now=1) is None


def test_an_answer_holds_for_its_ttl() -> None:
    cache = NameCache(ttl_floor_s=1)
    cache.put("a.example", ADDRESS, 300, now=1000)
    assert cache.get("a.example", now=1299.9) is not None
    assert cache.get("a.example", now=1300) is None
    assert len(cache) == 0


def test_a_short_ttl_is_raised_to_the_floor() -> None:
    assert NameCache(ttl_floor_s=60).put("a.example", ADDRESS, 0, now=0).expires_at == 60


def test_a_long_ttl_is_lowered_to_the_ceiling() -> None:
    assert NameCache(ttl_ceiling_s=3600).put("a.example", ADDRESS, 10**9, now=0).expires_at == 3600


def test_that_a_name_does_not_exist_is_remembered_for_a_bounded_time() -> None:
    cache = NameCache(negative_ttl_s=30, stale_for_s=1000)
    cache.put("no.example", (), 10**9, now=0)
    cached = cache.get("no.example", now=29)
    assert cached is not None
    assert cached.addresses == ()
    assert cache.get("no.example", now=30) is None


def test_a_stale_answer_is_still_handed_out_where_that_is_wanted() -> None:
    cache = NameCache(ttl_floor_s=1, stale_for_s=10)
    cache.put("a.example", ADDRESS, 5, now=0)
    cached = cache.get("a.example", now=14)
    assert cached is not None
    assert cached.expires_at == 5
    assert cache.get("a.example", now=15) is None


def test_a_renewed_name_keeps_its_uses() -> None:
    cache = filled(10, ["a.example"])
    for _ in range(5):
        cache.get("a.example", now=1)
    assert cache.put("a.example", ("192.0.2.2",), 300, now=2).uses == 6
    assert len(cache) == 1


def test_a_full_cache_stays_at_its_capacity() -> None:
    cache = filled(50, [f"{'abc'[i % 3]}{i}.example" for i in range(500)])
    assert len(cache) == 50
    assert cache.replaced == 450


def test_the_lightest_name_of_a_pool_is_replaced() -> None:
    names = [f"n{i}.example" for i in range(8)]
    cache = filled(8, names)
    for name in names:
        if name != "n5.example":
            cache.get(name, now=1)
    cache.put("n8.example", ADDRESS, 300, now=2)
    assert cache.get("n5.example", now=3) is None
    assert all(cache.get(name, now=3) for name in names if name != "n5.example")


def test_names_used_often_outlive_a_flood_of_names_used_once() -> None:
    busy = [f"busy{i}.example" for i in range(20)]
    cache = filled(100, busy)
    for _ in range(50):
        for name in busy:
            cache.get(name, now=1)
    for i in range(2_000):
        cache.put(f"once{i % 1000:04}.example{i}", ADDRESS, 300, now=2)
    assert sum(cache.get(name, now=3) is not None for name in busy) == 20


def test_recent_use_outweighs_more_uses_long_ago() -> None:
    cache = filled(8, [f"n{i}.example" for i in range(8)])
    for _ in range(5):
        cache.get("n0.example", now=1)
    for _ in range(500):
        cache.get("n7.example", now=1)
    for i in range(1, 7):
        cache.get(f"n{i}.example", now=1)
    cache.put("n8.example", ADDRESS, 300, now=2)
    assert cache.get("n0.example", now=3) is None
    assert all(cache.get(f"n{i}.example", now=3) for i in range(1, 9))


def test_a_light_name_that_is_used_again_is_spared() -> None:
    cache = filled(8, [f"n{i}.example" for i in range(8)])
    for i in range(2, 8):
        cache.get(f"n{i}.example", now=1)
    cache.put("n8.example", ADDRESS, 300, now=2)  # sorts the pool: n0 goes, n1 would be next
    assert cache.get("n0.example", now=3) is None
    for _ in range(5):
        cache.get("n1.example", now=3)
    cache.put("n9.example", ADDRESS, 300, now=4)
    assert cache.get("n1.example", now=5) is not None


def test_a_lone_name_can_be_replaced() -> None:
    cache = filled(1, ["a.example", "b.example", "ccc.example"])
    assert len(cache) == 1
    assert cache.get("ccc.example", now=1) is not None


names = st.text("abw", min_size=1, max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["get", "put", "wait"]), names), max_size=80), st.integers(1, 6))
def test_whatever_happens_the_cache_never_lies_and_never_overflows(steps: list[tuple[str, str]], capacity: int) -> None:
    cache = NameCache(capacity, ttl_floor_s=1)
    truth: dict[str, tuple[tuple[str, ...], float]] = {}
    now = 0.0
    for number, (step, name) in enumerate(steps):
        if step == "wait":
            now += 4
        elif step == "put":
            truth[name] = ((f"192.0.2.{number}",), now + 10)
            cache.put(name, truth[name][0], 10, now)
        elif (cached := cache.get(name, now)) is not None:
            addresses, expires_at = truth[name]
            assert cached.addresses == addresses
            assert now < expires_at
        assert len(cache) <= capacity
        assert len(cache) == sum(len(pool.names) for pool in cache._pools.values())
