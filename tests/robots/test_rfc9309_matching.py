"""RFC 9309 §2.2.2, §2.2.3, §5.2: which rule decides on a path."""

from __future__ import annotations

import pytest

from .reading import allowed, group


def only(pattern: str, path: str) -> bool:
    """Whether a lone Disallow with this pattern matches the path."""
    return not allowed(group(f"Disallow: {pattern}"), path)


def test_5_2_longest_match() -> None:
    text = group("Allow: /example/page/", "Disallow: /example/page/disallowed.gif", agent="foobot")
    assert not allowed(text, "/example/page/disallowed.gif", "foobot")
    assert allowed(text, "/example/page/other.gif", "foobot")


def test_2_2_2_matching_is_case_sensitive() -> None:
    assert only("/Folder", "/Folder/x")
    assert not only("/Folder", "/folder/x")


def test_2_2_2_matching_starts_at_the_first_octet_of_the_path() -> None:
    assert only("/fish", "/fish.html")
    assert not only("/fish", "/catfish")
    assert not only("/fish", "/?id=/fish")
    assert not only("fish", "/fish")


def test_2_2_2_a_rule_matches_when_its_end_is_reached_without_a_difference() -> None:
    assert only("/a/b", "/a/bc")
    assert only("/a/b", "/a/b")
    assert not only("/a/b", "/a/")


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        (("Allow: /x/page.html", "Disallow: /x/"), "/x/page.html", True),
        (("Disallow: /x/page.html", "Allow: /x/"), "/x/page.html", False),
        (("Disallow: /x", "Allow: /x/"), "/x", False),
        (("Disallow: /x", "Allow: /x/"), "/x/", True),
        (("Allow: /page", "Disallow: /*.html"), "/page.html", False),
        (("Allow: /x/page.", "Disallow: /*.html"), "/x/page.html", True),
        (("Allow: /p", "Disallow: /"), "/page", True),
        (("Allow: /$", "Disallow: /"), "/", True),
        (("Allow: /$", "Disallow: /"), "/page.htm", False),
        (("Allow: /aaaa", "Disallow: /%61%61%61"), "/aaaa", True),  # counted after decoding: 5 octets against 4
        (("Allow: /aaaaa", "Disallow: /é*"), "/é", False),
        (("Disallow: /a$", "Allow: /a"), "/a", False),  # the dollar is an octet of the pattern
        (("Disallow: /*a", "Allow: /*ab"), "/xab", True),
        (("Disallow: /*a*b", "Allow: /*ab"), "/xab", False),
        (("Disallow: /b/c", "Allow: /b/*"), "/b/c", True),  # the wildcard is an octet of the pattern, and a tie
    ],
)
def test_2_2_2_the_match_with_the_most_octets_is_used(rules: tuple[str, ...], path: str, expected: bool) -> None:
    assert allowed(group(*rules), path) is expected
    assert allowed(group(*reversed(rules)), path) is expected


@pytest.mark.parametrize("rules", [("Allow: /folder", "Disallow: /folder"), ("Disallow: /folder", "Allow: /folder")])
def test_2_2_2_allow_is_used_when_allow_and_disallow_are_equivalent(rules: tuple[str, ...]) -> None:
    assert allowed(group(*rules), "/folder/page")


def test_2_2_2_duplicate_rules_change_nothing() -> None:
    assert not allowed(group("Disallow: /a", "Disallow: /a", "Allow: /", "Allow: /"), "/a")


def test_2_2_2_a_path_that_no_rule_matches_is_allowed() -> None:
    assert allowed(group("Disallow: /a"), "/b")


def test_2_2_2_an_empty_pattern_forbids_nothing_and_allows_nothing() -> None:
    assert allowed(group("Disallow:"), "/x")
    assert allowed(group("Disallow: # nothing"), "/x")
    assert not allowed(group("Disallow: /x", "Allow:"), "/x")


def test_2_2_2_robots_txt_itself_is_always_allowed() -> None:
    text = group("Disallow: /", "Disallow: /robots.txt", "Disallow: /*.txt$")
    assert allowed(text, "/robots.txt")
    assert not allowed(text, "/robots.txt.bak")
    assert not allowed(text, "/sub/robots.txt")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/ツ", "/foo/bar/ツ"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/foo/bar/%62%61%7A", "/foo/bar/%62%61%7a"),
    ],
)
def test_2_2_2_figure_4_percent_encoding_is_no_difference(pattern: str, path: str) -> None:
    assert only(pattern, path)
    assert not only(pattern, path[:-1])


def test_2_2_2_a_query_matched_in_its_decoded_form_keeps_its_octets() -> None:
    text = group("Disallow: /r?u=https://a", "Allow: /r?u=https*")
    assert not allowed(text, "/r?u=https%3A%2F%2Fa")
    assert allowed(text, "/r?u=https%3A%2F%2Fb")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/a%2fb", "/a/b"),
        ("/a/b", "/a%2Fb"),
        ("/a?b=c", "/a%3Fb=c"),
        ("/a?x=1&y", "/a?x=1%26y"),
        ("/*/login", "/a?next=%2Flogin"),
    ],
)
def test_2_2_2_an_encoded_reserved_octet_differs_from_a_plain_one(pattern: str, path: str) -> None:
    assert not only(pattern, path)
    assert only(path, path)


@pytest.mark.parametrize(
    ("pattern", "path"), [("/a b", "/a%20b"), ('/a"b', "/a%22b"), ("/a|b", "/a%7Cb"), ("/{x}", "/%7bx%7d")]
)
def test_2_2_2_octets_that_no_url_holds_are_compared_encoded(pattern: str, path: str) -> None:
    assert only(pattern, path)


def test_2_2_2_a_percent_sign_that_encodes_nothing_stands_for_itself() -> None:
    assert only("/100%", "/100%")
    assert only("/100%/x", "/100%/x")
    assert not only("/%zz", "/%ZZ")


def test_2_2_2_octets_that_are_not_utf_8_are_encoded_one_by_one() -> None:
    assert not allowed(b"User-agent: weft\nDisallow: /caf\xe9\n", "/caf%E9")


def test_2_2_3_a_hash_starts_a_comment() -> None:
    text = group("# Disallow: /", "Disallow: /foo/quz#qux", "Allow: / # all else")
    assert allowed(text, "/foo/bar")
    assert not allowed(text, "/foo/quz")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/this/path/exactly$", "/this/path/exactly", True),
        ("/this/path/exactly$", "/this/path/exactly/", False),
        ("/this/path/exactly$", "/this/path/exactly?q", False),
        ("/*.php$", "/filename.php", True),
        ("/*.php$", "/folder/filename.php", True),
        ("/*.php$", "/filename.php5", False),
        ("/*.php$", "/filename.php?parameters", False),
        ("/*.php$", "/php/a.php/b.php", True),
        ("/x*$", "/xyz", True),
        ("/a*aa$", "/aa", False),
        ("/a*aa$", "/aaa", True),
        ("$", "/", False),
        ("*$", "/", True),
    ],
)
def test_2_2_3_dollar_ends_the_pattern(pattern: str, path: str, expected: bool) -> None:
    assert only(pattern, path) is expected


def test_2_2_3_dollar_is_special_at_the_end_only() -> None:
    assert only("/x$/y", "/x$/yz")
    assert not only("/x$/y", "/x")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/this/*/exactly", "/this/is/exactly", True),
        ("/this/*/exactly", "/this//exactly", True),
        ("/this/*/exactly", "/this/a/b/exactly/so", True),
        ("/this/*/exactly", "/this/exactly", False),
        ("*", "/anything", True),
        ("/*", "/", True),
        ("*.gif", "/a/b.gif?x", True),
        ("/fish*", "/fish", True),
        ("/fish*", "/Fish", False),
        ("/fish*.php", "/fishheads/catfish.php?parameters", True),
        ("/fish*.php", "/Fish.PHP", False),
        ("/*?s=", "/index?s=asd", True),
        ("/*?s=", "/s/?t=1", False),
        ("*****/****.js", "/xyz/foo.js", True),
        ("/a*b*c", "/aXbXc", True),
        ("/a*b*c", "/acb", False),
    ],
)
def test_2_2_3_star_stands_for_any_octets_and_for_none(pattern: str, path: str, expected: bool) -> None:
    assert only(pattern, path) is expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-%2a.html", True),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html", False),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/path/foo-%24", "/path/foo-$more", True),
        ("/path/foo-%24", "/path/foo-", False),
    ],
)
def test_2_2_3_figure_6_encoded_special_characters_are_literal(pattern: str, path: str, expected: bool) -> None:
    assert only(pattern, path) is expected


def test_a_path_is_taken_for_one_that_starts_with_a_slash() -> None:
    assert not allowed(group("Disallow: /?q"), "?q=1")
    assert not allowed(group("Disallow: /$"), "")


def test_paths_with_lone_surrogates_are_judged_like_any_other() -> None:
    assert not allowed(group("Disallow: /a"), "/a\ud800")
