"""RFC 9309 §2.1, §2.2, §2.2.1: groups, lines and user-agent lines."""

from __future__ import annotations

import pytest

from .reading import allowed, group

SIMPLE = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("token", "path", "expected"),
    [
        ("weft", "/publications/a", True),
        ("weft", "/example/", False),
        ("weft", "/example/page.html", False),
        ("weft", "/picture.gif", False),
        ("weft", "/deep/er/picture.gif", False),
        ("weft", "/picture.gif?size=2", True),
        ("weft", "/publications/picture.gif", True),
        ("weft", "/elsewhere", True),
        ("foobot", "/", False),
        ("foobot", "/example/", False),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/page.html?x", True),
        ("foobot", "/example/allowed.gif", True),
        ("foobot", "/publications/", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("barbot", "/example/", True),
        ("bazbot", "/picture.gif", True),
        ("quxbot", "/example/page.html", True),
        ("quxbot", "/picture.gif", True),
    ],
)
def test_5_1_simple_example(token: str, path: str, expected: bool) -> None:
    assert allowed(SIMPLE, path, token) is expected


def test_2_1_a_group_ends_at_the_next_user_agent_line() -> None:
    text = group("Disallow: /ours") + group("Disallow: /theirs", agent="other")
    assert not allowed(text, "/ours")
    assert allowed(text, "/theirs")


def test_2_1_a_last_group_without_rules_allows_everything() -> None:
    assert allowed("User-agent: *\nDisallow: /\nUser-agent: weft", "/x")


def test_2_1_one_group_may_name_many_crawlers() -> None:
    text = "User-agent: one\nUser-agent: weft\nUser-agent: two\nDisallow: /x\n"
    assert [allowed(text, "/x", token) for token in ("one", "weft", "two", "three")] == [False] * 3 + [True]


def test_2_2_empty_lines_and_comments_do_not_end_a_group() -> None:
    text = "User-agent: weft\n\n# between\n\nUser-agent: other\n\nDisallow: /a\n\n\n# again\nDisallow: /b\n"
    for token in ("weft", "other"):
        assert not allowed(text, "/a", token)
        assert not allowed(text, "/b", token)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_2_2_lines_end_with_cr_lf_or_both(end: str) -> None:
    text = end.join(["User-agent: other", "Disallow: /", "User-agent: weft", "", "Disallow: /x", "Allow: /x/y"])
    assert not allowed(text, "/x")
    assert allowed(text, "/x/y")
    assert allowed(text, "/z")


def test_2_2_the_last_line_needs_no_end() -> None:
    assert not allowed("User-agent: weft\nDisallow: /x", "/x")


@pytest.mark.parametrize(
    "line",
    [
        "disallow:/x",
        "  disallow  :  /x  ",
        "\tdisallow\t:\t/x\t",
        "disallow: /x # why",
        "disallow: /x#why",
        "DISALLOW: /x",
    ],
)
def test_2_2_whitespace_case_and_comments_around_a_rule_do_not_matter(line: str) -> None:
    assert not allowed(f"user-agent:weft\n{line}\n", "/x")
    assert not allowed(f"  uSeR-aGeNt  :  weft  # us\n{line}\n", "/x")


def test_2_2_1_the_product_token_is_found_without_regard_to_case() -> None:
    for written in ("WEFT", "Weft", "wEfT"):
        assert not allowed(group("Disallow: /", agent=written), "/x", "weft")
        assert not allowed(group("Disallow: /", agent="weft"), "/x", written)


def test_2_2_1_a_token_matches_whole_and_not_by_its_beginning() -> None:
    assert allowed(group("Disallow: /", agent="weftnews"), "/x")
    assert allowed(group("Disallow: /", agent="wef"), "/x")
    assert allowed(group("Disallow: /", agent="weft-images"), "/x")


@pytest.mark.parametrize("value", ["weft/1.0", "weft 2", "weft*", "weft(compatible)", "weft2"])
def test_2_2_1_a_user_agent_value_counts_up_to_the_first_character_a_token_cannot_have(value: str) -> None:
    assert not allowed(group("Disallow: /", agent=value), "/x")


def test_2_2_1_underscore_and_hyphen_belong_to_a_token() -> None:
    assert not allowed(group("Disallow: /", agent="we_ft-bot"), "/x", "we_ft-bot")
    assert allowed(group("Disallow: /", agent="we_ft-bot"), "/x", "we")


def test_2_2_1_an_own_name_that_is_no_token_obeys_the_star_group() -> None:
    text = group("Disallow: /a", agent="foo bar") + group("Disallow: /b", agent="*")
    assert allowed(text, "/a", "foo bar")
    assert not allowed(text, "/b", "foo bar")
    assert not allowed(text, "/b", "")


def test_2_2_1_figure_2_all_groups_that_match_are_merged() -> None:
    text = (
        group("disallow: /foo", "disallow: /bar", agent="ExampleBot")
        + group("disallow: /between", agent="another")
        + group("disallow: /baz", agent="ExampleBot")
    )
    assert [allowed(text, path, "examplebot") for path in ("/foo", "/bar", "/baz", "/between")] == [
        False,
        False,
        False,
        True,
    ]


def test_2_2_1_figure_3_the_star_group_holds_when_no_other_matches() -> None:
    text = group("disallow: /foo", "disallow: /bar", agent="*") + group("disallow: /baz", agent="BazBot")
    assert [allowed(text, path, "ExampleBot") for path in ("/foo", "/bar", "/baz")] == [False, False, True]


def test_2_2_1_the_star_groups_are_merged_too() -> None:
    text = group("disallow: /foo", agent="*") + group("disallow: /x", agent="a") + group("disallow: /bar", agent="*")
    assert not allowed(text, "/foo")
    assert not allowed(text, "/bar")


@pytest.mark.parametrize("order", [("*", "weft"), ("weft", "*")])
def test_2_2_1_the_star_group_is_ignored_when_another_matches(order: tuple[str, str]) -> None:
    text = "".join(group("disallow: /star" if agent == "*" else "disallow: /ours", agent=agent) for agent in order)
    assert allowed(text, "/star")
    assert not allowed(text, "/ours")


def test_2_2_1_without_a_matching_or_star_group_no_rules_apply() -> None:
    assert allowed(group("Disallow: /", agent="other"), "/x")
    assert allowed("", "/x")


def test_2_2_1_a_group_for_us_without_rules_still_overrules_the_star_group() -> None:
    assert allowed("User-agent: *\nDisallow: /\n\nUser-agent: weft\nDisallow:\n", "/x")


def test_2_2_2_rules_before_the_first_user_agent_line_are_ignored() -> None:
    assert allowed("Disallow: /x\nUser-agent: weft\nDisallow: /y\n", "/x")
    assert allowed("Disallow: /x\n", "/x")


@pytest.mark.parametrize(
    "other", ["Sitemap: https://h/s.xml", "Crawl-delay: 5", "Host: h", "Unheard-of: thing", "nonsense"]
)
def test_2_2_4_other_records_do_not_end_a_group_nor_a_run_of_user_agents(other: str) -> None:
    text = f"User-agent: weft\n{other}\nUser-agent: *\nDisallow: /a\n{other}\nDisallow: /b\n"
    for token in ("weft", "somebody"):
        assert not allowed(text, "/a", token)
        assert not allowed(text, "/b", token)


def test_2_3_1_5_lines_that_cannot_be_parsed_do_not_spoil_the_others() -> None:
    text = "<html>\n: /x\nUser-agent: weft\n\x01\x02 : \nDisallow\nDisallow: /x\n}}}}\nAllow: /x/y\n</html>"
    assert not allowed(text, "/x")
    assert allowed(text, "/x/y")
    assert allowed(text, "/z")
