"""Session ids in URLs."""

from __future__ import annotations

import pytest

from weft.filter.session_ids import SessionRule, SessionRules, session_id_in

ID = "0123456789abcdef0123456789abcdef"
HOST = "example.org"


@pytest.mark.parametrize(
    ("url", "bare", "argument", "is_strong"),
    [
        (f"https://example.org/page;jsessionid={ID}", "https://example.org/page", "jsessionid", True),
        (f"https://example.org/page;jsessionid={ID}?a=1", "https://example.org/page?a=1", "jsessionid", True),
        (f"https://example.org/p?a=1&PHPSESSID={ID}&b=2", "https://example.org/p?a=1&b=2", "phpsessid", True),
        (f"https://example.org/t?f=1&t=2&sid={ID}", "https://example.org/t?f=1&t=2", "sid", True),
        (f"https://example.org/t?sid={ID}&t=2", "https://example.org/t?t=2", "sid", True),
        (f"https://example.org/t?sid={ID}", "https://example.org/t", "sid", False),
        (f"https://example.org/talk?session={ID}", "https://example.org/talk", "session", False),
        (f"https://example.org/?osCsid={ID}", "https://example.org/", "oscsid", True),
        (f"https://example.org/(S({ID:.24}))/page.aspx", "https://example.org/page.aspx", "(s())", True),
        (f"https://example.org/p.cfm?CFID=17&CFTOKEN={ID}&x=1", "https://example.org/p.cfm?x=1", "cfid&cftoken", True),
    ],
)
def test_an_id_is_found_and_taken_out(url: str, bare: str, argument: str, is_strong: bool) -> None:
    found = session_id_in(url)
    assert found is not None
    assert (found.bare, found.argument, found.is_strong) == (bare, argument, is_strong)
    assert found.url_with(url, found.value) == url
    assert found.url_with(url, "kept") == url.replace(found.value, "kept")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/modules.php?name=News&file=article&sid=1234",
        "https://example.org/talks?session=opening-keynote",
        f"https://example.org/item?id={ID}",
        f"https://example.org/download?token={ID}",
        "https://example.org/assessment?side=left",
        f"https://example.org/p?xsid={ID}",
    ],
)
def test_what_cannot_be_an_id_is_none(url: str) -> None:
    assert session_id_in(url) is None


def settled(rule: SessionRule, url: str, via: str = "", redirects: int = 0) -> str:
    return SessionRules([rule]).settled(url, HOST, via, redirects)


STRIPPED = SessionRule(HOST, "sid", "", (32,), None)


def test_an_id_that_is_proven_to_change_nothing_is_taken_out() -> None:
    assert settled(STRIPPED, f"https://example.org/t?t=2&sid={ID}") == "https://example.org/t?t=2"


def test_or_it_is_exchanged_for_the_one_that_is_kept() -> None:
    rule = SessionRule(HOST, "sid", "f" * 32, (32,), None)
    assert settled(rule, f"https://example.org/t?t=2&sid={ID}") == f"https://example.org/t?t=2&sid={'f' * 32}"
    assert settled(rule, f"https://example.org/t?t=2&sid={'f' * 32}") == f"https://example.org/t?t=2&sid={'f' * 32}"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/article?sid=20240517",  # of another length
        f"https://example.org/t?t=2&session={ID}",  # another argument
        "https://example.org/t?t=2",
    ],
)
def test_other_ids_stay(url: str) -> None:
    assert settled(STRIPPED, url) == url


def test_a_rule_of_one_host_or_path_holds_there_only() -> None:
    rule = SessionRule(HOST, "sid", "", (32,), ("https://example.org/t",))
    assert settled(rule, f"https://example.org/t?t=3&sid={ID}") == "https://example.org/t?t=3"
    assert settled(rule, f"https://example.org/u?t=3&sid={ID}") == f"https://example.org/u?t=3&sid={ID}"
    other = f"https://other.example/t?t=3&sid={ID}"
    assert SessionRules([STRIPPED]).settled(other, "other.example", "", 0) == other


def test_a_redirect_from_a_url_to_itself_with_an_id_is_followed() -> None:
    target = f"https://example.org/t?t=2&sid={ID}"
    assert settled(STRIPPED, target, via="https://example.org/t?t=2", redirects=1) == target
    assert settled(STRIPPED, target, via="https://example.org/other", redirects=1) == "https://example.org/t?t=2"
    assert settled(STRIPPED, target, via="https://example.org/t?t=2") == "https://example.org/t?t=2"
