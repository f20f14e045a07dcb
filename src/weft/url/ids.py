"""What stands for a host and for a URL in the rows of a crawl.

    bucket   16 bits of the hash of the registrable domain: the hosts of a site share it
    id       bucket, and 14 bytes of the hash of the URL

So the rows of a site lie together: a page's own links are found in a few blocks of the disk, and a cluster can hand out
whole buckets. Workers make ids for all links of all pages, and have no database; `weft.state.keys` makes keys of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from xxhash import xxh3_64_digest, xxh3_128_digest

from weft.types import Link, PageRow, RequestParts
from weft.url.domain import registrable_domain
from weft.url.parts import host_of

BUCKET_BYTES: Final = 2
BUCKETS: Final = 1 << 8 * BUCKET_BYTES
ID_BYTES: Final = 16
_HASH_BYTES: Final = ID_BYTES - BUCKET_BYTES
REMEMBERED_HOSTS: Final = 65_536


@lru_cache(maxsize=REMEMBERED_HOSTS)
def bucket_of(host: str) -> bytes:
    """The bucket of a host: that of its registrable domain, of an IP address its own."""
    return xxh3_64_digest(registrable_domain(host).encode())[:BUCKET_BYTES]


def url_id(url: str, host: str = "") -> bytes:
    """The 16 bytes that stand for a canonical URL; who knows its host says so, which saves looking for it.

    At 10^10 URLs, all of them of one bucket, the chance that any two share an id is about 10^-14.
    """
    return bucket_of(host or host_of(url)) + xxh3_128_digest(url.encode())[:_HASH_BYTES]


def request_id(url: str, digest: bytes, host: str = "") -> bytes:
    """As `url_id`, of a request that is no plain GET: `digest` tells it from others for the same URL."""
    if not digest:
        return url_id(url, host)
    return bucket_of(host or host_of(url)) + xxh3_128_digest(url.encode() + b"\n" + digest)[:_HASH_BYTES]


def id_of(asked: Link | PageRow, host: str = "") -> bytes:
    """The id of a link, or of the page that came of it: its URL's, unless it is a request of its own."""
    if asked.parts is None:
        return url_id(asked.url, host)
    return request_id(asked.url, asked.parts.digest, host)


def is_own_request(parts: RequestParts | None) -> bool:
    """Whether a request is another one than the plain GET of its URL, which headers alone do not make it."""
    return parts is not None and bool(parts.digest)


def identity(parts: RequestParts) -> RequestParts:
    """What tells a request from others, without what it says."""
    return RequestParts(parts.digest, parts.method, is_secret=parts.is_secret)
