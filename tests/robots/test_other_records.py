"""Crawl-delay, Sitemap, and the line that explains a verdict."""

from __future__ import annotations

import pytest

from weft.robots import ALLOW_ALL, FORBID_ALL, parse_robots
from weft.robots.rules import LONGEST_CRAWL_DELAY_S


def delay(text: str, token: str = "weft") -> float | None:
    return parse_robots(text.encode(), token).crawl_delay_s


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10", 10.0),
        ("0.5", 0.5),
        (".25", 0.25),
        ("3.", 3.0),
        ("90", 90.0),
        ("86400", 86_400.0),
        ("31536000", 31_536_000.0),
        ("0", 0.0),
    ],
)
def test_crawl_delay_of_any_size_is_read(value: str, seconds: float) -> None:
    assert delay(f"User-agent: weft\nCrawl-delay: {value}\n") == seconds
    assert delay(f"User-agent: *\nDisallow: /x\ncrawl-DELAY:{value} # please\n") == seconds


@pytest.mark.parametrize("value", ["", "soon", "-1", "1,5", "10s", "1e3", "inf", "nan", "0x10", "1.2.3"])
def test_a_bad_crawl_delay_is_ignored(value: str) -> None:
    assert delay(f"User-agent: weft\nCrawl-delay: {value}\n") is None
    assert delay(f"User-agent: weft\nCrawl-delay: 7\nCrawl-delay: {value}\n") == 7.0


def test_a_crawl_delay_beyond_all_bounds_stays_a_number() -> None:
    assert delay(f"User-agent: weft\nCrawl-delay: {'9' * 400}\n") == LONGEST_CRAWL_DELAY_S


def test_the_longest_of_several_crawl_delays_counts() -> None:
    assert delay("User-agent: weft\nCrawl-delay: 3\nCrawl-delay: 9\n\nUser-agent: weft\nCrawl-delay: 5\n") == 9.0


def test_the_crawl_delay_of_the_star_group_holds_only_when_no_group_names_us() -> None:
    text = "User-agent: *\nCrawl-delay: 9\nDisallow: /x\n\nUser-agent: weft\nDisallow: /y\n"
    assert delay(text) is None
    assert delay(text, "other") == 9.0


def test_a_crawl_delay_belongs_to_the_user_agents_directly_above_it() -> None:
    text = (
        "User-agent: a\nUser-agent: b\nCrawl-delay: 10\n\n"
        "User-agent: c\nCrawl-delay: 20\n\n"
        "User-agent: *\nDisallow: /x\n"
    )
    assert [delay(text, token) for token in "abcd"] == [10.0, 10.0, 20.0, None]
    assert not any(parse_robots(text.encode(), token).allows("/x") for token in "abcd")


def test_a_crawl_delay_outside_any_group_is_ignored() -> None:
    assert delay("Crawl-delay: 5\nUser-agent: weft\nDisallow: /x\n") is None


@pytest.mark.parametrize("name", ["crawldelay", "crawl delay", "Crawl-Delay"])
def test_misspelt_crawl_delay_is_understood(name: str) -> None:
    assert delay(f"User-agent: weft\n{name}: 4\n") == 4.0


def test_2_2_4_sitemaps_are_found_anywhere_whoever_is_addressed() -> None:
    text = (
        "Sitemap: https://h/first.xml\nUser-agent: other\nSITEMAP:https://h/second.xml # new\nDisallow: /\n"
        "site-map: https://h/third.xml\nSitemap: https://h/first.xml\nSitemap:\n"
    )
    assert parse_robots(text.encode(), "weft").sitemaps == (
        "https://h/first.xml",
        "https://h/second.xml",
        "https://h/third.xml",
    )


def test_a_verdict_names_the_line_that_decides() -> None:
    rules = parse_robots(b"# hello\nUser-agent: *\nDisallow: /a # keep out\n\n  Allow: /a/b$\nDisallow: /a*", "weft")
    assert rules.verdict("/a") == (False, "Disallow: /a*", 6)
    assert rules.verdict("/a/b") == (True, "Allow: /a/b$", 5)
    assert rules.verdict("/c") == (True, None, 0)
    assert rules.verdict("/robots.txt") == (True, None, 0)


def test_the_first_of_equal_lines_is_named() -> None:
    assert parse_robots(b"User-agent: weft\nDisallow: /a\nDisallow: /a\n", "weft").verdict("/a").line_number == 2


def test_rules_for_all_or_nothing() -> None:
    assert ALLOW_ALL.allows("/x")
    assert not FORBID_ALL.allows("/x")
    assert FORBID_ALL.verdict("/x") == (False, None, 0)
    assert FORBID_ALL.allows("/robots.txt")
    assert FORBID_ALL.verdict("/robots.txt").allowed


def test_the_lines_that_are_meant_are_told_by_number_whichever_reading_takes_them() -> None:
    everyone, ours = b"User-agent: *\nDisallow: /all\n\n", b"User-agent: bot5\nAllow: /x\nDisallow: /y\n"
    body = everyone + b"User-agent: bot\nDisallow: /cut\n\n" + ours
    assert parse_robots(body, "bot5").lines() == [(5, "Disallow: /cut"), (8, "Allow: /x"), (9, "Disallow: /y")]
    assert parse_robots(body, "other").lines() == [(2, "Disallow: /all")]
    assert parse_robots(b"", "other").lines() == []
