from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.filter import ScopeFilter
from weft.filter.scope import REMEMBERED_URLS
from weft.types import Refusal
from weft.url import host_of


def holds(rule: ScopeFilter, url: str) -> bool:
    refusal = rule.refuses_url(url, host_of(url), 1)
    assert refusal in (None, Refusal.SCOPE)
    return refusal is None


@pytest.mark.parametrize(
    ("scope", "seed", "url", "inside"),
    [
        ("host", "http://a.example.org/x/", "http://a.example.org/", True),
        ("host", "http://a.example.org/x/", "https://a.example.org:8443/y", True),
        ("host", "http://a.example.org/x/", "http://b.example.org/x/", False),
        ("host", "http://a.example.org/x/", "http://example.org/x/", False),
        ("host", "http://127.0.0.1/", "http://127.0.0.2/", False),
        ("domain", "http://a.example.org/x/", "https://b.c.example.org/", True),
        ("domain", "http://a.example.org/x/", "https://example.org/", True),
        ("domain", "http://a.example.org/x/", "https://badexample.org/", False),
        ("domain", "http://a.github.io/", "http://b.github.io/", False),
        ("domain", "http://127.0.0.1/", "http://1.0.0.1/", False),
        ("prefix", "http://h/a/b.html", "http://h/a/c/d.html", True),
        ("prefix", "http://h/a/b.html", "https://h/a/", True),
        ("prefix", "http://h/a/b.html", "http://h/a", False),
        ("prefix", "http://h/a/b.html", "http://h/ab", False),
        ("prefix", "http://h/a/b.html", "http://g/a/b.html", False),
        ("prefix", "http://h/a/b.html", "http://h:81/a/b.html", False),
        ("prefix", "http://h:81/a/b.html", "http://h:81/a/c", True),
        ("prefix", "http://h/a/?p=/x/y", "http://h/a/z", True),
        ("prefix", "http://h/", "http://h/anything", True),
        ("any", "http://h/", "https://elsewhere.example/", True),
    ],
)
def test_what_belongs_to_a_seed(scope: str, seed: str, url: str, inside: bool) -> None:
    rule = ScopeFilter(scope, [seed])
    assert holds(rule, url) == inside
    assert holds(rule, seed)


@pytest.mark.parametrize("scope", ["host", "domain", "prefix"])
def test_where_a_seed_redirects_to_comes_into_scope_when_added(scope: str) -> None:
    rule = ScopeFilter(scope, ["http://example.org/"])
    assert not holds(rule, "https://www.example.com/start/x")
    rule.add_seed("https://www.example.com/start/")
    assert holds(rule, "https://www.example.com/start/x")
    assert holds(rule, "http://example.org/")


def test_several_folders_of_one_host_are_all_in_scope() -> None:
    rule = ScopeFilter("prefix", ["http://h/a/", "http://h/b/", "http://h/a/"])
    assert holds(rule, "http://h/b/x")
    assert holds(rule, "http://h/a/x")
    assert not holds(rule, "http://h/c/x")


@pytest.mark.parametrize("scope", ["host", "domain", "prefix"])
def test_without_seeds_nothing_is_in_scope(scope: str) -> None:
    assert not holds(ScopeFilter(scope), "http://h/")


def test_an_unknown_scope_is_bad_input_that_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="prefix, host, domain, any"):
        ScopeFilter("planet")


def test_what_is_remembered_to_be_outside_is_bounded_and_forgotten_when_the_scope_grows() -> None:
    scope = ScopeFilter("host", ["http://a.example/"])
    for number in range(REMEMBERED_URLS + 10):
        assert scope.refuses_url(f"http://b.example/{number}", "b.example", 1) is Refusal.SCOPE
    assert 0 < len(scope.outside) <= REMEMBERED_URLS
    assert scope.refuses_url("http://a.example/", "a.example", 1) is None
    assert "http://a.example/" not in scope.outside
    scope.add_seed("http://b.example/")
    assert not scope.outside
