"""Chance without memory: every draw is a hash of the seed and of what is asked, so nothing is stored."""

from __future__ import annotations

import struct

from xxhash import xxh3_64_intdigest

_KEY = struct.Struct("<BQQ").pack

# What a draw decides. Two questions about the same page must not share a number.
HOST_WORD = 1
HOST_SIZE = 2
HOST_SLOWNESS = 3
HOST_SHAPE = 4
HOST_ROBOTS = 5
HOST_KEEP_ALIVE = 6
HOST_ENTRY = 7
HOST_SHORTCUT = 8
PATH = 10
REDIRECT = 11
REDIRECT_HOP = 12
FAULT = 13
LINK = 14
DEAD_LINK = 15
PRIVATE_LINK = 16
HREF = 17
SIZE = 18
TEXT = 19
DNS_FAILURE = 20
TEXT_BLOCK = 21
HOST_TLS = 22
HOST_TLS_FAULT = 23
HOST_IPV6 = 24
HOST_WIRE = 25
HOST_RATE_LIMIT = 26
DOMAIN_WWW = 27
DOOR = 28
LOOP = 29
REL_NOFOLLOW = 30
CODING = 31
CHARSET = 32
DIRECTIVE = 33
CONTENT_TYPE = 34
HOST_RELEVANCE = 35
HOST_HUB = 36
TOPICAL_DEGREE = 37
TOPICAL_LINK = 38
TOPICAL_TARGET = 39
ANCHOR = 40
MISLEADING = 41
MENTION = 42
TOPICAL_STAY = 43
TOPIC_WORD = 44


class Dice:
    """Numbers that depend on the seed and the question alone, in whatever order they are asked."""

    __slots__ = ("_seed",)

    def __init__(self, seed: int) -> None:
        self._seed = seed & 0xFFFF_FFFF_FFFF_FFFF

    def draw(self, purpose: int, a: int, b: int = 0) -> int:
        """64 even bits."""
        return xxh3_64_intdigest(_KEY(purpose, a, b), self._seed)

    def unit(self, purpose: int, a: int, b: int = 0) -> float:
        """A number from 0 up to, but without, 1."""
        return (xxh3_64_intdigest(_KEY(purpose, a, b), self._seed) >> 11) / 9_007_199_254_740_992  # 2**53

    def pick(self, share: float, ways: int, purpose: int, a: int, b: int = 0) -> int | None:
        """One of so many ways, in this share of the cases; else None. Without a share nothing is drawn."""
        if not share:
            return None
        draw = xxh3_64_intdigest(_KEY(purpose, a, b), self._seed)
        return draw % ways if (draw >> 11) / 9_007_199_254_740_992 < share else None

    def unit_of(self, purpose: int, text: str) -> float:
        """The same for a thing that has a name instead of numbers."""
        return self.unit(purpose, xxh3_64_intdigest(text.encode(), self._seed))
