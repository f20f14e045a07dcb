"""The bytes of a robots.txt, read line by line.

The grammar is RFC 9309 §2.2. Files in the wild are not written by it, and §2.2.4 and §2.3.1.5 ask for
leniency, so where the RFC is silent this reader does what google/robotstxt does, because that is what
owners test against:

| found in the wild                                 | read as                                             |
|---------------------------------------------------|-----------------------------------------------------|
| UTF-8 byte order mark, or its first 1–2 bytes     | skipped, at the start of the file only              |
| CR, LF, CRLF, mixed                               | each ends a line, CRLF counts as one                |
| NUL in a line                                     | ends what is read of that line                      |
| `disallow /x` without a colon                     | `disallow: /x`, if there are exactly two words      |
| useragent, user agent                             | user-agent                                          |
| dissallow, dissalow, disalow, diasllow, disallaw  | disallow                                            |
| site-map                                          | sitemap                                             |
| anything after a known name (`disallowed: /x`)    | that name                                           |
| a line over 16,663 bytes                          | its first 16,663 bytes                              |

Of our own are `crawl delay` and `crawldelay` for crawl-delay, and UTF-16 with its byte order mark, which is
converted (§2.2.2 lets a crawler bridge encodings): two of 4,231 real files were such, and meant what they
said. Its mark before a file that is not UTF-16 is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

KIB = 1024
MAX_PARSED_BYTES = 500 * KIB  # §2.5 asks for at least this much
MAX_LINE_BYTES = 8 * 2083 - 1  # eight times what browsers take for a URL, and room for the NUL that C puts there
MAX_TEXT_BYTES = 300  # of a line as shown to people

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Name(Enum):
    """The lines that mean something to weft."""

    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    CRAWL_DELAY = "crawl-delay"
    SITEMAP = "sitemap"


class Line(NamedTuple):
    """One line of the file: its number from 1, its name, its value without comment and outer space."""

    number: int
    name: Name
    value: bytes
    text: bytes  # as it stands in the file, for explanations


_SPELLINGS: tuple[tuple[bytes, Name], ...] = (
    (b"user-agent", Name.USER_AGENT),
    (b"useragent", Name.USER_AGENT),
    (b"user agent", Name.USER_AGENT),
    (b"allow", Name.ALLOW),
    (b"disallow", Name.DISALLOW),
    (b"dissallow", Name.DISALLOW),
    (b"dissalow", Name.DISALLOW),
    (b"disalow", Name.DISALLOW),
    (b"diasllow", Name.DISALLOW),
    (b"disallaw", Name.DISALLOW),
    (b"crawl-delay", Name.CRAWL_DELAY),
    (b"crawl delay", Name.CRAWL_DELAY),
    (b"crawldelay", Name.CRAWL_DELAY),
    (b"sitemap", Name.SITEMAP),
    (b"site-map", Name.SITEMAP),
)
_EXACT = dict(_SPELLINGS)  # nearly every line is found here; the rest is tried as a beginning


def within_limit(body: bytes, *, truncated: bool = False) -> bytes:
    """The part of `body` that is parsed: whole lines from the first 500 KiB.

    A line cut in two would be another rule than the owner's (`Disallow: /private` cut to `Disallow: /`), so
    it is dropped. `truncated` says that the body already was cut off where it ends.
    """
    if len(body) > MAX_PARSED_BYTES:
        body, truncated = (
            body[: MAX_PARSED_BYTES + 1],
            True,
        )  # one more byte shows whether a line ends just there
    if not truncated:
        return body
    return body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]


def lines_of(body: bytes) -> Iterator[Line]:
    """The lines of a robots.txt that weft understands; all others are passed over."""
    for number, raw in enumerate(_without_mark(within_limit(body)).splitlines(), start=1):
        line = raw[:MAX_LINE_BYTES].partition(b"\0")[0].partition(b"#")[0].strip()
        if not line:
            continue
        key, colon, value = line.partition(b":")
        if not colon:
            words = line.split()
            if len(words) != 2:
                continue
            key, value = words
        name = _name_of(key.strip().lower())
        if name is not None:
            yield Line(number, name, value.strip(), raw[:MAX_TEXT_BYTES].strip())


def _name_of(key: bytes) -> Name | None:
    name = _EXACT.get(key)
    if name is None:
        for spelling, meant in _SPELLINGS:
            if key.startswith(spelling):
                return meant
    return name


def _is_utf16(body: bytes) -> bool:
    """Whether the mark is meant: robots.txt is ASCII for the most part, so in UTF-16 it is full of zero bytes."""
    return body.count(0) * 10 > len(body)


def _without_mark(body: bytes) -> bytes:
    if body.startswith(_UTF16_MARKS):
        return body.decode("utf-16", errors="replace").encode() if _is_utf16(body) else body[2:]
    for length in (3, 2, 1):
        if body.startswith(_UTF8_MARK[:length]):
            return body[length:]
    return body
