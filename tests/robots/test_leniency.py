"""What is read beyond the RFC's grammar, as google/robotstxt reads it."""

from __future__ import annotations

import pytest

from weft.robots import MAX_PARSED_BYTES, parse_robots
from weft.robots.lines import MAX_LINE_BYTES

from .reading import allowed, group


@pytest.mark.parametrize("name", ["useragent", "user agent", "User-Agents", "USERAGENT"])
def test_misspelt_user_agent_is_understood(name: str) -> None:
    assert not allowed(f"{name}: weft\nDisallow: /x\n", "/x")


@pytest.mark.parametrize("name", ["dissallow", "dissalow", "disalow", "diasllow", "disallaw", "Disallowed"])
def test_misspelt_disallow_is_understood(name: str) -> None:
    assert not allowed(group(f"{name}: /x"), "/x")


def test_allow_has_no_misspellings_but_may_be_longer() -> None:
    assert allowed(group("Disallow: /", "Allowed: /x"), "/x")
    assert not allowed(group("Disallow: /", "Alow: /x"), "/x")


def test_a_colon_may_be_missing_between_two_words() -> None:
    assert not allowed("user-agent weft\ndisallow /x\n", "/x")
    assert not allowed("user-agent\tweft\ndisallow \t /x\n", "/x")


def test_a_line_of_three_words_without_colon_is_nothing() -> None:
    assert allowed(group("disallow /x /y"), "/x")
    assert allowed("user agent weft\nDisallow: /\n", "/x")


def test_a_star_followed_by_space_means_everyone() -> None:
    assert not allowed(group("Disallow: /x", agent="* all of you"), "/x")
    assert allowed(group("Disallow: /x", agent="*all"), "/x")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_even_a_broken_one_is_skipped_at_the_start(mark: bytes) -> None:
    assert not allowed(mark + b"User-agent: weft\nDisallow: /x\n", "/x")


def test_a_byte_order_mark_elsewhere_makes_its_line_unknown() -> None:
    assert allowed(b"User-agent: weft\n\xef\xbb\xbfDisallow: /x\n", "/x")
    assert allowed(b"\xef\x11\xbfUser-agent: weft\nDisallow: /x\n", "/x")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_its_mark_is_read(codec: str) -> None:
    text = "\ufeffUser-agent: weft\r\nDisallow: /é\r\n"
    assert not allowed(text.encode(codec), "/%C3%A9")


def test_a_nul_ends_what_is_read_of_its_line() -> None:
    text = b"User-agent: weft\0\0\nDisallow: /x\0y\nAllow: /x/\0# z\n\0Disallow: /q\n"
    assert not allowed(text, "/x")
    assert allowed(text, "/x/z")
    assert allowed(text, "/q")


def test_mixed_line_ends_are_counted_once_each() -> None:
    rules = parse_robots(b"User-agent: weft\nAllow: /a\r\nUser-agent: b\n\r\n\nUser-agent: weft\rDisallow: /x", "weft")
    assert rules.verdict("/x").line_number == 7


def test_allowing_an_index_page_allows_its_directory() -> None:
    text = group("Allow: /dir/index.html", "Disallow: /")
    assert allowed(text, "/dir/")
    assert allowed(text, "/dir/index.html")
    assert not allowed(text, "/dir/index.htm")
    assert not allowed(text, "/dir/x")
    assert not allowed(text, "/")


def test_forbidding_an_index_page_does_not_forbid_its_directory() -> None:
    assert allowed(group("Disallow: /dir/index.html"), "/dir/")


def test_a_line_too_long_to_mean_a_url_is_cut() -> None:
    kept = "/x/" + "a" * (MAX_LINE_BYTES - len("disallow: /x/"))
    text = group(f"disallow: {kept}/qux")
    assert not allowed(text, kept + "/fux")
    assert allowed(text, kept[:-1])
    assert allowed(text, "/fux")


def test_2_5_at_least_500_kib_are_parsed() -> None:
    filler = b"# " + b"." * 97 + b"\n"
    head = b"User-agent: weft\n"
    last = b"Disallow: /last\n"
    body = head + filler * ((MAX_PARSED_BYTES - len(head) - len(last)) // len(filler))
    body += b"#" * (MAX_PARSED_BYTES - len(body) - len(last) - 1) + b"\n" + last
    assert len(body) == MAX_PARSED_BYTES == 500 * 1024
    assert not allowed(body, "/last")
    assert not allowed(body + filler * 100, "/last")
    assert not allowed(body[:-1] + b"\n" + b"Disallow: /beyond\n" * 3, "/last")


def test_2_5_what_lies_beyond_the_limit_is_ignored() -> None:
    body = b"User-agent: weft\nDisallow: /first\n" + b"#" * MAX_PARSED_BYTES + b"\nDisallow: /beyond\n"
    assert not allowed(body, "/first")
    assert allowed(body, "/beyond")


def test_2_5_a_line_cut_by_the_limit_is_dropped() -> None:
    head = b"User-agent: weft\nDisallow: /first\n"
    body = head + b"#" * (MAX_PARSED_BYTES - len(head) - 12) + b"\n" + b"Disallow: /private\n"
    assert body[:MAX_PARSED_BYTES].endswith(b"Disallow: /")
    assert not allowed(body, "/first")
    assert allowed(body, "/anything")


def test_2_5_a_line_that_ends_right_at_the_limit_is_kept() -> None:
    head = b"User-agent: weft\n"
    last = b"Disallow: /last"
    body = head + b"#" * (MAX_PARSED_BYTES - len(head) - len(last) - 1) + b"\n" + last
    assert len(body) == MAX_PARSED_BYTES
    assert not allowed(body + b"\nAllow: /last\n", "/last")
    assert not allowed(body + b"\r\nAllow: /last\n", "/last")
    assert allowed(body + b"er\n", "/last")


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_stray_utf16_mark_before_ascii_is_skipped(mark: bytes) -> None:
    assert not allowed(mark + b"User-agent: weft\nDisallow: /x\n", "/x")
    assert not allowed(mark + b"User-agent: weft\nDisallow: /x\0y\n", "/x")
