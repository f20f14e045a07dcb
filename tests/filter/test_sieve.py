"""What is left of a page's links."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.filter import DepthFilter, FilterChain, LinkSieve, RedirectFilter, ScopeFilter, standard_chain
from weft.filter.session_ids import SessionRule, SessionRules
from weft.filter.sieve import LINKS_PER_PART, REMEMBERED_REFUSALS, Report
from weft.filter.trail import Trail
from weft.types import Kind, Link, Refusal
from weft.url import url_id

PAGE = Link("http://a.example/page", 1)
ONE, OTHER = "http://a.example/one", "http://a.example/other"


def urls(*names: str, depth: int = 2) -> list[tuple[str, Kind, int]]:
    return [(name, Kind.LINK, depth) for name in names]


def test_a_link_is_reported_with_where_it_was_found() -> None:
    found, refused, _ = LinkSieve(FilterChain()).sift(PAGE, urls(ONE))
    assert [(one.host, one.link) for one in found] == [("a.example", Link(ONE, 2, Kind.LINK, PAGE.url, hops="L"))]
    assert refused == {}


def test_a_link_that_every_page_repeats_is_reported_once() -> None:
    sieve = LinkSieve(FilterChain())
    sieve.sift(PAGE, urls(ONE))
    found, _, _ = sieve.sift(PAGE, urls(ONE, OTHER))
    assert [one.link.url for one in found] == [OTHER]


def test_a_link_that_is_found_nearer_is_reported_again() -> None:
    sieve = LinkSieve(FilterChain())
    sieve.sift(PAGE, urls(ONE, depth=5))
    found, _, _ = sieve.sift(PAGE, urls(ONE, depth=4))
    assert [one.link.depth for one in found] == [4]


def test_links_into_its_own_folder_of_a_page_that_may_be_kept_back_are_told_again_if_another_page_has_them() -> None:
    below = f"{ONE}/two/three"
    sieve = LinkSieve(FilterChain())
    found, _, _ = sieve.sift(Link(f"{ONE}/two/", 1), urls(ONE, below), may_be_kept_back=True)
    assert [one.link.url for one in found] == [ONE, below]
    assert [one.link.url for one in sieve.sift(PAGE, urls(ONE, below))[0]] == [below]
    assert sieve.sift(PAGE, urls(ONE, below))[0] == []


def test_the_target_of_a_redirect_is_told_although_it_was_reported_also_without_its_session_id() -> None:
    check, session = "http://a.example/check", "jsessionid=0123456789ABCDEF0123456789ABCDEF"
    rules = SessionRules([SessionRule("a.example", "jsessionid", "", (32,), None)])
    sieve = LinkSieve(FilterChain())
    sieve.sift(PAGE, urls(ONE))
    trail = Trail(check, 2, rules, watches_calendar=False)
    found, _, _ = sieve.sift(Link(check, 2), [(f"{ONE};{session}", Kind.REDIRECT, 2)], redirects=2, trail=trail)
    assert [one.link.url for one in found] == [ONE]


def test_a_guess_is_reported_once_and_again_as_a_link() -> None:
    sieve, guess = LinkSieve(FilterChain()), [(ONE, Kind.GUESS, 2)]
    told = [[one.link.kind for one in sieve.sift(PAGE, found)[0]] for found in (guess, guess, urls(ONE), guess)]
    assert told == [[Kind.GUESS], [], [Kind.LINK], []]


def test_a_link_that_was_refused_for_its_depth_is_reported_once_it_is_near_enough() -> None:
    sieve = LinkSieve(FilterChain([DepthFilter(2)]))
    assert sieve.sift(PAGE, urls(ONE, depth=3)) == ([], {Refusal.DEPTH: 1}, [])
    found, _, _ = sieve.sift(PAGE, urls(ONE, depth=2))
    assert [one.link.url for one in found] == [ONE]


def test_the_way_from_the_seed_grows_by_a_letter_a_step_and_keeps_its_last_fifty() -> None:
    page = Link("http://a.example/page", 70, hops="R" + "L" * 49, seed=3)
    found, _, _ = LinkSieve(FilterChain()).sift(page, [(ONE, Kind.EMBED, 71)])
    assert (found[0].link.hops, found[0].link.seed) == ("L" * 49 + "E", 3)


def test_refusals_are_counted_by_reason() -> None:
    sieve = LinkSieve(FilterChain([ScopeFilter("host", ["http://b.example/"]), DepthFilter(1)]))
    _, refused, _ = sieve.sift(PAGE, urls(ONE, OTHER, "http://b.example/deep"))
    assert refused == {Refusal.SCOPE: 2, Refusal.DEPTH: 1}


def test_the_length_of_a_chain_of_redirects_is_part_of_the_link() -> None:
    sieve = LinkSieve(FilterChain([RedirectFilter(3)]))
    found, _, _ = sieve.sift(PAGE, urls(ONE), redirects=3)
    assert found[0].link.redirects == 3
    assert sieve.sift(PAGE, urls(OTHER), redirects=4)[:2] == ([], {Refusal.TOO_MANY_REDIRECTS: 1})


def refusal_of(config: CrawlConfig, link: Link) -> Refusal | None:
    return standard_chain(config, ScopeFilter(config.scope, ["http://a.example/"])).refuses(link)


def test_the_settings_of_a_crawl_become_filters() -> None:
    config = CrawlConfig(
        depth=3, exclude=("*secret*",), refuse_suffixes=("zip",), max_url_chars=60, max_redirects=2, scope="host"
    )
    assert refusal_of(config, Link(ONE, 3)) is None
    assert refusal_of(config, Link(ONE, 4)) is Refusal.DEPTH
    assert refusal_of(config, Link(ONE + "/secret", 1)) is Refusal.PATTERN
    assert refusal_of(config, Link(ONE + ".ZIP", 1)) is Refusal.SUFFIX
    assert refusal_of(config, Link(ONE + "x" * 60, 1)) is Refusal.LENGTH
    assert refusal_of(config, Link("http://b.example/", 1)) is Refusal.SCOPE
    assert refusal_of(config, Link(ONE, 1, redirects=3)) is Refusal.TOO_MANY_REDIRECTS
    assert refusal_of(config, Link("http://a.example/x/x/x/x/x/x/", 1)) is Refusal.TRAP


def test_too_deep_means_that_nothing_else_was_wrong() -> None:
    config = CrawlConfig(depth=1, exclude=("*secret*",))
    assert refusal_of(config, Link(ONE + "/secret", 9)) is Refusal.PATTERN


def test_a_link_out_of_scope_is_counted_on_every_page() -> None:
    scope = ScopeFilter("host", ["http://b.example/"])
    sieve = LinkSieve(FilterChain([scope]), outside=scope.outside)
    assert [sieve.sift(PAGE, urls(ONE, OTHER))[1] for _ in range(3)] == [{Refusal.SCOPE: 2}] * 3
    assert sieve.sift(PAGE, urls(ONE, ONE + "/new"))[1] == {Refusal.SCOPE: 2}


def test_a_link_out_of_scope_is_reported_once_the_scope_has_grown() -> None:
    scope = ScopeFilter("host", ["http://b.example/"])
    sieve = LinkSieve(FilterChain([scope]), outside=scope.outside)
    assert sieve.sift(PAGE, urls(ONE)) == ([], {Refusal.SCOPE: 1}, [])
    scope.add_seed("http://a.example/")
    found, refused, _ = sieve.sift(PAGE, urls(ONE))
    assert ([one.link.url for one in found], refused) == ([ONE], {})


# ── which refusals are listed ──


def sieve_for(config: CrawlConfig, report: Report | None = None) -> LinkSieve:
    scope = ScopeFilter(config.scope, [PAGE.url])
    return LinkSieve(standard_chain(config, scope), report, scope.outside)


USERS = "tests.filter.users:names_its_reason"


@pytest.mark.parametrize(
    ("settings", "url", "reason", "rule"),
    [
        ({"exclude": ("*nothing*", "*secret*")}, f"{ONE}/secret", "pattern", "*secret*"),
        ({"include": ("*/docs/*",)}, ONE, "pattern", "matches no --include"),
        ({"refuse_suffixes": ("tar", "zip")}, f"{ONE}.ZIP?x", "suffix", ".zip"),
        ({"max_url_chars": 30}, f"{ONE}/{'x' * 30}", "length", "over 30 characters"),
        ({}, "http://a.example/xx/xx/xx/xx/", "trap", "repeated-segment"),
        ({"filters": (USERS,)}, ONE, "length", USERS),
    ],
)
def test_a_refused_link_is_listed_with_its_page_and_the_rule(
    settings: dict[str, Any], url: str, reason: str, rule: str
) -> None:
    sieve = sieve_for(CrawlConfig(**settings))
    _, refused, (listed,) = sieve.sift(PAGE, urls(url))
    assert refused == {listed.reason: 1}
    assert (listed.id, listed.host, listed.reason, listed.rule) == (url_id(url), "a.example", reason, rule)
    assert listed.link == Link(url, 2, Kind.LINK, PAGE.url, hops="L")


def test_a_redirect_too_many_is_listed() -> None:
    _, _, (listed,) = sieve_for(CrawlConfig(max_redirects=3)).sift(PAGE, urls(ONE), redirects=4)
    assert (listed.reason, listed.rule) == (Refusal.TOO_MANY_REDIRECTS, "over 3 in a row")


def test_what_is_out_of_scope_or_too_deep_is_counted_and_not_listed() -> None:
    sieve = sieve_for(CrawlConfig(depth=1, exclude=("*secret*",), max_url_chars=40))
    outside = ["http://b.example/", "http://b.example/secret", f"http://b.example/{'x' * 40}"]
    _, refused, listed = sieve.sift(PAGE, urls(ONE, *outside))
    assert (sum(refused.values()), listed) == (4, [])


def test_where_requisites_may_come_from_anywhere_what_is_out_of_scope_is_not_listed() -> None:
    sieve = sieve_for(CrawlConfig(requisites=True, requisites_anywhere=True, refuse_suffixes=("png",)))
    leads = [("http://b.example/linked.png", Kind.LINK, 2), ("http://b.example/shown.png", Kind.EMBED, 2)]
    _, refused, listed = sieve.sift(PAGE, leads)
    assert refused == {Refusal.SUFFIX: 2}
    assert [one.link.url for one in listed] == ["http://b.example/shown.png"]


def test_a_refused_link_that_every_page_repeats_is_listed_once_and_counted_each_time() -> None:
    sieve = sieve_for(CrawlConfig(exclude=("*secret*",)))
    told = [sieve.sift(PAGE, urls(ONE, f"{ONE}/secret"))[1:] for _ in range(3)]
    assert [refused for refused, _ in told] == [{Refusal.PATTERN: 1}] * 3
    assert [len(listed) for _, listed in told] == [1, 0, 0]


def test_the_memory_of_what_was_listed_is_bounded() -> None:
    sieve = sieve_for(CrawlConfig(exclude=("*secret*",)))
    first = urls(f"{ONE}/secret")
    sieve.sift(PAGE, first)
    sieve.sift(PAGE, urls(*(f"{ONE}/secret/{number}" for number in range(2 * REMEMBERED_REFUSALS))))
    assert len(sieve.sift(PAGE, first)[2]) == 1


def test_very_many_refused_links_are_reported_in_parts() -> None:
    parts: list[tuple[int, int]] = []
    sieve = sieve_for(
        CrawlConfig(exclude=("*secret*",)), lambda links, refused: parts.append((len(links), len(refused)))
    )
    _, _, rest = sieve.sift(PAGE, urls(*(f"{ONE}/secret/{number}" for number in range(2 * LINKS_PER_PART + 1))))
    assert (parts, len(rest)) == ([(0, LINKS_PER_PART)] * 2, 1)


def test_where_nothing_within_the_scope_is_refused_nothing_is_sent() -> None:
    parts: list[object] = []
    sieve = sieve_for(CrawlConfig(depth=2), lambda *part: parts.append(part))
    _, _, listed = sieve.sift(PAGE, urls(*(f"{ONE}/{number}" for number in range(100)), "http://b.example/"))
    assert (parts, listed) == ([], [])
