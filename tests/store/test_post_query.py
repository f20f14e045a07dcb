"""The keys of POSTs in an index are those that pywb looks up; the keys here are what pywb 2.10 made of these bodies."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.store.post_query import MAX_QUERY_CHARS, key_of, post_query
from weft.types import RequestParts

FORM, JSON, TEXT, BYTES = "application/x-www-form-urlencoded", "application/json", "text/plain", "application/x-other"
KEY = "com,example)/a?"
PARTED = (
    b'--xYz\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xc3\xa9 x&y\r\n'
    b'--xYz\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n\0\xff\r\n'
    b"--xYz--\r\n"
)


def post(body: bytes, media_type: str = FORM, *, is_secret: bool = False) -> RequestParts:
    return RequestParts(b"digest", "POST", body, (("Content-Type", media_type),), is_secret)


@pytest.mark.parametrize(
    ("body", "media_type", "key"),
    [
        (b"", FORM, f"{KEY}__wb_method=post"),
        (b"q=tea+pot&A=B", FORM, f"{KEY}__wb_method=post&a=b&q=tea%20pot"),
        (b"q=%C3%A9%23x", FORM, f"{KEY}__wb_method=post&q=%c3%a9"),
        (b"q=a%0Ab", FORM, f"{KEY}__wb_method=post&q=ab"),
        (b"\xff", FORM, f"{KEY}__wb_method=post&__wb_post_data=/w=="),
        (b'{"page":1}', JSON, f"{KEY}__wb_method=post&page=1"),
        (
            b'{"a":[1,2.0,true,null,{"b":"x y"}],"a2":1.5}',
            JSON,
            f"{KEY}__wb_method=post&a=1&a.2_=2&a.3_=true&a.4_=null&a2=1.5&b=x+y",
        ),
        (b'{"a"', JSON, f"{KEY}__wb_method=post"),
        (b'{"a"', TEXT, f"{KEY}__wb_method=post&__wb_post_data=eyjhig=="),
        (b'{"a":1}', TEXT, f"{KEY}__wb_method=post&a=1"),
        (PARTED, "multipart/form-data; boundary=xYz", f"{KEY}__wb_method=post&a=%c3%a9+x&f=%00%ff&y"),
        (b"no parts", "multipart/form-data; boundary=xYz", f"{KEY}__wb_method=post&__wb_post_data=bm8gcgfydhm="),
        (b"\x00", BYTES, f"{KEY}__wb_method=post&__wb_post_data=aa=="),
    ],
)
def test_a_post_has_the_key_that_pywb_looks_up(body: bytes, media_type: str, key: str) -> None:
    assert key_of("http://example.com/a", post(body, media_type)) == key


def test_a_get_has_the_key_of_its_url_whatever_its_headers() -> None:
    assert key_of("http://example.com/a", None) == "com,example)/a"
    assert key_of("http://example.com/a", RequestParts(b"", headers=(("A", "b"),))) == "com,example)/a"


def test_a_secret_body_is_not_in_the_key() -> None:
    secret = post(b"password=hush", is_secret=True)
    assert post_query(secret) == ""
    assert key_of("http://example.com/a", secret) == f"{KEY}__wb_method=post"


def test_a_long_body_and_a_deep_one_make_a_short_key() -> None:
    assert len(post_query(post(b"a=" + b"x" * 100_000))) == MAX_QUERY_CHARS
    assert post_query(post(b"[" * 100_000, JSON)) == ""
    assert len(post_query(post(b'{"a":[%b1]}' % (b"1," * 200_000), JSON))) == MAX_QUERY_CHARS


def reference() -> Callable[[str], str]:
    """The package that pywb makes its keys with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it was written for older Pythons
        return cast("Callable[[str], str]", importlib.import_module("surt").surt)


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from('aB=&%20+#? é\n\t/.;\\"{}[],:1'), max_size=12))
def test_a_form_has_the_key_that_pywb_makes_of_url_and_query(text: str) -> None:
    parts = post(text.encode())
    query = post_query(parts)
    url = f"http://example.com/a?__wb_method=POST{'&' if query else ''}{query}"
    assert key_of("http://example.com/a", parts) == reference()(url)
