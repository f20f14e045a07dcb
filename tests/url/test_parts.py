from __future__ import annotations

import pytest

from weft.url import Target, host_of, origin_of, registrable_domain, split


@pytest.mark.parametrize(
    ("url", "target", "origin"),
    [
        ("http://example.org/", Target("http", "example.org", 80, "/"), "http://example.org"),
        ("https://example.org/a/b?c=d", Target("https", "example.org", 443, "/a/b?c=d"), "https://example.org"),
        ("http://example.org:8080/?", Target("http", "example.org", 8080, "/?"), "http://example.org:8080"),
        ("http://h/a:b@c//d?e://f/", Target("http", "h", 80, "/a:b@c//d?e://f/"), "http://h"),
        ("http://127.0.0.1:1/x", Target("http", "127.0.0.1", 1, "/x"), "http://127.0.0.1:1"),
        ("http://[2001:db8::1]/x", Target("http", "2001:db8::1", 80, "/x"), "http://[2001:db8::1]"),
        ("ftp://h/a?b", Target("ftp", "h", 21, "/a?b"), "ftp://h"),
        ("https://[::1]:8443/[x]:1", Target("https", "::1", 8443, "/[x]:1"), "https://[::1]:8443"),
    ],
)
def test_a_canonical_url_comes_apart(url: str, target: Target, origin: str) -> None:
    assert split(url) == target
    assert host_of(url) == target.host
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.example.org", "example.org"),
        ("a.b.c.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("a.github.io", "a.github.io"),  # the private section
        ("x.a.github.io", "a.github.io"),
        ("github.io", "github.io"),
        ("www.ck", "www.ck"),  # an exception to *.ck
        ("a.b.ck", "a.b.ck"),
        ("www.xn--bcher-kva.xn--p1ai", "xn--bcher-kva.xn--p1ai"),
        ("x.y.xn--55qx5d.cn", "y.xn--55qx5d.cn"),
        ("a.b.nosuchtld", "b.nosuchtld"),
        ("www.example.org.", "example.org"),
        ("localhost", "localhost"),
        ("org", "org"),
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_the_registrable_domain_is_what_somebody_can_buy(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
