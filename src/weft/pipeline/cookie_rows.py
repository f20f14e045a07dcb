"""Cookies kept over a stop: rows of the family `cookie`, changed in the batches of the visits that changed them.

A visit that is committed has its cookies on disk; one that is not may have, and is made again with them. All are read
at the start: the store is bounded in bytes, and what it pushes out leaves the disk, too. Cookies of the user's file are
taken from there once; if the file says something else on resume, it holds again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from xxhash import xxh3_128_digest

from weft.fetch.cookies import CookieStore, Key
from weft.fetch.set_cookie import Cookie
from weft.pipeline.doors import Finished
from weft.state import Batch, State
from weft.state.keys import host_prefix
from weft.url import registrable_domain

FILE: Final = b"cookie-file"  # in `meta`: hash of the cookies that the user gave

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Cookie).decode


class CookieRows:
    """A witness of visits: what they changed about cookies goes into their batches."""

    def __init__(self, state: State, store: CookieStore) -> None:
        self._store = store
        is_known = state.get("meta", FILE) == store.given_digest
        store.restore(cookies_in(state), replaces_given=is_known)
        self._has_news_of_file = not is_known

    def finished(self, batch: Batch, visit: Finished) -> None:
        self.seal(batch)

    def seal(self, batch: Batch) -> None:
        """Write what has changed."""
        if self._has_news_of_file:
            batch.put("meta", FILE, self._store.given_digest)
            self._has_news_of_file = False
        for key, cookie in self._store.take_changes().items():
            if cookie is None:
                batch.delete("cookie", row_key(key))
            else:
                batch.put("cookie", row_key(key), _encode(cookie))

    def has_some_for(self, host: str) -> bool:
        """Whether a host would be sent cookies on any of its pages."""
        return self._store.has_some_for(host)

    def settle(self) -> None:
        pass


def cookies_in(state: State) -> Iterator[Cookie]:
    """Those that an earlier run left."""
    return (_decode(row) for _, row in state.scan("cookie"))


def row_key(key: Key) -> bytes:
    """A cookie's row: all of a site's lie together, in the bucket of its hosts."""
    return host_prefix(registrable_domain(key[0])) + xxh3_128_digest("\0".join(key).encode())
