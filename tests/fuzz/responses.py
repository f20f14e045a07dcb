"""What servers send: heads, chunks, codings, cookies, Retry-After, robots.txt."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import brotli  # type: ignore[import-untyped]
import zstandard
from hypothesis import strategies as st

from tests.fuzz.properties import Property, cut_up, mixed_bytes
from tests.fuzz.urls import LINKS
from weft.clock import FakeClock
from weft.errors import FetchError
from weft.fetch.chunks import ChunkScanner
from weft.fetch.cookies import MAX_HEADER_BYTES, CookieStore
from weft.fetch.decode import decode_body
from weft.fetch.head import parse_head
from weft.fetch.http1 import ResponseReader
from weft.fetch.retry_after import MAX_WAIT_S, retry_after_s
from weft.fetch.set_cookie import parse_cookie_date, parse_set_cookie
from weft.robots import parse_robots
from weft.robots.access import max_age_s
from weft.url import Target

CUTS = st.lists(st.integers(0, 10_000), max_size=6)
LIMIT_BYTES = 100_000

HEAD_PIECES = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 ", b"HTTP/1.0 404\n", b"http/1.1 301 x\r\n", b"ICY 200 OK\r\n",
    b"HTTP/2 200\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103\r\n\r\n", b"204", b"304", b"\r\n", b"\n",
    b"\r", b"\r\n\r\n", b"\n\n", b"Content-Length: 5\r\n", b"Content-Length: 5, 5\r\n", b"Content-Length: x\r\n",
    b"content-length:7\n", b"hello", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
    b"Connection: close\r\n", b"2\r\nok\r\n", b"0\r\n\r\n", b" folded\r\n", b"\tfolded\n", b": no name\r\n",
    b"no colon\r\n", b"X: y\r\n", b"\x00", b"\xff", b"HTTP/",
)  # fmt: skip
CHUNK_PIECES = (
    b"0\r\n\r\n", b"0\n\n", b"1\r\nx\r\n", b"2;a=b\r\nok\r\n", b"5\r\nhello\r\n", b"a\r\n0123456789\r\n", b"00\r\n",
    b"\r\n", b"\n", b" ", b"+5\r\n", b"0x5\r\n", b"fffffffff\r\n", b"Trailer: x\r\n", b"3 \r\nabc\n", b";\r\n",
    b"-1\r\n", b"\x00",
)  # fmt: skip
COOKIE_PIECES = (
    b"a=b", b"=", b";", b"; ", b"Domain=", b"example.org", b".org", b"Path=/", b"Path=", b"Secure", b"HttpOnly",
    b"\x00", b"Max-Age=", b"-1", b"0", b"99999999999999999999", b"Expires=", b"Sun, 06 Nov 1994 08:49:37 GMT",
    b"\xff", b"\t", b"__Host-a=b", b"__Secure-", b",", b'"', b"31 Feb 2099 25:61:61", b"Nov", b"1:2:3", b"69",
    b"1600", b"x" * 2000,
)  # fmt: skip
DATE_PIECES = (
    b"120", b"0", b"-1", b"1.5", b"Sun", b"Sunday", b", ", b"06 Nov 1994", b"06-Nov-94", b" 08:49:37", b" GMT",
    b"Nov  6", b"1994", b"99999999999", b"31 Feb 2026 23:59:60 GMT", b" ", b"Sun, ", b"Sun Nov  6 08:49:37 1994",
    b"9999", b"0000",
)  # fmt: skip
ROBOTS_PIECES = (
    b"User-agent: *\n", b"User-agent: weft\n", b"useragent weft\r", b"Disallow: /", b"Allow: /", b"Disallow:\n",
    b"\n", b"\r\n", b"*", b"$", b"/a", b"/b/", b"?q=", b"%2F", b"%zz", b"\xff", b"\x00", b"#", b":", b"Crawl-delay: ",
    b"1e9", b".5", b"10", b"Sitemap: http://a/", b"\xef\xbb\xbf", b"\xff\xfe", b"Noindex: /\n", b"*a*a*a*b",
    b"index.html", b"\t ", b"User-agent: ",
)  # fmt: skip


def _naive_chunks(raw: bytes) -> tuple[bytes, bool]:
    """The data of a chunked body, and whether it is at its end: one line, then one chunk, again and again."""
    data = b""
    while (line_end := raw.find(b"\n")) >= 0:
        digits = raw[:line_end].split(b";")[0].strip()
        if not digits or len(digits) > 16 or any(digit not in b"0123456789abcdefABCDEF" for digit in digits):
            return data, False
        size, raw = int(digits, 16), raw[line_end + 1 :]
        if not size:
            while (line_end := raw.find(b"\n")) >= 0:
                if not raw[:line_end].strip(b"\r"):
                    return data, True
                raw = raw[line_end + 1 :]
            return data, False
        data += raw[:size]
        raw = raw[size:]
        if (line_end := raw.find(b"\n")) < 0 or raw[:line_end].strip():
            return data, False
        raw = raw[line_end + 1 :]
    return data, False


def chunks_are_read_as_a_naive_reader_does(given: tuple[bytes, Sequence[int]]) -> None:
    """However the bytes are cut."""
    raw, cuts = given
    scanner = ChunkScanner()
    data: list[bytes] = []
    taken = sum(scanner.scan(piece, data) for piece in cut_up(raw, cuts))
    expected, done = _naive_chunks(raw)
    assert b"".join(data) == expected
    assert scanner.done == done
    assert taken <= len(raw)
    whole = ChunkScanner()
    assert whole.scan(raw) == taken
    assert (whole.done, bool(whole.fault)) == (scanner.done, bool(scanner.fault))


def _read(pieces: Sequence[bytes]) -> tuple[Any, ...]:
    reader = ResponseReader()
    body = b"".join(reader.feed(piece) for piece in pieces)
    keeps = reader.keep_alive
    reader.feed_eof()
    outcome = reader.fault.outcome if reader.fault else None
    return outcome, reader.status, reader.head, reader.headers, body, reader.body_done, reader.chunked, keeps


def a_response_is_the_same_however_it_is_cut(given: tuple[bytes, Sequence[int]]) -> None:
    """And a head that was read is read the same again, as from the archive."""
    raw, cuts = given
    pieces = cut_up(raw, cuts)
    whole, cut = _read([raw] if raw else []), _read(pieces)
    # Surplus bytes may come with the response's end or later; then the exchange sees them.
    assert whole[:-1] == cut[:-1]
    head = whole[2]
    if head:
        assert head in raw
        again = _read([head, whole[4]])
        assert again[1:4] == whole[1:4]
        assert again[4] == whole[4]


def any_head_is_read_or_named(raw: bytes) -> None:
    """Nothing but FetchError comes of it."""
    try:
        parse_head(raw, 50)
    except FetchError:
        return


def what_was_packed_is_unpacked(given: tuple[bytes, list[str], Sequence[int]]) -> None:
    """In any order of codings, chunked or not."""
    data, codings, cuts = given
    raw = data
    for coding in codings:
        raw = _PACKERS[coding](raw)
    headers = ((b"content-encoding", ", ".join(codings).encode()),)
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in cut_up(raw, cuts) if piece) + b"0\r\n\r\n"
    assert decode_body(raw, headers, False, LIMIT_BYTES) == (data, None)
    assert decode_body(chunked, headers, True, LIMIT_BYTES) == (data, None)


_PACKERS: dict[str, Any] = {
    "gzip": lambda data: zlib.compress(data, wbits=31),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "identity": bytes,
}


def any_body_is_decoded_within_its_limit(given: tuple[bytes, bytes, bool]) -> None:
    """Whatever it is said to be."""
    raw, coding, chunked = given
    decoded = decode_body(raw, ((b"content-encoding", coding),), chunked, 1_000)
    assert len(decoded.data) <= 1_000


def cookies_stay_within_their_bounds(lines: list[bytes]) -> None:
    """And never break out of their header."""
    target = Target("https", "www.example.org", 443, "/a/b?c")
    store = CookieStore(FakeClock())
    store.take(target, tuple((b"set-cookie", line) for line in lines))
    value = store.header_for(target)
    assert len(value) <= MAX_HEADER_BYTES
    assert not set(value) & set(b"\r\n\0")
    assert len(store) <= len(lines)
    for line in lines:
        cookie = parse_set_cookie(line, target.host, "/", 0.0)
        assert cookie is None or cookie.path.startswith("/")
        parse_cookie_date(line.decode("latin-1"))


def a_wait_is_sensible(value: bytes) -> None:
    """Or not understood."""
    wait_s = retry_after_s(value, 1.8e9)
    assert wait_s is None or 0 <= wait_s <= MAX_WAIT_S
    age_s = max_age_s(value)
    assert age_s is None or age_s >= 0


def any_robots_txt_has_an_answer(given: tuple[bytes, str]) -> None:
    """And the same one with other line ends."""
    body, path = given
    rules = parse_robots(body, "weft")
    allowed = rules.allows(f"/{path}")
    assert rules.verdict(f"/{path}").allowed == allowed
    assert rules.crawl_delay_s is None or rules.crawl_delay_s >= 0
    if b"\r" not in body and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        other = parse_robots(body.replace(b"\n", b"\r\n"), "weft")
        assert other.allows(f"/{path}") == allowed
        assert (other.crawl_delay_s, other.sitemaps) == (rules.crawl_delay_s, rules.sitemaps)


RESPONSE_PROPERTIES = (
    Property(
        "http: chunks are read as a naive reader does",
        st.tuples(mixed_bytes(CHUNK_PIECES), CUTS),
        chunks_are_read_as_a_naive_reader_does,
    ),
    Property(
        "http: a response is the same however it is cut",
        st.tuples(mixed_bytes(HEAD_PIECES), CUTS),
        a_response_is_the_same_however_it_is_cut,
    ),
    Property("http: any head is read or named", mixed_bytes(HEAD_PIECES), any_head_is_read_or_named),
    Property(
        "http: what was packed is unpacked",
        st.tuples(st.binary(max_size=300), st.lists(st.sampled_from(list(_PACKERS)), max_size=3), CUTS),
        what_was_packed_is_unpacked,
    ),
    Property(
        "http: any body is decoded within its limit",
        st.tuples(
            mixed_bytes((*CHUNK_PIECES, *(packer(b"x" * 5000) for packer in _PACKERS.values()))),
            st.sampled_from([b"gzip", b"deflate", b"br", b"zstd", b"gzip, br", b"x", b"", b"zstd,gzip,deflate"]),
            st.booleans(),
        ),
        any_body_is_decoded_within_its_limit,
    ),
    Property(
        "cookies: stay within their bounds",
        st.lists(mixed_bytes(COOKIE_PIECES), max_size=8),
        cookies_stay_within_their_bounds,
    ),
    Property("Retry-After: a wait is sensible", mixed_bytes(DATE_PIECES), a_wait_is_sensible),
    Property(
        "robots: any file has an answer",
        st.tuples(mixed_bytes(ROBOTS_PIECES), LINKS),
        any_robots_txt_has_an_answer,
    ),
)
