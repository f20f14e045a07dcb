"""The pool of idle connections."""

from __future__ import annotations

from weft.fetch.pool import Pool

A = ("http", "a.test", 80)
B = ("http", "b.test", 80)


class Idle:
    """Stands for a connection."""

    def __init__(self) -> None:
        self.closed = False


def new_pool(max_total: int = 10, max_per_key: int = 3) -> Pool[Idle]:
    return Pool(max_total, max_per_key, idle_timeout_s=30)


def test_most_recently_used_connection_comes_first() -> None:
    pool = new_pool()
    first, second = Idle(), Idle()
    pool.put(A, first, 0)
    pool.put(A, second, 1)
    assert [pool.take(A), pool.take(A), pool.take(A)] == [second, first, None]


def test_connection_serves_only_its_own_place() -> None:
    pool = new_pool()
    pool.put(A, Idle(), 0)
    assert pool.take(B) is None
    assert pool.take(("https", *A[1:])) is None
    assert pool.take((*A[:2], 81)) is None
    assert pool.take(A) is not None


def test_oldest_of_a_place_makes_room() -> None:
    pool = new_pool(max_per_key=2)
    connections = [Idle() for _ in range(3)]
    assert [pool.put(A, connection, 0) for connection in connections] == [None, None, connections[0]]
    assert len(pool) == 2


def test_oldest_of_all_makes_room() -> None:
    pool = new_pool(max_total=2)
    oldest, newer, newest = Idle(), Idle(), Idle()
    pool.put(A, oldest, 0)
    pool.put(B, newer, 1)
    assert pool.put(B, newest, 2) is oldest
    assert pool.take(A) is None
    assert len(pool) == 2


def test_pool_of_no_size_keeps_nothing() -> None:
    connection = Idle()
    assert new_pool(max_total=0).put(A, connection, 0) is connection
    assert new_pool(max_per_key=0).put(A, connection, 0) is connection


def test_closed_connection_is_neither_kept_nor_given_out() -> None:
    pool = new_pool()
    alive, dying = Idle(), Idle()
    pool.put(A, alive, 0)
    pool.put(A, dying, 0)
    dying.closed = True
    assert pool.put(A, dying, 0) is dying
    assert pool.take(A) is alive
    assert pool.take(A) is None


def test_discarded_connection_is_gone() -> None:
    pool = new_pool()
    connection = Idle()
    pool.put(A, connection, 0)
    pool.discard(connection)
    pool.discard(connection)
    assert pool.take(A) is None
    assert len(pool) == 0


def test_connections_expire_by_age_and_only_once() -> None:
    pool = new_pool()
    old, young = Idle(), Idle()
    pool.put(A, old, 0)
    pool.put(B, young, 20)
    assert pool.take_expired(29) == []
    assert pool.take_expired(30) == [old]
    assert pool.take_expired(30) == []
    assert pool.take(B) is young


def test_of_a_place_that_sends_what_nobody_asked_for_no_connection_is_kept() -> None:
    pool, noisy, other = new_pool(), Idle(), Idle()
    pool.put(A, noisy, 0)
    pool.discard(noisy, is_noisy=True)
    assert pool.put(A, Idle(), 0) is not None
    assert pool.put(B, other, 0) is None
    assert (pool.take(A), pool.take(B)) == (None, other)
