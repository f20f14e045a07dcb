"""The bytes of a request."""

from __future__ import annotations

import pytest

from weft.errors import BadInput, BadUrl
from weft.fetch import FetchConfig, Validators
from weft.fetch.audience import without_body, without_secrets
from weft.fetch.request import RequestWriter
from weft.types import RequestParts
from weft.url import Target, split


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


SEEDS = ("http://site.test/", "http://[::1]/", "https://safe.test/", "ftp://files.test/")


def test_password_goes_to_its_host_only() -> None:
    auth = (("site.test:8080", "you:other"), ("Site.test", "me:secret"), ("[::1]:80", "ü:x:y"))
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
        lines = get(Target(scheme, host, port, "/"), auth=auth, seeds=SEEDS)
        sent = [line for line in lines if line.startswith("Authorization")]
        assert sent == ([f"Authorization: {credentials}"] if credentials else [])


def test_password_of_a_host_replaces_the_header_for_all() -> None:
    settings: dict[str, object] = {
        "extra_headers": (("authorization", "Bearer x"),),
        "auth": (("a.test", "me:secret"),),
        "seeds": ("http://a.test/", "http://b.test/"),
    }
    assert "Authorization: Basic bWU6c2VjcmV0" in get(Target("http", "a.test", 80, "/"), **settings)
    assert not any("Bearer" in line for line in get(Target("http", "a.test", 80, "/"), **settings))
    assert "authorization: Bearer x" in get(Target("http", "b.test", 80, "/"), **settings)


def sent_to(target: str, **settings: object) -> list[str]:
    """The headers beyond the usual ones in a request for a URL."""
    usual = get(split(target))
    return [line for line in get(split(target), **settings) if line not in usual]


@pytest.mark.parametrize("name", ["Authorization", "cookie", "Proxy-Authorization"])
def test_a_header_that_says_who_we_are_goes_to_the_seeds_hosts_only(name: str) -> None:
    settings: dict[str, object] = {"extra_headers": ((name, "secret"), ("X-Other", "1")), "seeds": SEEDS}
    told = [f"{name}: secret"]
    assert sent_to("http://site.test/a", **settings) == ["X-Other: 1", *told]
    assert sent_to("https://site.test:8443/a", **settings) == ["X-Other: 1", *told]
    assert sent_to("https://safe.test/", **settings) == ["X-Other: 1", *told]
    for elsewhere in ("http://www.site.test/", "https://evil.test/", "http://site.test.evil.test/"):
        assert sent_to(elsewhere, **settings) == ["X-Other: 1"]


@pytest.mark.parametrize(
    "settings",
    [
        {"extra_headers": (("Authorization", "secret"),)},
        {"extra_headers": (("safe.test=X-Key", "secret"),)},
        {"auth": (("safe.test", "me:secret"),)},
        {"auth": (("safe.test:80", "me:secret"),)},
        {"auth": (("https://safe.test", "me:secret"),)},
    ],
)
def test_what_is_meant_for_https_is_not_sent_in_the_open(settings: dict[str, object]) -> None:
    assert sent_to("http://safe.test/", **settings, seeds=SEEDS) == []
    https = "https://safe.test:80/" if "safe.test:80" in str(settings) else "https://safe.test/"
    assert len(sent_to(https, **settings, seeds=SEEDS)) == 1


@pytest.mark.parametrize(
    ("place", "by_http", "by_https"),
    [("other.test", 0, 1), ("http://other.test", 1, 0), ("HTTPS://other.test/", 0, 1)],
)
def test_a_host_that_is_no_seeds_is_told_by_https_unless_the_scheme_is_given(
    place: str, by_http: int, by_https: int
) -> None:
    told: tuple[dict[str, object], ...] = (
        {"auth": ((place, "me:secret"),)},
        {"extra_headers": ((f"{place}=X-Key", "1"),)},
    )
    for settings in told:
        assert len(sent_to("http://other.test/", **settings, seeds=SEEDS)) == by_http
        assert len(sent_to("https://other.test/", **settings, seeds=SEEDS)) == by_https
        assert sent_to("https://site.test/", **settings, seeds=SEEDS) == []


def test_a_header_for_one_host_goes_to_that_port_of_it_or_to_all() -> None:
    headers = (("other.test:8443=X-Key", "1"), ("other.test=X-Key", "2"), ("other.test=Cookie", "a=b=c"))
    assert sent_to("https://other.test/", extra_headers=headers) == ["X-Key: 2", "Cookie: a=b=c"]
    assert sent_to("https://other.test:8443/", extra_headers=headers) == ["X-Key: 1", "Cookie: a=b=c"]


@pytest.mark.parametrize("name", ["=X", "a b=X", "gopher://a.test=X", "a.test=Host", "a.test=X Y", "a.test="])
def test_a_header_for_what_is_no_host_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput):
        RequestWriter(FetchConfig(extra_headers=((name, "z"),)))


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


# ── requests with parts of their own ───────────────────────────────────────────────────────────────────


HERE = Target("http", "example.org", 80, "/form")


def of(parts: RequestParts, cookies: bytes = b"", **settings: object) -> tuple[list[str], bytes]:
    config = FetchConfig(**settings)  # type: ignore[arg-type]
    head, _, body = RequestWriter(config).of(HERE, parts, None, cookies).partition(b"\r\n\r\n")
    return head.decode().split("\r\n"), body


def test_a_post_has_its_method_its_length_and_its_body() -> None:
    lines, body = of(RequestParts(b"d", "POST", b"a=1\r\n\r\nb", (("Content-Type", "text/plain"),)))
    assert lines[0] == "POST /form HTTP/1.1"
    assert lines[-2:] == ["Content-Type: text/plain", "Content-Length: 8"]
    assert body == b"a=1\r\n\r\nb"
    assert "Content-Length: 0" in of(RequestParts(b"d", "POST"))[0]


def test_headers_of_a_request_replace_those_of_the_crawl_and_its_cookies() -> None:
    parts = RequestParts(b"", headers=(("accept", "application/json"), ("Cookie", "b=2"), ("User-Agent", "")))
    lines, body = of(parts, b"a=1", user_agent="weft", accept="text/html")
    assert lines[0] == "GET /form HTTP/1.1"
    assert lines[-2:] == ["accept: application/json", "Cookie: b=2"]
    assert not any(line.startswith(("Accept: ", "User-Agent", "Content-Length", "Cookie: a")) for line in lines)
    assert body == b""


def test_what_is_archived_of_a_request_has_no_secret_in_its_head_and_keeps_its_body() -> None:
    request = b"POST / HTTP/1.1\r\nAuthorization: hush\r\nContent-Length: 15\r\n\r\nCookie: stays\r\n"
    assert without_secrets(request) == request.replace(b"hush", b"[removed]")
    assert without_body(request) == (b"POST / HTTP/1.1\r\nAuthorization: hush\r\nContent-Length: 9\r\n\r\n[removed]")
