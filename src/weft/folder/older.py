"""The rows of a crawl of format 2, under the keys of today.

Keys did not begin with a bucket then, and an id was nothing but a hash of its URL. So for every URL that a row names,
what stands under its old id is put under its new one. Values are the same in both formats, but for the ids in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from xxhash import xxh3_128_digest

from weft.filter.calendars import calendar_day
from weft.filter.session_ids import session_id_in
from weft.folder.history import decode_earlier
from weft.folder.page_rows import decode_page
from weft.folder.refused_rows import decode_refused
from weft.state import Family, State
from weft.state.keys import authority_key, authority_prefix, host_of_queue_key, host_prefix
from weft.types import Link
from weft.url import BUCKET_BYTES, ID_BYTES, bucket_of, host_of, origin_of, url_id

FORMAT: Final = 2
Row = tuple[Family, bytes, bytes]  # family, key, value

_SAME: Final[tuple[Family, ...]] = ("meta", "wake", "warc", "side", "items")
# Families by URL id, with the letters that stand before it.
_BY_ID: Final[dict[Family, tuple[bytes, ...]]] = {
    **dict.fromkeys(("seen", "page", "relax", "undelivered", "over", "earlier", "repeat"), (b"",)),
    "mirror": (b"n", b"k", b"t", b"u"),
    "traps": (b"c",),
}
_PATHS, _AFTER_PATHS = b"p", b"q"  # in `mirror`
_VERSIONS, _EVIDENCE, _AFTER_EVIDENCE, _CUT = b"p", b"h", b"i", b"w"  # in `traps`
_RUN_BYTES: Final = 3  # before an id in `similar`

_decode_link = msgspec.msgpack.Decoder(Link).decode


def rows_of_today(old: State) -> Iterator[Row]:
    """All rows; some come more than once, and are the same then."""
    for family in _SAME:
        yield from ((family, key, row) for key, row in old.scan(family))
    yield from (("mirror", key, row) for key, row in old.scan("mirror", _PATHS, _AFTER_PATHS))
    for url in _urls(old):
        yield from _rows_by_id(old, url)
    yield from _rows_of_hosts(old)
    yield from _rows_of_pages(old)


def _urls(old: State) -> Iterator[str]:
    """Every URL that has a row which says so."""
    yield from (decode_page(row).url for _, row in old.scan("page"))
    yield from (decode_earlier(row).page.url for _, row in old.scan("earlier"))
    for row in _values(old, "queue", "over"):
        yield _decode_link(row).url
    for row in _values(old, "forbidden", "refused"):
        yield decode_refused(row).link.url


def _rows_by_id(old: State, url: str) -> Iterator[Row]:
    """Of a URL, of it without its session id, and of the calendar that it is a day of."""
    found, day, host = session_id_in(url), calendar_day(url), host_of(url)
    for name in (url, found.bare if found else None, day.calendar if day else None):
        if name is None:
            continue
        old_id, new_id = xxh3_128_digest(name.encode()), url_id(name, host)
        for family, letters in _BY_ID.items():
            for letter in letters:
                if (row := old.get(family, letter + old_id)) is not None:
                    yield family, letter + new_id, row
        if (row := old.get("traps", _VERSIONS + old_id)) is not None:
            page, *rest = msgspec.msgpack.decode(row)
            yield "traps", _VERSIONS + new_id, msgspec.msgpack.encode((_new_id(old, page), *rest))


def _rows_of_hosts(old: State) -> Iterator[Row]:
    by_host: tuple[Family, ...] = ("host", "visits", "rule")
    for family in by_host:
        yield from ((family, _bucket_of_key(key) + key, row) for key, row in old.scan(family))
    by_lane: tuple[Family, ...] = ("queue", "over")
    for family in by_lane:
        for key, row in old.scan(family):
            if len(key) > ID_BYTES:
                yield family, bucket_of(host_of_queue_key(key)) + key[BUCKET_BYTES:], row
    yield from (("robots", authority_key(key.decode()), row) for key, row in old.scan("robots"))
    for row in _values(old, "forbidden"):
        url = decode_refused(row).link.url
        yield "forbidden", authority_prefix(origin_of(url)) + url_id(url), row
    for row in _values(old, "refused"):
        url = decode_refused(row).link.url
        yield "refused", host_prefix(host_of(url)) + url_id(url), row
    for key, row in old.scan("traps", _EVIDENCE, _AFTER_EVIDENCE):
        yield "traps", _EVIDENCE + _bucket_of_key(key[1:]) + key[1:], row


def _rows_of_pages(old: State) -> Iterator[Row]:
    """Rows with the id of a page behind something else."""
    yield from (("unsynced", key, _new_id(old, page)) for key, page in old.scan("unsynced"))
    yield from (("digest", key, _new_id(old, page)) for key, page in old.scan("digest"))
    for key, row in old.scan("similar"):
        yield "similar", key[:_RUN_BYTES] + _new_id(old, key[_RUN_BYTES:]), row
    for key, row in old.scan("traps", _CUT):
        url = _url_of(old, key[-ID_BYTES:])
        if url is not None and (day := calendar_day(url)) is not None:
            yield "traps", _CUT + url_id(day.calendar, host_of(url)) + url_id(url), row


def _values(old: State, *families: Family) -> Iterator[bytes]:
    return (row for family in families for _, row in old.scan(family))


def _bucket_of_key(key: bytes) -> bytes:
    """Of a key that begins with a host, and perhaps NUL."""
    return bucket_of(key.partition(b"\0")[0].decode())


def _new_id(old: State, old_id: bytes) -> bytes:
    """Of a page; of a record of no page, or of what is gone, what stood there."""
    url = _url_of(old, old_id)
    return url_id(url) if url is not None else old_id


def _url_of(old: State, old_id: bytes) -> str | None:
    if (row := old.get("page", old_id)) is not None:
        return decode_page(row).url
    earlier = old.get("earlier", old_id)
    return decode_earlier(earlier).page.url if earlier is not None else None
