"""The quick matcher against a slow one that is plainly right, and its behaviour under attack."""

from __future__ import annotations

from functools import cache

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.robots import parse_robots
from weft.robots.patterns import NO_MATCH, Rule, arranged, is_allow, normal_form, ordinal_of

SMALL_ALPHABET = "ab/*$?"
patterns = st.text(SMALL_ALPHABET, max_size=9)
paths = st.text("ab/?", max_size=12).map(lambda rest: "/" + rest)


def slow_match(pattern: str, path: str) -> bool:
    """By the book: a star may take nothing, or one more octet."""

    @cache
    def from_here(p: int, i: int) -> bool:
        if p == len(pattern):
            return True
        if pattern[p] == "$" and p == len(pattern) - 1:
            return i == len(path)
        if pattern[p] == "*":
            return from_here(p + 1, i) or (i < len(path) and from_here(p, i + 1))
        return i < len(path) and pattern[p] == path[i] and from_here(p + 1, i + 1)

    return from_here(0, 0)


def slow_decision(rules: list[tuple[bool, str]], path: str) -> bool:
    """The most octets win, Allow wins a tie, and nothing said is allowed."""
    matching = [(len(pattern), allow) for allow, pattern in rules if pattern and slow_match(pattern, path)]
    return max(matching, default=(0, True))[1]


@settings(max_examples=150, deadline=None)
@given(patterns, paths)
def test_one_pattern_matches_as_the_slow_matcher_says(pattern: str, path: str) -> None:
    quick = arranged([Rule(False, pattern)]).best(path) != NO_MATCH
    assert quick == (bool(pattern) and slow_match(pattern, path))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text("aé/*$?%27", max_size=6), max_size=4), st.text("aé/*$?%27", max_size=8).map("/".__add__))
def test_a_quick_look_finds_nothing_only_where_nothing_is(patterns: list[str], path: str) -> None:
    rules = arranged([Rule(False, pattern) for pattern in patterns])
    assert rules.best(path) == msgspec.structs.replace(rules, heads=None).best(path)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.text("ab/*", max_size=7)), max_size=8), paths)
def test_many_rules_decide_as_the_slow_matcher_says(rules: list[tuple[bool, str]], path: str) -> None:
    best = arranged([Rule(allow, pattern) for allow, pattern in rules]).best(path)
    assert (best == NO_MATCH or is_allow(best)) == slow_decision(rules, path)
    if best != NO_MATCH:
        assert slow_match(rules[ordinal_of(best)][1], path)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_bytes_are_a_robots_txt_and_any_text_is_a_path(body: bytes, path: str) -> None:
    rules = parse_robots(b"User-agent: weft\nDisallow: /" + body, "weft")
    assert rules.allows(path) == rules.verdict(path).allowed


@given(st.text("aZ9-~%2fFéツ*$ /?", max_size=20))
def test_the_normal_form_is_ascii_and_keeps_what_is_normal(text: str) -> None:
    normal = normal_form(text)
    assert normal.isascii()
    if "%" not in text:
        assert normal_form(normal) == normal


@given(st.text("abz09-._~", max_size=10))
def test_encoding_unreserved_octets_changes_nothing(text: str) -> None:
    encoded = "".join(f"%{ord(character):02x}" for character in text)
    assert normal_form(encoded) == text


def test_a_hostile_pattern_takes_one_walk_along_the_path() -> None:
    # Backtracking would take more steps here than there are atoms; this must simply come back.
    rules = parse_robots(b"User-agent: *\nDisallow: /" + b"*a" * 2_000 + b"*b\n", "weft")
    assert rules.allows("/" + "a" * 50_000)
    assert not rules.allows("/" + "a" * 50_000 + "b")


def test_ten_thousand_rules_decide_rightly() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /s%d/\nAllow: /s%d/*.html$\n" % (i, i) for i in range(5_000))
    rules = parse_robots(body, "weft")
    assert not rules.allows("/s4999/x")
    assert rules.allows("/s4999/x/y.html")
    assert rules.allows("/s5000/x")
    assert rules.verdict("/s7/x").line_number == 16
