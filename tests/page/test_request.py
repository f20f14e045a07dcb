"""A request that a function asks for: what it may say, and what tells two apart."""

from __future__ import annotations

from typing import Any

import pytest

import weft
from weft.errors import BadInput
from weft.types import Kind
from weft.url.ids import request_id, url_id

URL = "http://example.test/search"


def test_a_plain_request_is_a_get_without_parts() -> None:
    request = weft.Request(URL)
    assert (request.method, request.parts, request.kind) == ("GET", None, Kind.LINK)


@pytest.mark.parametrize(
    ("options", "body", "media_type"),
    [
        ({"data": {"q": "tea pot", "page": 2}}, b"q=tea+pot&page=2", "application/x-www-form-urlencoded"),
        ({"data": [("a", "1"), ("a", "2")]}, b"a=1&a=2", "application/x-www-form-urlencoded"),
        ({"data": {"a": ["1", "2"]}}, b"a=1&a=2", "application/x-www-form-urlencoded"),
        ({"data": "né"}, "né".encode(), "text/plain; charset=utf-8"),
        ({"data": b"\x00\x01"}, b"\x00\x01", "application/octet-stream"),
        ({"json": {"page": 1}}, b'{"page":1}', "application/json"),
        ({"json": None}, b"null", "application/json"),
        ({"data": {}}, b"", "application/x-www-form-urlencoded"),
    ],
)
def test_what_is_to_be_sent_makes_it_a_post(options: Any, body: bytes, media_type: str) -> None:
    request = weft.Request(URL, **options)
    assert (request.method, request.body) == ("POST", body)
    assert request.headers == (("Content-Type", media_type),)


def test_a_content_type_of_ones_own_stays() -> None:
    request = weft.Request(URL, data=b"<a/>", headers={"content-type": "text/xml"})
    assert request.headers == (("content-type", "text/xml"),)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "DELETE"}, "a request is a GET or a POST, not 'DELETE'"),
        ({"method": "GET", "data": "x"}, "a GET has nothing to send: put it into its URL, or use POST"),
        ({"data": "x", "json": 1}, "a request has data or json, not both"),
        ({"json": object()}, "the json of a request cannot be written"),
        ({"data": 7}, "the data of a request is a mapping, a list of pairs, a text or bytes"),
        ({"data": b"x" * 1_048_577}, "the body of a request has at most 1,048,576 bytes, not 1,048,577"),
        ({"headers": {"A": "b\r\nC: d"}}, "a request cannot send the header 'A'"),
        ({"headers": {"A": "b\ud800"}}, "a request cannot send the header 'A'"),
        ({"data": "b\ud800"}, "the data of a request has a character that UTF-8 does not know"),
        ({"data": {"a": "b\ud800"}}, "the data of a request has a character that UTF-8 does not know"),
        ({"headers": {"A b": "c"}}, "a request cannot send the header 'A b'"),
        ({"headers": {"A": 1}}, "a request's header 'A' and its value are texts"),
        ({"headers": [("A", "b")]}, "the headers of a request are a mapping of names to values"),
        ({"headers": {"Host": "other.test"}}, "the header 'Host' is weft's own to send"),
        ({"headers": {"A": "b" * 20_000}}, "the headers of a request have at most 16,384 characters"),
        ({"cookies": {}}, "a request has no 'cookies'"),
    ],
)
def test_bad_requests_are_refused_with_a_sentence(options: Any, sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^{sentence.replace('(', '.')}"):
        weft.Request(URL, **options)


@pytest.mark.parametrize(
    ("name", "value"), [("method", "DELETE"), ("headers", (("A", "b\r\nC: d"),)), ("headers", {"Host": "other.test"})]
)
def test_a_request_that_was_changed_after_it_was_made_is_checked_before_it_is_sent(name: str, value: object) -> None:
    request = weft.Request(URL, headers={"A": "b"})
    setattr(request, name, value)
    with pytest.raises(BadInput):
        _ = request.parts


def test_url_method_and_body_tell_requests_apart_and_headers_do_not() -> None:
    def identity(**options: Any) -> bytes:
        parts = weft.Request(URL, **options).parts
        return request_id(URL, parts.digest if parts else b"")

    assert identity() == identity(headers={"A": "b"}) == url_id(URL)
    assert identity(data="x") == identity(data="x", headers={"A": "b"})
    assert len({identity(), identity(data="x"), identity(data="y"), identity(method="POST")}) == 4


def test_a_page_makes_requests_relative_to_its_base_and_none_fails_for_what_stands_in_a_page() -> None:
    html = '<base href="/shop/"><meta charset="windows-1252"><p>x'
    page = weft.Page.from_html(html.encode(), url="http://example.test/a/b")
    assert page.follow("next?q=é").url == "http://example.test/shop/next?q=%E9"
    assert page.follow("//other.test").url == "http://other.test/"
    assert page.follow("mailto:a@b.test").url == "mailto:a@b.test"
    assert page.follow("", data="x").body == b"x"
    with pytest.raises(BadInput, match="the URL of a request"):
        page.follow(None)  # type: ignore[arg-type]  # as a missing attribute is


@pytest.mark.parametrize("kind", [Kind.SEED, Kind.REDIRECT, Kind.REFRESH, "nothing", None])
def test_a_request_does_not_say_what_the_crawl_itself_did(kind: Any) -> None:
    with pytest.raises(BadInput, match="a request is found as a link, frame, embed or sitemap, not "):
        weft.Request(URL, kind=kind)


def test_a_url_alone_cannot_be_secret() -> None:
    with pytest.raises(BadInput, match="secret by its body"):
        weft.Request("http://a.example/?token=x", secret=True)
    assert weft.Request("http://a.example/", secret=True, data={"p": "x"}).is_secret
    parts = weft.Request("http://a.example/", secret=True, headers={"X-Token": "x"}).parts
    assert parts is not None
    assert parts.is_secret
