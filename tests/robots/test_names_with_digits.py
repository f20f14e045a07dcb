"""Names that RFC 9309 would cut: read whole, and where a reading with one of two names cut differs, both are obeyed."""

from __future__ import annotations

import pytest

from weft.robots import parse_robots

from .reading import allowed, group


@pytest.mark.parametrize("token", ["bot5", "360Spider", "archive.org_bot", "BOT5"])
def test_a_name_with_digits_finds_its_group(token: str) -> None:
    text = group("Disallow: /ours", agent=f"{token}/2.0") + group("Disallow: /theirs", agent="*")
    assert not allowed(text, "/ours", token)
    assert allowed(text, "/theirs", token)


def test_a_crawlers_group_is_not_that_of_another_whose_name_differs_in_digits() -> None:
    text = group("Disallow: /", agent="bot1") + group("Disallow: /x", agent="*")
    assert allowed(text, "/y", "bot5")
    assert not allowed(text, "/x", "bot5")
    text = group("Allow: /", agent="bot1") + group("Disallow: /", agent="*")
    assert not allowed(text, "/x", "bot5")


def test_a_group_for_the_name_without_digits_binds_as_well() -> None:
    text = group("Disallow: /a", agent="bot") + group("Disallow: /b", agent="*")
    assert not allowed(text, "/a", "bot5")  # if bot is us
    assert not allowed(text, "/b", "bot5")  # if it is not
    assert allowed(text, "/c", "bot5")


def test_a_group_for_our_name_with_digits_binds_as_well() -> None:
    text = group("Disallow: /a", agent="bot5") + group("Disallow: /b", agent="*")
    assert [allowed(text, path, "bot") for path in ("/a", "/b", "/c")] == [False, False, True]


def test_a_group_of_our_own_does_not_undo_one_that_may_be_ours() -> None:
    text = group("Disallow: /a", agent="bot") + group("Disallow: /b", agent="bot5") + group("Disallow: /c", agent="*")
    assert [allowed(text, path, "bot5") for path in ("/a", "/b", "/c")] == [False, False, True]


def test_the_longer_of_two_crawl_delays_counts() -> None:
    text = group("Crawl-delay: 3", agent="bot") + group("Crawl-delay: 2", agent="*")
    assert parse_robots(text.encode(), "bot5").crawl_delay_s == 3
    text = group("Crawl-delay: 3", agent="bot") + group("Crawl-delay: 20", agent="*")
    assert parse_robots(text.encode(), "bot5").crawl_delay_s == 20
    assert parse_robots(text.encode(), "bot").crawl_delay_s == 3


def test_the_line_that_forbids_is_the_one_that_is_shown() -> None:
    text = group("Disallow: /a", agent="bot") + group("Allow: /", agent="*")
    assert parse_robots(text.encode(), "bot5").verdict("/a") == (False, "Disallow: /a", 2)
    assert parse_robots(text.encode(), "bot5").verdict("/b") == (True, "Allow: /", 4)


@pytest.mark.parametrize(("path", "line"), [("/a", "Disallow: /a"), ("/b", "Disallow: /b"), ("/c", None)])
def test_the_line_that_forbids_is_that_of_either_reading(path: str, line: str | None) -> None:
    rules = parse_robots(b"User-agent: bot5\nDisallow: /a\n\nUser-agent: bot\nDisallow: /b\n", "bot5")
    assert rules.forbidding_line(path) == line
    assert rules.allows(path) is (line is None)
