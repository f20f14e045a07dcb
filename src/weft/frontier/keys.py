"""Keys of the rows that the frontier owns, made so that byte order is the order of visiting."""

from __future__ import annotations

from functools import lru_cache

import xxhash

from weft.url import registrable_domain

# A site's hosts share a bucket; a cluster gives out whole buckets.
BUCKETS = 1024
# Retries stand behind everything else of their lane, the one that is due first in front.
LAST_RANK = 0xFFFF
# Set in the time of a wake key: the host is left for another run, and stands behind all that are not.
LEFT = 1 << 63

_PLACE_BYTES = 2 + 8 + 8


@lru_cache(maxsize=65_536)
def lane_prefix(host: str, lane: int) -> bytes:
    """Begins every queue key of a lane: bucket, host, NUL, the lane's number."""
    bucket = xxhash.xxh3_64_intdigest(registrable_domain(host).encode()) % BUCKETS
    return b"%b%b\0%c" % (bucket.to_bytes(2, "big"), host.encode(), lane)


def queue_key(prefix: bytes, rank: int, sequence: int, not_before: float = 0.0) -> bytes:
    """A URL's row: within its lane by rank, then by the time before which it must not be tried, then as found."""
    return b"".join(
        (
            prefix,
            rank.to_bytes(2, "big"),
            int(not_before * 1000).to_bytes(8, "big"),
            sequence.to_bytes(8, "big"),
        )
    )


def queue_end(prefix: bytes) -> bytes:
    """Greater than every queue key of the lane."""
    return prefix + b"\xff" * (_PLACE_BYTES + 1)


def rank_of(key: bytes) -> int:
    """The rank within a queue key."""
    return int.from_bytes(key[-_PLACE_BYTES:][:2], "big")


def place_of(key: bytes) -> bytes:
    """What of a queue key orders the rows of a host, whichever lane they are in."""
    return key[-_PLACE_BYTES:]


def lane_of_queue_key(key: bytes) -> int:
    """The number of the lane within a queue key."""
    return key[-_PLACE_BYTES - 1]


def host_of_queue_key(key: bytes) -> str:
    """The host within a queue key."""
    return key[2 : -_PLACE_BYTES - 2].decode()


def wake_key(wake_at: float, host: str, *, is_left: bool = False) -> bytes:
    """A host's row in the index by time."""
    return (int(wake_at * 1000) | (LEFT if is_left else 0)).to_bytes(8, "big") + host.encode()


def time_of_wake_key(key: bytes) -> float:
    """The time within a wake key of a host that is not left."""
    return int.from_bytes(key[:8], "big") / 1000


def host_of_wake_key(key: bytes) -> str:
    """The host within a wake key."""
    return key[8:].decode()
