"""What a robots.txt may cost the engine, which has to ask it about every URL."""

from __future__ import annotations

import pytest

from weft.robots import parse_robots

LONG_PATH = "/" + "a" * 8_000
RULES = b"User-agent: *\nDisallow: /private\nAllow: /public\n"


def rules_with(pattern: bytes, lines: int) -> bytes:
    return RULES + b"".join(b"Disallow: " + pattern % number + b"\n" for number in range(lines))


@pytest.mark.parametrize("pattern", [b"*a%x", b"*a*a*a*%x", b"/*aaaaaaaaaaaaaaaab%x"])
def test_a_path_that_would_be_walked_ten_thousand_times_is_forbidden_instead(pattern: bytes) -> None:
    rules = parse_robots(rules_with(pattern + b"-", 20_000), "weft")
    verdict = rules.verdict(LONG_PATH)
    assert not verdict.allowed
    assert verdict.line_text is not None
    assert not rules.allows(LONG_PATH)


def test_a_pattern_of_a_thousand_wildcards_counts_for_what_it_costs() -> None:
    rules = parse_robots(rules_with(b"*a" * 1_000 + b"*b%x-", 240), "weft")
    assert not rules.allows(LONG_PATH)


def test_ordinary_paths_are_still_compared_with_all_of_them() -> None:
    rules = parse_robots(rules_with(b"*q%x-", 20_000), "weft")
    assert rules.allows("/page")
    assert rules.allows("/public")
    assert not rules.allows("/private")
    assert not rules.allows("/page?q4e1f-")


def test_a_long_path_is_compared_with_as_many_patterns_as_files_have() -> None:
    rules = parse_robots(rules_with(b"*a%x-", 200), "weft")
    assert rules.allows(LONG_PATH)
    assert not rules.allows(LONG_PATH + "c7-")


def test_patterns_that_begin_otherwise_cost_nothing() -> None:
    rules = parse_robots(rules_with(b"/b%x*x*y", 20_000), "weft")
    assert rules.allows(LONG_PATH)
