"""The bytes of a request."""

from __future__ import annotations

import pytest

from weft.errors import BadInput, BadUrl
from weft.fetch import FetchConfig, Validators
from weft.fetch.request import RequestWriter
from weft.url import Target


def get(target: Target, **settings: object) -> list[str]:
    config = FetchConfig(**settings)  # type: ignore[arg-type]
    text = RequestWriter(config).get(target).decode()
    assert text.endswith("\r\n\r\n")
    return text[:-4].split("\r\n")


def test_request_is_a_get_with_the_headers_of_the_config() -> None:
    target = Target("http", "example.org", 80, "/a?b=c")
    lines = get(target, user_agent="weft/1 (+https://example.org/bot)", accept="text/html", accept_language="de")
    assert lines == [
        "GET /a?b=c HTTP/1.1",
        "Host: example.org",
        "User-Agent: weft/1 (+https://example.org/bot)",
        "Accept: text/html",
        "Accept-Encoding: gzip, deflate, br",
        "Accept-Language: de",
    ]


@pytest.mark.parametrize(
    ("scheme", "host", "port", "header"),
    [
        ("http", "example.org", 80, "example.org"),
        ("http", "example.org", 8080, "example.org:8080"),
        ("https", "example.org", 443, "example.org"),
        ("http", "example.org", 443, "example.org:443"),
        ("http", "::1", 80, "[::1]"),
        ("http", "::1", 8080, "[::1]:8080"),
    ],
)
def test_host_header_names_the_port_only_where_it_is_not_the_scheme_s(
    scheme: str, host: str, port: int, header: str
) -> None:
    assert get(Target(scheme, host, port, "/"))[1] == f"Host: {header}"


def test_extra_header_is_added_or_replaces_ours() -> None:
    lines = get(Target("http", "a.test", 80, "/"), extra_headers=(("X-Key", "1"), ("accept", "*/*")))
    assert "X-Key: 1" in lines
    assert "accept: */*" in lines
    assert not any(line.startswith("Accept:") for line in lines)


@pytest.mark.parametrize(
    "header",
    [
        ("Host", "x"),
        ("Content-Length", "3"),
        ("X Y", "z"),
        ("X:", "z"),
        ("", "z"),
        ("X", "a\r\nY: b"),
        ("X", "a\n"),
    ],
)
def test_header_that_would_break_the_request_is_refused(header: tuple[str, str]) -> None:
    with pytest.raises(BadInput):
        RequestWriter(FetchConfig(extra_headers=(header,)))


@pytest.mark.parametrize("path", ["/a b", "/a\r\nX: y", "/a\nb", "/\0", "/\x7f"])
def test_path_that_would_break_the_request_is_refused(path: str) -> None:
    writer = RequestWriter(FetchConfig())
    with pytest.raises(BadUrl):
        writer.get(Target("http", "a.test", 80, path))
    with pytest.raises(BadUrl):
        writer.get(Target("http", f"a.test{path}", 80, "/"))


def test_password_goes_to_its_host_only() -> None:
    auth = (("Site.test", "me:secret"), ("site.test:8080", "you:other"), ("[::1]:80", "ü:x:y"))
    expected = {
        ("http", "site.test", 80): "Basic bWU6c2VjcmV0",
        ("https", "site.test", 443): "Basic bWU6c2VjcmV0",
        ("http", "site.test", 81): "Basic bWU6c2VjcmV0",
        ("http", "site.test", 8080): "Basic eW91Om90aGVy",
        ("http", "::1", 80): "Basic w7w6eDp5",
        ("http", "::1", 81): None,
        ("http", "www.site.test", 80): None,
        ("http", "site.test.evil.test", 80): None,
    }
    for (scheme, host, port), credentials in expected.items():
        lines = get(Target(scheme, host, port, "/"), auth=auth)
        sent = [line for line in lines if line.startswith("Authorization")]
        assert sent == ([f"Authorization: {credentials}"] if credentials else [])


def test_password_of_a_host_replaces_the_header_for_all() -> None:
    settings = {"extra_headers": (("authorization", "Bearer x"),), "auth": (("a.test", "me:secret"),)}
    assert "Authorization: Basic bWU6c2VjcmV0" in get(Target("http", "a.test", 80, "/"), **settings)
    assert not any("Bearer" in line for line in get(Target("http", "a.test", 80, "/"), **settings))
    assert "authorization: Bearer x" in get(Target("http", "b.test", 80, "/"), **settings)


@pytest.mark.parametrize("auth", [("a.test", "nobody"), ("a b", "me:secret")])
def test_password_that_cannot_be_sent_is_bad_input_and_not_repeated(auth: tuple[str, str]) -> None:
    with pytest.raises(BadInput) as caught:
        RequestWriter(FetchConfig(auth=(auth,)))
    assert auth[1] not in str(caught.value)


def test_cookies_and_validators_stand_in_the_request_byte_for_byte() -> None:
    writer = RequestWriter(FetchConfig())
    request = writer.get(Target("http", "a.test", 80, "/"), Validators(etag=b'"\xe4"'), b"a=\xff")
    assert request.endswith(b'\r\nCookie: a=\xff\r\nIf-None-Match: "\xe4"\r\n\r\n')
    assert request.count(b"\r\n\r\n") == 1
