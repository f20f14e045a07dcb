"""Which cookie is sent where, who may set it, and what bounds the store."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from weft.clock import FakeClock
from weft.errors import BadInput
from weft.fetch import FetchConfig, Fetcher, MemoryBudget
from weft.fetch.cookie_file import read_cookie_file
from weft.fetch.cookies import MAX_COOKIES_PER_SITE, MAX_HEADER_BYTES, MAX_TOTAL_BYTES, CookieStore
from weft.fetch.set_cookie import NEVER, Cookie
from weft.url import Target, split

from .framings import OK
from .rig import Visitor, rigged, run


def store_with(url: str, *headers: bytes, clock: FakeClock | None = None) -> CookieStore:
    store = CookieStore(clock or FakeClock())
    put(store, url, *headers)
    return store


def put(store: CookieStore, url: str, *headers: bytes) -> None:
    store.take(split(url), tuple((b"set-cookie", header) for header in headers))


def sent(store: CookieStore, url: str) -> bytes:
    return store.header_for(split(url))


@pytest.mark.parametrize(
    ("set_by", "header", "asked", "goes_there"),
    [
        # host-only
        ("http://a.test/", b"a=b", "http://a.test/", True),
        ("http://a.test/", b"a=b", "http://a.test:8080/", True),
        ("http://a.test/", b"a=b", "https://a.test/", True),
        ("http://a.test/", b"a=b", "http://www.a.test/", False),
        ("http://www.a.test/", b"a=b", "http://a.test/", False),
        ("http://a.test/", b"a=b", "http://b.test/", False),
        # domain
        ("http://www.a.test/", b"a=b; Domain=a.test", "http://a.test/", True),
        ("http://www.a.test/", b"a=b; Domain=a.test", "http://x.y.a.test/", True),
        ("http://www.a.test/", b"a=b; Domain=a.test", "http://ba.test/", False),
        ("http://a.test/", b"a=b; Domain=www.a.test", "http://www.a.test/", False),
        ("http://a.test/", b"a=b; Domain=b.test", "http://b.test/", False),
        ("http://a.test/", b"a=b; Domain=b.test", "http://a.test/", False),
        # public suffixes
        ("http://a.co.uk/", b"a=b; Domain=co.uk", "http://b.co.uk/", False),
        ("http://a.co.uk/", b"a=b; Domain=co.uk", "http://a.co.uk/", False),
        ("http://a.co.uk/", b"a=b; Domain=a.co.uk", "http://www.a.co.uk/", True),
        ("http://a.github.io/", b"a=b; Domain=github.io", "http://b.github.io/", False),
        ("http://github.io/", b"a=b; Domain=github.io", "http://github.io/", True),
        ("http://github.io/", b"a=b; Domain=github.io", "http://b.github.io/", False),
        ("http://a.com/", b"a=b; Domain=com", "http://b.com/", False),
        # names of one label, and addresses
        ("http://localhost/", b"a=b", "http://localhost/", True),
        ("http://localhost/", b"a=b; Domain=localhost", "http://x.localhost/", False),
        ("http://127.0.0.1/", b"a=b", "http://127.0.0.1/", True),
        ("http://127.0.0.1/", b"a=b; Domain=127.0.0.1", "http://127.0.0.1/", True),
        ("http://127.0.0.1/", b"a=b; Domain=0.0.1", "http://127.0.0.1/", False),
        ("http://[::1]/", b"a=b", "http://[::1]/", True),
        # path
        ("http://a.test/x/y", b"a=b", "http://a.test/x", True),
        ("http://a.test/x/y", b"a=b", "http://a.test/x/z?q", True),
        ("http://a.test/x/y", b"a=b", "http://a.test/xy", False),
        ("http://a.test/x/y", b"a=b", "http://a.test/", False),
        ("http://a.test/", b"a=b; Path=/x/", "http://a.test/x", False),
        ("http://a.test/", b"a=b; Path=/x/", "http://a.test/x/y", True),
        ("http://a.test/", b"a=b; Path=/x", "http://a.test/z?/x", False),
        # secure
        ("https://a.test/", b"a=b; Secure", "https://a.test/", True),
        ("https://a.test/", b"a=b; Secure", "http://a.test/", False),
        ("http://a.test/", b"a=b; Secure", "https://a.test/", False),
        ("https://a.test/", b"__Secure-a=b", "https://a.test/", False),
        ("https://a.test/", b"__Secure-a=b; Secure", "https://a.test/", True),
        ("https://a.test/x", b"__Host-a=b; Secure; Path=/", "https://a.test/", True),
        ("https://a.test/x/y", b"__Host-a=b; Secure", "https://a.test/x/y", False),
        ("https://a.test/", b"__Host-a=b; Secure; Path=/; Domain=a.test", "https://a.test/", False),
        # time
        ("http://a.test/", b"a=b; Max-Age=1", "http://a.test/", True),
        ("http://a.test/", b"a=b; Max-Age=0", "http://a.test/", False),
        ("http://a.test/", b"a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "http://a.test/", False),
        # a dot at the end is the same host
        ("http://a.test./", b"a=b", "http://a.test/", True),
    ],
)
def test_cookie_goes_where_the_standard_says(set_by: str, header: bytes, asked: str, goes_there: bool) -> None:
    name = header.partition(b";")[0]
    assert sent(store_with(set_by, header), asked) == (name if goes_there else b"")


def test_more_special_path_comes_first_then_the_older_cookie() -> None:
    store = store_with("http://a.test/x/y", b"old=1; Path=/", b"new=2; Path=/", b"deep=3; Path=/x")
    put(store, "http://a.test/", b"old=4; Path=/")  # keeps its age
    assert sent(store, "http://a.test/x/y") == b"deep=3; old=4; new=2"


def test_cookie_is_ended_by_its_time_and_by_its_server() -> None:
    clock = FakeClock()
    store = store_with("http://a.test/", b"short=1; Max-Age=10", b"long=2", clock=clock)
    clock.advance(10)
    assert sent(store, "http://a.test/") == b"long=2"
    put(store, "http://a.test/", b"long=; Max-Age=0")
    assert sent(store, "http://a.test/") == b""


def test_secure_cookie_is_not_overwritten_by_a_plain_response() -> None:
    store = store_with("https://a.test/", b"a=mine; Secure")
    put(store, "http://a.test/", b"a=theirs")
    assert sent(store, "https://a.test/") == b"a=mine"


def test_cookie_bomb_of_one_site_is_bounded_over_all_of_its_hosts() -> None:
    store = CookieStore(FakeClock())
    for host in range(50):
        headers = [b"c%d=%b; Domain=a.test" % (number + host * 1000, b"x" * 1000) for number in range(200)]
        put(store, f"http://h{host}.a.test/", *headers)
    assert len(store) == MAX_COOKIES_PER_SITE
    header = sent(store, "http://h1.a.test/")
    assert MAX_HEADER_BYTES - 2000 < len(header) <= MAX_HEADER_BYTES


def test_outdated_cookies_make_room_before_others() -> None:
    clock = FakeClock()
    store = store_with("http://a.test/", b"keep=1", clock=clock)
    put(store, "http://a.test/", *(b"c%d=x; Max-Age=5" % number for number in range(MAX_COOKIES_PER_SITE - 1)))
    clock.advance(6)
    put(store, "http://a.test/", b"new=2")
    assert sent(store, "http://a.test/") == b"keep=1; new=2"
    assert len(store) == 2


def test_cookies_of_many_sites_are_bounded_and_the_least_used_go_first() -> None:
    store = CookieStore(FakeClock())
    store.load([Cookie("login", "1", "mine.test", "/")])
    tracemalloc.start()
    for site in range(8000):
        put(store, f"http://site{site}.test/", b"a=%b" % (b"x" * 4000))
        assert sent(store, "http://site0.test/") != b""  # in use all the time
    used_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used_bytes < 1.5 * MAX_TOTAL_BYTES
    assert sent(store, "http://site1.test/") == b""
    assert sent(store, "http://mine.test/") == b"login=1"


COOKIE_FILE = """# Netscape HTTP Cookie File
# https://curl.se/docs/http-cookies.html

.example.org\tTRUE\t/\tFALSE\t0\tsession\tabc
www.example.org\tFALSE\t/private\tTRUE\t4102444800\tlogin\tx=y
#HttpOnly_example.org\tFALSE\t/\tFALSE\t4102444800.5\thidden\t1
example.org\tFALSE\t/\tFALSE\t1\tlong-ago\t1
example.org\tFALSE\t/\tFALSE\t0\tempty
"""


def write(folder: Path, text: str) -> str:
    path = folder / "cookies.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_cookie_file_of_a_browser_is_read(tmp_path: Path) -> None:
    cookies = read_cookie_file(write(tmp_path, COOKIE_FILE))
    assert cookies == [
        Cookie("session", "abc", "example.org", "/", host_only=False, expires_at=NEVER),
        Cookie("login", "x=y", "www.example.org", "/private", secure=True, expires_at=4_102_444_800.0),
        Cookie("hidden", "1", "example.org", "/", expires_at=4_102_444_800.5),
        Cookie("long-ago", "1", "example.org", "/", expires_at=1.0),
        Cookie("empty", "", "example.org", "/"),
    ]
    store = CookieStore(FakeClock())
    store.load(cookies)
    assert sent(store, "http://example.org/") == b"session=abc; hidden=1; empty="
    assert sent(store, "https://www.example.org/private") == b"login=x=y; session=abc"


def test_cookie_file_with_windows_line_ends_and_odd_bytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    path.write_bytes(b"a.test\tFALSE\t/\tFALSE\t0\tn\t\xc3\xa4\r\n\r\n")
    store = CookieStore(FakeClock())
    store.load(read_cookie_file(str(path)))
    assert sent(store, "http://a.test/") == b"n=\xc3\xa4"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"name": "a"}]', "line 1: 1 fields"),
        ("# ok\n\na.test FALSE / FALSE 0 a b\n", "line 3: 1 fields"),
        ("a.test\tFALSE\t/\tFALSE\t0\ta\tb\tc", "8 fields"),
        ("a.test\tyes\t/\tFALSE\t0\ta\tb", "TRUE or FALSE"),
        ("a.test\tFALSE\t\tFALSE\t0\ta\tb", "path"),
        ("a.test\tFALSE\t/\tFALSE\tsoon\ta\tb", "'soon' is no time"),
        ("a b\tFALSE\t/\tFALSE\t0\ta\tb", "no domain"),
        ("a.test\tFALSE\t/\tFALSE\t0\t\tb", "cannot be sent"),
        ("a.test\tFALSE\t/\tFALSE\t0\ta\tb;c", "cannot be sent"),
        ("a.test\tFALSE\t/\tFALSE\t0\ta\tb\rX: y", "cannot be sent"),
    ],
)
def test_file_that_is_no_cookie_file_is_bad_input_and_the_line_is_named(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=words):
        read_cookie_file(write(tmp_path, text))


def test_cookie_file_that_is_missing_or_no_file_is_bad_input(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(BadInput, match="cannot be read"):
            Fetcher(FetchConfig(cookie_file=str(path)), MemoryBudget(), tmp_path, FakeClock())


async def set_a_cookie(visitor: Visitor) -> None:
    while True:
        request = await visitor.request()
        asked = request.split(b"\r\nCookie: ")[1:]
        body = asked[0].split(b"\r\n")[0] if asked else b"none"
        await visitor.send(OK + b"Set-Cookie: seen=yes\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


@pytest.mark.parametrize(("on", "second_request"), [(True, b"seen=yes"), (False, b"none")])
def test_cookies_are_sent_back_only_when_they_are_on(on: bool, second_request: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, set_a_cookie, cookies=on) as rig:
            assert (await rig.fetch()).body == b"none"
            assert (await rig.fetch()).body == second_request
            assert (await rig.fetch(host="other.test")).body == b"none"

    run(scenario())


def test_cookie_file_switches_cookies_on(tmp_path: Path) -> None:
    path = write(tmp_path, "site.test\tFALSE\t/\tFALSE\t0\tlogin\tme\n")

    async def scenario() -> None:
        async with rigged(tmp_path, set_a_cookie, cookie_file=path) as rig:
            fetched = await rig.fetch()
            assert fetched.body == b"login=me"
            assert b"\r\nCookie: [removed]\r\n" in fetched.request  # for the archive, not as it was sent
            assert (await rig.fetch()).body == b"login=me; seen=yes"

    run(scenario())


def test_other_headers_set_no_cookies() -> None:
    store = CookieStore(FakeClock())
    store.take(Target("http", "a.test", 80, "/"), ((b"set-cookie2", b"a=b"), (b"cookie", b"a=b")))
    assert len(store) == 0
