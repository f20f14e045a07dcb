"""The Set-Cookie header, read as RFC 6265 §5 says."""

from __future__ import annotations

import pytest

from weft.fetch.set_cookie import NEVER, Cookie, default_path, parse_cookie_date, parse_set_cookie

NOW = 1_700_000_000.0


def parse(header: bytes) -> Cookie | None:
    return parse_set_cookie(header, "www.site.test", "/folder", NOW)


def usual(**changes: object) -> Cookie:
    """The cookie `a=b` without attributes."""
    fields: dict[str, object] = {"name": "a", "value": "b", "domain": "www.site.test", "path": "/folder", **changes}
    return Cookie(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "cookie"),
    [
        (b"a=b", usual()),
        (b"  a  =  b  ; ", usual()),
        (b'a="b c"', usual(value='"b c"')),
        (b"a=", usual(value="")),
        (b"a=b=c", usual(value="b=c")),
        (b"a=\xe4\xff", usual(value="\xe4\xff")),
        (b"a=b; Path=/", usual(path="/")),
        (b"a=b; path = /x/y ;HttpOnly;SameSite=Lax", usual(path="/x/y")),
        (b"a=b; Path=x", usual()),
        (b"a=b; Path=", usual()),
        (b"a=b; Path=/x; Path=/y", usual(path="/y")),
        (b"a=b; Path=/" + b"x" * 2000, usual()),
        (b"a=b; Domain=site.test", usual(domain="site.test", host_only=False)),
        (b"a=b; DOMAIN=.Site.Test", usual(domain="site.test", host_only=False)),
        (b"a=b; Domain=", usual()),
        (b"a=b; Secure", usual(secure=True)),
        (b"a=b; secure=no", usual(secure=True)),
        (b"a=b; Max-Age=60", usual(expires_at=NOW + 60)),
        (b"a=b; Max-Age=0", usual(expires_at=0.0)),
        (b"a=b; Max-Age=-5", usual(expires_at=0.0)),
        (b"a=b; Max-Age=1.5", usual()),
        (b"a=b; Max-Age=" + b"9" * 900, usual(expires_at=NEVER)),
        (b"a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT", usual(expires_at=10.0)),
        (b"a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Max-Age=60", usual(expires_at=NOW + 60)),
        (b"a=b; Expires=soon", usual()),
        (b"a", None),
        (b"=b", None),
        (b"", None),
        (b"; Path=/", None),
        (b"a=b\rX: y", None),
        (b"a=\0", None),
        (b"a=b; Path=/\x01", None),
        (b"a=" + b"x" * 4095, usual(value="x" * 4095)),
        (b"a=" + b"x" * 4096, None),
    ],
)
def test_header_is_read_as_the_standard_says(header: bytes, cookie: Cookie | None) -> None:
    assert parse(header) == cookie


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("06-nov-1994 8:49:37", 784_111_777),
        ("November 6 1994 08:49:37", 784_111_777),
        ("01 Jan 2069 00:00:00", 3_124_224_000),
        ("01 Jan 69 00:00:00", 3_124_224_000),
        ("01 Jan 70 00:00:00", 0),
        ("31 Dec 9999 23:59:59", 253_402_300_799),
        ("31 Feb 2024 00:00:00", None),
        ("01 Jan 2024 24:00:00", None),
        ("01 Jan 2024 00:60:00", None),
        ("00 Jan 2024 00:00:00", None),
        ("01 Jan 1600 00:00:00", None),
        ("01 Jan 20244 00:00:00", None),
        ("01 Jan 2024", None),
        ("01 Foo 2024 00:00:00", None),
        ("1700000000", None),
        ("", None),
    ],
)
def test_date_is_read_in_the_forms_that_servers_write(text: str, seconds: float | None) -> None:
    assert parse_cookie_date(text) == seconds


@pytest.mark.parametrize(
    ("path", "folder"), [("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b?c=/d/e", "/a"), ("/?/", "/")]
)
def test_cookie_without_a_path_belongs_to_the_folder_of_its_page(path: str, folder: str) -> None:
    assert default_path(path) == folder
