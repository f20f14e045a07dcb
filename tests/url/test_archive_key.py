from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import BadUrl
from weft.url import canonicalize, surt


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www.example.com/", "com,example)/"),
        ("http://www2.news.example.co.uk/", "uk,co,example,news)/"),
        ("http://wwwx.example.com/", "com,example,wwwx)/"),
        ("http://example.com./", "com,example)/"),
        ("http://example.com:8080/", "com,example:8080)/"),
        ("https://example.com:80/", "com,example:80)/"),
        ("http://127.0.0.1/", "1,0,0,127)/"),
        ("http://[2001:db8::1]:81/x", "2001:db8::1:81)/x"),
        ("http://example.com/Path/File.HTML", "com,example)/path/file.html"),
        ("http://example.com/a/b/", "com,example)/a/b"),
        ("http://example.com/a//b", "com,example)/a/b"),
        ("http://example.com/?", "com,example)/"),
        ("http://example.com/?b=2&a=1&a", "com,example)/?a&a=1&b=2"),
        ("http://example.com/?B=X", "com,example)/?b=x"),
        ("http://example.com/a%20b%2520c?Q=%C3%A9", "com,example)/a%20b%20c?q=%c3%a9"),
        ("http://example.com/?x=%26&y=", "com,example)/?&x=&y="),
        ("http://example.com/%23x?%23", "com,example)/%23x?%23"),
        ("http://example.com/?sid=0123456789abcdef0123456789abcdef&x=1", "com,example)/?x=1"),
        ("http://example.com/?x=1&PHPSESSID=0123456789abcdef0123456789ABCDEF", "com,example)/?&x=1"),
        ("http://example.com/(S(0123456789abcdefghijklmn))/a.aspx", "com,example)/a.aspx"),
    ],
)
def test_the_key_is_the_one_that_pywb_looks_up(url: str, key: str) -> None:
    assert surt(url) == key


def reference() -> Callable[[str], str]:
    """The package that pywb makes its keys with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it was written for older Pythons
        return cast("Callable[[str], str]", importlib.import_module("surt").surt)


HOSTS = (
    "example.com www.example.com www2.a.co.uk 1.2.3.4 [::1] a www.www.com wwwx.www.com www.. h. h.. a..b h:8080 h:0 "
    "h:443 [::1]:99 .www.x.com xn--bcher-kva.de"
)
PIECES = [
    *"/a.B%é?&=; \"'#\\^|{~+[]",
    *("//", "..", "%25", "%2e", "%2F", "%0a", "%00", "%C3%A9", "%zz", "%23", "%3f", "%26", "x=1", "&&", "www."),
    *("sid=", "jsessionid=", "phpsessid=", "0123456789abcdef0123456789ABCDEF", "cfid=1&cftoken=2"),
    *("(S(0123456789abcdefghijklmn))/", "(0123456789abcdefghijklmn)/", "a.aspx"),
    "ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx",
]


@settings(max_examples=100, deadline=None, database=None)
@given(
    st.sampled_from(["http", "https", "ftp"]),
    st.sampled_from(HOSTS.split()),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
def test_any_key_equals_that_of_the_surt_package(scheme: str, host: str, path: str) -> None:
    reference_surt = reference()
    try:
        url = canonicalize(f"{scheme}://{host}/{path}")
    except BadUrl:
        return
    assert surt(url) == reference_surt(url)
