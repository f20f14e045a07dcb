"""Keys of the rows that the frontier owns, made so that byte order is the order of visiting."""

from __future__ import annotations

from functools import lru_cache

import xxhash

from weft.url import registrable_domain

# A site's hosts share a bucket; a cluster gives out whole buckets.
BUCKETS = 1024
# Retries stand behind everything else of their host, the one that is due first in front.
LAST_RANK = 0xFFFF

_TAIL_BYTES = 2 + 8 + 8


@lru_cache(maxsize=65_536)
def host_prefix(host: str) -> bytes:
    """Begins every queue key of a host: bucket, host, NUL."""
    bucket = xxhash.xxh3_64_intdigest(registrable_domain(host).encode()) % BUCKETS
    return bucket.to_bytes(2, "big") + host.encode() + b"\0"


def queue_key(prefix: bytes, rank: int, sequence: int, not_before: float = 0.0) -> bytes:
    """A URL's row: within its host by rank, then by the time before which it must not be tried, then as found."""
    return b"".join(
        (
            prefix,
            rank.to_bytes(2, "big"),
            int(not_before * 1000).to_bytes(8, "big"),
            sequence.to_bytes(8, "big"),
        )
    )


def queue_end(prefix: bytes) -> bytes:
    """Greater than every queue key of the host."""
    return prefix + b"\xff" * (_TAIL_BYTES + 1)


def rank_of(key: bytes) -> int:
    """The rank within a queue key."""
    return int.from_bytes(key[-_TAIL_BYTES:][:2], "big")


def host_of_queue_key(key: bytes) -> str:
    """The host within a queue key."""
    return key[2 : -_TAIL_BYTES - 1].decode()


def wake_key(wake_at: float, host: str) -> bytes:
    """A host's row in the index by time."""
    return int(wake_at * 1000).to_bytes(8, "big") + host.encode()


def host_of_wake_key(key: bytes) -> str:
    """The host within a wake key."""
    return key[8:].decode()
