"""Ids to fill a seen set with."""

from __future__ import annotations

from weft.url import url_id


class CollidingId(bytes):
    """An id that a Bloom filter cannot tell from any other of its kind; rows and dicts can."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 42


def url_ids(count: int) -> list[bytes]:
    """Distinct ids, always the same ones."""
    return [url_id(f"http://a.example/{number}") for number in range(count)]


def colliding_ids(count: int) -> list[bytes]:
    """Distinct ids that all look alike to a Bloom filter."""
    return [CollidingId(one) for one in url_ids(count)]
