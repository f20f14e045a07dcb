"""What is left of a page's links."""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.filter import DepthFilter, FilterChain, LinkSieve, RedirectFilter, ScopeFilter, standard_chain
from weft.types import Kind, Link, Refusal

PAGE = Link("http://a.example/page", 1)
ONE, OTHER = "http://a.example/one", "http://a.example/other"


def urls(*names: str, depth: int = 2) -> list[tuple[str, Kind, int]]:
    return [(name, Kind.LINK, depth) for name in names]


def test_a_link_is_reported_with_where_it_was_found() -> None:
    found, refused = LinkSieve(FilterChain()).sift(PAGE, urls(ONE))
    assert [(one.host, one.link) for one in found] == [("a.example", Link(ONE, 2, Kind.LINK, PAGE.url, hops="L"))]
    assert refused == {}


def test_a_link_that_every_page_repeats_is_reported_once() -> None:
    sieve = LinkSieve(FilterChain())
    sieve.sift(PAGE, urls(ONE))
    found, _ = sieve.sift(PAGE, urls(ONE, OTHER))
    assert [one.link.url for one in found] == [OTHER]


def test_a_link_that_is_found_nearer_is_reported_again() -> None:
    sieve = LinkSieve(FilterChain())
    sieve.sift(PAGE, urls(ONE, depth=5))
    found, _ = sieve.sift(PAGE, urls(ONE, depth=4))
    assert [one.link.depth for one in found] == [4]


def test_a_link_that_was_refused_for_its_depth_is_reported_once_it_is_near_enough() -> None:
    sieve = LinkSieve(FilterChain([DepthFilter(2)]))
    assert sieve.sift(PAGE, urls(ONE, depth=3)) == ([], {Refusal.DEPTH: 1})
    found, _ = sieve.sift(PAGE, urls(ONE, depth=2))
    assert [one.link.url for one in found] == [ONE]


def test_the_way_from_the_seed_grows_by_a_letter_a_step_and_keeps_its_last_fifty() -> None:
    page = Link("http://a.example/page", 70, hops="R" + "L" * 49, seed=3)
    found, _ = LinkSieve(FilterChain()).sift(page, [(ONE, Kind.EMBED, 71)])
    assert (found[0].link.hops, found[0].link.seed) == ("L" * 49 + "E", 3)


def test_refusals_are_counted_by_reason() -> None:
    sieve = LinkSieve(FilterChain([ScopeFilter("host", ["http://b.example/"]), DepthFilter(1)]))
    _, refused = sieve.sift(PAGE, urls(ONE, OTHER, "http://b.example/deep"))
    assert refused == {Refusal.SCOPE: 2, Refusal.DEPTH: 1}


def test_the_length_of_a_chain_of_redirects_is_part_of_the_link() -> None:
    sieve = LinkSieve(FilterChain([RedirectFilter(3)]))
    found, _ = sieve.sift(PAGE, urls(ONE), redirects=3)
    assert found[0].link.redirects == 3
    assert sieve.sift(PAGE, urls(OTHER), redirects=4) == ([], {Refusal.TOO_MANY_REDIRECTS: 1})


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
    assert sieve.sift(PAGE, urls(ONE)) == ([], {Refusal.SCOPE: 1})
    scope.add_seed("http://a.example/")
    found, refused = sieve.sift(PAGE, urls(ONE))
    assert ([one.link.url for one in found], refused) == ([ONE], {})
