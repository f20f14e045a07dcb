"""The keys of rows, made and taken apart.

A row that belongs to a host begins with the host's bucket, so that a bucket is one range in its family:

    seen, page, relax, undelivered, earlier, repeat, place     URL id, which begins with the bucket
    graph                                               its first 8 bytes
    host, visits, patience                              bucket, host; `patience` also host_prefix and a sequence
    robots                                              bucket, authority
    cookie                                              bucket, registrable domain, NUL, hash of the cookie's key
    refused                                             bucket, host, NUL, URL id
    forbidden                                           bucket, host, NUL, authority, NUL, URL id
    rule                                                bucket, host, NUL, reason, NUL, rule
    queue, over                                         bucket, host, NUL, lane, rank, time, sequence
    mirror, traps                                       a letter that says what it is, then one of the above

Within a lane, byte order is the order of visiting. `wake` is ordered by time and has no bucket: each of its keys can be
made from a row in `host`, so those of a bucket are found there. Other families tell of records and bodies, whoever's
they are: database.py has the table.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Final

from weft.url import BUCKET_BYTES, bucket_of, host_of

# Retries stand behind everything else of their lane, the one that is due first in front.
LAST_RANK: Final = 0xFFFF
# Set in the time of a wake key: the host is left for another run, and stands behind all that are not.
LEFT: Final = 1 << 63
FIRST_LEFT: Final = LEFT.to_bytes(8, "big")

_SEPARATOR, _AFTER_SEPARATOR = b"\0", b"\1"
_place: Final = Struct(">HQQ")
_PLACE_BYTES: Final = 2 + 8 + 8


def bucket_range(first: bytes, letter: bytes = b"", last: bytes = b"") -> tuple[bytes, bytes | None]:
    """Where the rows of a bucket begin, or of several up to the last one, and the first key behind them.

    None: they are the last of their family.
    """
    after = int.from_bytes(letter + (last or first), "big") + 1
    size_bytes = len(letter) + BUCKET_BYTES
    return letter + first, after.to_bytes(size_bytes, "big") if after >> 8 * size_bytes == 0 else None


# ── hosts and authorities ──────────────────────────────────────────────────────────────────────────────


def host_key(host: str) -> bytes:
    """A host's row in `host` and `visits`."""
    return bucket_of(host) + host.encode()


def host_of_key(key: bytes) -> str:
    """The host within it."""
    return key[BUCKET_BYTES:].decode()


def authority_key(authority: str) -> bytes:
    """The row of an authority (scheme://host:port) in `robots`."""
    return bucket_of(host_of(f"{authority}/")) + authority.encode()


# ── what was refused ───────────────────────────────────────────────────────────────────────────────────


def host_prefix(host: str) -> bytes:
    """Where the rows of a host begin in `refused`; a URL id follows."""
    return host_key(host) + _SEPARATOR


def authority_prefix(authority: str) -> bytes:
    """Where the rows of an authority begin in `forbidden`; a URL id follows."""
    return host_prefix(host_of(f"{authority}/")) + authority.encode() + _SEPARATOR


def authority_of_prefix(prefix: bytes) -> str:
    """The authority within it."""
    return prefix[BUCKET_BYTES:].split(_SEPARATOR)[1].decode()


def end_of(prefix: bytes) -> bytes:
    """The first key behind a prefix of a host or an authority."""
    return prefix.removesuffix(_SEPARATOR) + _AFTER_SEPARATOR


def rule_key(host: str, reason: str, rule: str) -> bytes:
    """The row in `rule` of what refuses URLs of a host."""
    return _SEPARATOR.join((host_key(host), reason.encode(), rule.encode()))


def rule_of_key(key: bytes) -> tuple[str, str, str]:
    """Host, reason and rule within it."""
    host, reason, rule = key[BUCKET_BYTES:].decode().split("\0", 2)
    return host, reason, rule


# ── the queue ──────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=65_536)
def lane_prefix(host: str, lane: int) -> bytes:
    """Begins every queue key of a lane."""
    return b"%b\0%c" % (host_key(host), lane)


def queue_key(prefix: bytes, rank: int, sequence: int, not_before: float = 0.0) -> bytes:
    """A URL's row: within its lane by rank, then by the time before which it must not be tried, then as found."""
    return prefix + _place.pack(rank, int(not_before * 1000), sequence)


def queue_end(prefix: bytes) -> bytes:
    """Greater than every queue key of the lane."""
    return prefix + b"\xff" * (_PLACE_BYTES + 1)


def rank_of(key: bytes) -> int:
    """The rank within a queue key."""
    return int.from_bytes(key[-_PLACE_BYTES:][:2], "big")


def with_rank(key: bytes, rank: int) -> bytes:
    """The queue key with another rank."""
    return key[:-_PLACE_BYTES] + rank.to_bytes(2, "big") + key[2 - _PLACE_BYTES :]


def sequence_of(key: bytes) -> bytes:
    """What of a queue key says when the URL was found: later ones are greater."""
    return key[-8:]


def with_sequence(key: bytes, sequence: int) -> bytes:
    """The queue key as if its URL had been found just now."""
    return key[:-8] + sequence.to_bytes(8, "big")


def place_of(key: bytes) -> bytes:
    """What of a queue key orders the rows of a host, whichever lane they are in."""
    return key[-_PLACE_BYTES:]


def lane_of_queue_key(key: bytes) -> int:
    """The number of the lane within a queue key."""
    return key[-_PLACE_BYTES - 1]


def host_of_queue_key(key: bytes) -> str:
    """The host within a queue key."""
    return key[BUCKET_BYTES : -_PLACE_BYTES - 2].decode()


# ── hosts by time ──────────────────────────────────────────────────────────────────────────────────────


def wake_key(wake_at: float, host: str, *, is_left: bool = False) -> bytes:
    """A host's row in the index by time."""
    wake_at_ms = min(int(wake_at * 1000), LEFT - 1)  # a delay may be any number
    return (wake_at_ms | (LEFT if is_left else 0)).to_bytes(8, "big") + host.encode()


def time_of_wake_key(key: bytes) -> float:
    """The time within a wake key of a host that is not left."""
    return int.from_bytes(key[:8], "big") / 1000


def host_of_wake_key(key: bytes) -> str:
    """The host within a wake key."""
    return key[8:].decode()
