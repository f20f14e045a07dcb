"""What a person wants, in rules: in order, by type and size, on other hosts, without arguments."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.filter import LinkSieve, ScopeFilter, standard_chain
from weft.filter.accept import NOT_ACCEPTED
from weft.filter.by_answer import NEAR, answer_of, answer_rules, length_told
from weft.filter.by_host import pattern_filter
from weft.filter.condition import Answer, Condition
from weft.filter.patterns import NOT_INCLUDED
from weft.filter.reach import is_file
from weft.filter.strip_query import stripper
from weft.filter.tags import TagChoice
from weft.types import Kind, Link, Refusal

SEED = "http://a.test/"
PAGE = Link("http://a.test/p", 1, hops="L", seed=0)
MIB = 1_000_000


def refusal(url: str, kind: Kind = Kind.LINK, page: Link = PAGE, **settings: Any) -> Refusal | None:
    """What is said to a link of a page."""
    scope = ScopeFilter(settings.get("scope", "host"), [SEED])
    sieve = LinkSieve(standard_chain(CrawlConfig(**settings), scope))
    found, refused, _ = sieve.sift(page, [(url, kind, page.depth + 1)])
    return None if found else next(iter(refused))


def unwanted(url: str, media_type: str, size: int | None, kind: Kind = Kind.LINK, **settings: Any) -> str | None:
    """The rule against an answer."""
    rules = answer_rules(CrawlConfig(**settings))
    assert rules is not None
    hops = "LE" if kind is Kind.EMBED else "L"
    return rules.refused_by(Link(url, 2, kind, hops=hops), 200, Answer(media_type, size))


@pytest.mark.parametrize(
    ("pattern", "url", "media_type", "size", "holds"),
    [
        ("type:image/*", "http://h/x", "image/png", 1, True),
        ("TYPE:Image/PNG", "http://h/x", "image/png", 1, True),
        ("type:image/jpeg", "http://h/x", "image/jpg", 1, True),  # another name of it
        ("type:image/*", "http://h/x", "text/html", 1, False),
        ("type:image/*", "http://h/x", "", 1, False),
        ("size>10M", "http://h/x", "a/b", 10 * MIB + 1, True),
        ("size>10M", "http://h/x", "a/b", 10 * MIB, False),
        ("size>10M", "http://h/x", "a/b", None, None),
        ("size<500", "http://h/x", "a/b", 499, True),
        ("*.zip size>1k", "http://h/x.zip", "a/b", 2000, True),
        ("*.zip size>1k", "http://h/x.tar", "a/b", None, False),
        ("*.zip type:a/b size>1k", "http://h/x.zip", "a/c", None, False),
        ("re:a b", "http://h/a b", "a/b", 1, True),  # a space is a space there
    ],
)
def test_a_pattern_may_be_about_the_answer(
    pattern: str, url: str, media_type: str, size: int | None, holds: bool | None
) -> None:
    assert Condition(pattern).holds(url, Answer(media_type, size)) is holds


def test_a_size_nobody_told_is_over_the_limit_as_soon_as_that_much_has_come() -> None:
    over, under = Condition("size>1k"), Condition("size<1k")
    assert [over.holds("http://h/", Answer("", None, came)) for came in (0, 1000, 1001)] == [None, None, True]
    assert [under.holds("http://h/", Answer("", None, came)) for came in (0, 1000, 1001)] == [None, None, False]


@pytest.mark.parametrize(
    "pattern",
    [
        "type:",
        "type:image",
        "size>x",
        "size>10Q",
        "size>",
        "size > 10M",
        "*.zip size >1M",
        "",
        " ",
        "re:(",
        "type:*/*/*/*/*",
    ],
)
def test_what_is_no_pattern_is_refused_with_a_sentence(pattern: str) -> None:
    with pytest.raises(BadInput):
        Condition(pattern)


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("a.test/x/*", "http://a.test/x/1", True),
        ("A.Test/x/*", "https://a.test/x/1", True),
        ("a.test/x/*", "http://a.test/X/1", False),  # paths have the server's case
        ("a.test/x/*", "http://b.test/a.test/x/1", False),
        ("a.test/*", "ftp://a.test/x", True),
    ],
)
def test_a_pattern_without_a_scheme_means_host_and_path(pattern: str, url: str, matches: bool) -> None:
    assert Condition(pattern).holds(url, None) is matches


# ── in order ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rules", "url", "refused"),
    [
        (("-*.pdf",), "http://a.test/x.pdf", Refusal.PATTERN),
        (("-*.pdf", "+*/new/*"), "http://a.test/new/x.pdf", None),
        (("+*/new/*", "-*.pdf"), "http://a.test/new/x.pdf", Refusal.PATTERN),
        (("-*", "+*/docs/*"), "http://a.test/docs/x", None),
        (("-*", "+*/docs/*"), "http://a.test/other", Refusal.PATTERN),
        (("+*.pdf",), "http://a.test/x.html", None),  # nothing is said of it: the scope decides
        (("+*.pdf",), "http://b.test/x.pdf", None),  # asked for wherever it is
        (("+*.pdf",), "http://b.test/x.html", Refusal.SCOPE),
        (("-*", "+type:image/*"), "http://a.test/x", None),  # the answer decides
        (("-*", "+type:image/*"), "http://b.test/x", Refusal.SCOPE),
        (("+*.pdf", "-size>1M"), "http://b.test/x.pdf", None),
        (("-*/old/*", "-type:image/*"), "http://a.test/old/x", Refusal.PATTERN),  # whatever the answer would be
        (("-*.PDF",), "http://a.test/x.pdf", None),
    ],
)
def test_of_the_rules_that_match_the_last_decides(rules: tuple[str, ...], url: str, refused: Refusal | None) -> None:
    assert refusal(url, rules=rules) is refused


def test_rules_hold_for_what_pages_need_too() -> None:
    assert refusal("http://a.test/x.png", Kind.EMBED, rules=("-*.png",), requisites_anywhere=True) is Refusal.PATTERN


@pytest.mark.parametrize(
    ("rules", "media_type", "size", "rule"),
    [
        (("-type:image/*",), "image/png", 5, "-type:image/*"),
        (("-type:image/*", "+size<100"), "image/png", 5, None),
        (("-type:image/*", "+size<100"), "image/png", 500, "-type:image/*"),
        (("-type:image/*", "+size<100"), "image/png", None, None),  # still open
        (("-*", "+type:application/pdf"), "application/pdf", 5, None),
        (("-*", "+type:application/pdf"), "text/html", 5, "-*"),
    ],
)
def test_rules_about_the_answer_are_in_order_too(
    rules: tuple[str, ...], media_type: str, size: int | None, rule: str | None
) -> None:
    assert unwanted("http://a.test/x", media_type, size, rules=rules) == rule


@pytest.mark.parametrize("beside", [{"include": ("/a/*",)}, {"exclude": ("/a/*",)}])
def test_beside_ordered_rules_include_and_exclude_have_no_place(beside: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="--include and --exclude have no place beside it"):
        pattern_filter(CrawlConfig(rules=("-*.pdf",), **beside))


def test_a_rule_without_a_sign_is_refused_with_a_sentence() -> None:
    with pytest.raises(BadInput, match=r"a rule begins with \+ or -"):
        pattern_filter(CrawlConfig(rules=("*.pdf",)))


# ── include, exclude ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("patterns", [{"include": ("/docs/*",)}, {"exclude": ("*.png", "/img/*")}])
def test_patterns_spare_what_pages_need_to_look_right(patterns: dict[str, Any]) -> None:
    image = "http://a.test/img/x.png"
    assert refusal(image, Kind.EMBED, requisites_anywhere=True, **patterns) is None
    assert refusal(image, Kind.LINK, requisites_anywhere=True, **patterns) is Refusal.PATTERN
    assert refusal(image, Kind.EMBED, **patterns) is Refusal.PATTERN  # a crawl that keeps to its scope


def test_an_answer_of_another_type_is_not_wanted() -> None:
    assert unwanted("http://a.test/x", "image/png", 5, exclude=("type:image/*",)) == "type:image/*"
    assert unwanted("http://a.test/x", "image/png", 5, include=("type:text/html",)) == NOT_INCLUDED
    assert unwanted("http://a.test/x", "text/html", 5, include=("type:text/html",)) is None
    spared = {"exclude": ("type:image/*",), "requisites_anywhere": True}
    assert unwanted("http://a.test/x", "image/png", 5, Kind.EMBED, **spared) is None


def test_seeds_and_answers_without_content_are_always_wanted() -> None:
    rules = answer_rules(CrawlConfig(exclude=("type:text/*",)))
    assert rules is not None
    html = Answer("text/html", 5)
    assert rules.refused_by(Link(SEED, 0, Kind.SEED), 200, html) is None
    assert rules.refused_by(Link(SEED, 1), 404, html) is None
    assert rules.refused_by(Link(SEED, 1), 200, html) == "type:text/*"


def test_a_crawl_without_rules_about_answers_looks_at_none() -> None:
    assert answer_rules(CrawlConfig(include=("/a/*",), exclude=("*.pdf",))) is None


@pytest.mark.parametrize(
    ("told", "length"), [(b"12", 12), (b"", None), (b"-1", None), (b"1e3", None), (b"9" * 30, None), (b" 1", None)]
)
def test_a_length_is_what_the_head_tells(told: bytes, length: int | None) -> None:
    assert length_told([(b"content-length", told)]) == length
    assert answer_of([(b"content-type", b"Text/HTML; charset=x"), (b"content-length", told)], 7) == Answer(
        "text/html", length, 7
    )


# ── accept ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://a.test/x.pdf", None),
        ("http://a.test/x.html", None),  # a page: it may lead to some
        ("http://a.test/x", None),
        ("http://a.test/x.php", None),
        ("http://a.test/x.png", Refusal.PATTERN),
        ("http://a.test/x.zip", Refusal.PATTERN),
        ("http://a.test/style.css", Refusal.PATTERN),
    ],
)
def test_with_accept_no_file_is_asked_for_that_would_not_be_saved(url: str, refused: Refusal | None) -> None:
    assert refusal(url, accept=("*.pdf",)) is refused


def test_with_accept_by_type_the_answer_decides() -> None:
    assert refusal("http://a.test/x.png", accept=("type:application/pdf",)) is None
    assert unwanted("http://a.test/x.bin", "application/pdf", 5, accept=("type:application/pdf",)) is None
    assert unwanted("http://a.test/x", "text/html", 5, accept=("type:application/pdf",)) is None
    assert unwanted("http://a.test/x", "image/png", 5, accept=("type:application/pdf",)) == NOT_ACCEPTED


# ── beyond the scope ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hosts", "url", "refused"),
    [
        (("b.test",), "http://b.test/x", None),
        (("b.test",), "http://c.b.test/x", Refusal.SCOPE),
        (("*.b.test",), "http://c.b.test/x", None),
        (("*.b.test",), "http://b.test/x", None),
        (("B.test",), "https://b.test:8443/x", None),
        (("b.test",), "http://bb.test/x", Refusal.SCOPE),
    ],
)
def test_other_hosts_are_visited_by_name(hosts: tuple[str, ...], url: str, refused: Refusal | None) -> None:
    assert refusal(url, other_hosts=hosts) is refused


def test_a_name_of_another_host_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="host"):
        standard_chain(CrawlConfig(other_hosts=("http://b.test/",)), ScopeFilter("host", [SEED]))


def test_beyond_the_scope_steps_are_counted_until_it_is_reached_again() -> None:
    scope = ScopeFilter("host", [SEED])
    sieve = LinkSieve(standard_chain(CrawlConfig(other_depth=2), scope))

    def step(page: Link, url: str, kind: Kind = Kind.LINK) -> Link | None:
        found, _, _ = sieve.sift(page, [(url, kind, page.depth + 1)], redirects=1)  # always told
        return found[0].link if found else None

    first = step(PAGE, "http://b.test/1")
    assert first is not None
    assert first.beyond == 1
    moved = step(first, "http://c.test/1", Kind.REDIRECT)
    assert moved is not None
    assert moved.beyond == 1  # a redirect is no step
    second = step(first, "http://c.test/2")
    assert second is not None
    assert second.beyond == 2
    assert step(second, "http://c.test/3") is None
    home = step(second, "http://a.test/again")
    assert home is not None
    assert home.beyond == 0


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://b.test/x.pdf", None),
        ("http://b.test/x.PNG?size=2", None),
        ("http://b.test/x.html", Refusal.SCOPE),
        ("http://b.test/x.php", Refusal.SCOPE),
        ("http://b.test/", Refusal.SCOPE),
        ("http://b.test/dir.d/", Refusal.SCOPE),
        ("http://b.test", Refusal.SCOPE),
    ],
)
def test_near_takes_files_of_other_hosts_and_no_pages(url: str, refused: Refusal | None) -> None:
    assert refusal(url, near=True) is refused


def test_near_does_not_lead_on() -> None:
    there = Link("http://b.test/x.svg", 2, hops="LL", beyond=1)
    assert refusal("http://b.test/x.pdf", page=there, near=True) is Refusal.SCOPE
    rules = answer_rules(CrawlConfig(near=True))
    assert rules is not None
    assert rules.refused_by(there, 200, Answer("text/html", 5)) == NEAR
    assert rules.refused_by(there, 200, Answer("image/png", 5)) is None
    assert rules.refused_by(PAGE, 200, Answer("text/html", 5)) is None


def test_is_file_goes_by_the_ending_of_the_path() -> None:
    files = ["http://h/a.tar.gz", "http://h/a.dmg", "http://h/a.css"]
    pages = ["http://h/a", "http://h/a.xhtml", "http://h/.hidden", "http://h/v1.2/", "http://h.zip", "http://h/a.x"]
    assert [is_file(url) for url in files] == [True] * 3
    assert [is_file(url) for url in pages] == [False] * 6


def test_https_only_follows_no_plain_links() -> None:
    assert refusal("http://a.test/x", https_only=True) is Refusal.SCHEME
    assert refusal("https://a.test/x", https_only=True) is None


# ── arguments, tags ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("keys", "url", "stripped"),
    [
        (("utm_*,fbclid",), "http://h/a?utm_source=x&id=3&fbclid=9", "http://h/a?id=3"),
        (("utm_*",), "http://h/a?utm_source=x", "http://h/a"),
        (("*",), "http://h/a?b=c&d", "http://h/a"),
        (("id",), "http://h/a?ID=3", "http://h/a?ID=3"),
        (("a b",), "http://h/a?a%20b=1&c=2", "http://h/a?c=2"),
        (("id",), "http://h/a", "http://h/a"),
    ],
)
def test_arguments_are_left_out_by_name(keys: tuple[str, ...], url: str, stripped: str) -> None:
    strip = stripper(keys)
    assert strip is not None
    assert strip(url) == stripped


def test_two_links_that_differ_in_such_arguments_are_one() -> None:
    sieve = LinkSieve(standard_chain(CrawlConfig(), ScopeFilter("any")), strip=stripper(("utm_*",)))
    leads = [(f"http://a.test/x{query}", Kind.LINK, 1) for query in ("?utm_source=a", "", "?utm_source=b", "?id=1")]
    found, _, _ = sieve.sift(PAGE, leads)
    assert [one.link.url for one in found] == ["http://a.test/x", "http://a.test/x?id=1"]


def test_links_are_chosen_by_their_elements() -> None:
    choice = TagChoice(("a, img/src",), ())
    places = ("a/@href", "img/@src", "img/@srcset", "link/@href", "A/@HREF")
    assert [choice.has(place) for place in places] == [True, True, False, False, True]
    assert [TagChoice((), ("img", "link/href")).has(place) for place in places] == [True, False, False, False, True]
    assert not TagChoice((), ())


@pytest.mark.parametrize("given", ["", "<a>", "a b", "a/", "1"])
def test_what_is_no_element_is_refused_with_a_sentence(given: str) -> None:
    with pytest.raises(BadInput, match="is no element of a page"):
        TagChoice((given,), ())
