"""Patterns of a host's tables."""

from __future__ import annotations

from typing import Any

from weft.config import CrawlConfig
from weft.filter import PatternFilter, ScopeFilter, standard_chain
from weft.filter.by_host import REMEMBERED_HOSTS, PatternsByHost, pattern_filter
from weft.settings.host_tables import read_hosts
from weft.types import Kind, Link, Refusal


def refusal(url: str, hosts: dict[str, Any], **plain: Any) -> tuple[Refusal | None, str]:
    config = CrawlConfig(scope="any", hosts=read_hosts(hosts, "hosts"), **plain)
    chain = standard_chain(config, ScopeFilter("any"))
    link = Link(url, 1, Kind.LINK)
    reason = chain.refuses(link)
    return reason, chain.rule_of(link) if reason is not None else ""


def test_a_hosts_patterns_take_the_place_of_the_crawls_each_kind_for_itself() -> None:
    hosts = {"*.a.test": {"exclude": "/own/*"}, "b.test": {"include": ["/in/*"]}}
    plain = {"include": ("*/in/*",), "exclude": ("*/plain/*",)}
    assert refusal("https://a.test/own/in/x", hosts, **plain) == (Refusal.PATTERN, "/own/*")
    assert refusal("https://www.a.test/plain/in/x", hosts, **plain) == (None, "")
    assert refusal("https://a.test/out", hosts, **plain) == (Refusal.PATTERN, "matches no --include")
    assert refusal("https://b.test/in/x", hosts, **plain) == (None, "")
    assert refusal("https://b.test/x/in/x", hosts, **plain) == (Refusal.PATTERN, "matches no --include")
    assert refusal("https://b.test/in/plain/x", hosts, **plain) == (Refusal.PATTERN, "*/plain/*")
    assert refusal("https://c.test/own/in/x", hosts, **plain) == (None, "")


def test_none_takes_the_crawls_patterns_back_for_a_host() -> None:
    hosts = {"a.test": {"exclude": "none", "include": "none"}}
    assert refusal("https://a.test/plain/x", hosts, include=("/in/*",), exclude=("/plain/*",)) == (None, "")


def test_a_crawl_without_patterns_by_host_looks_nothing_up() -> None:
    assert pattern_filter(CrawlConfig(hosts=read_hosts({"a.test": {"delay": 5}}, "x"))) is None
    plain = CrawlConfig(exclude=("/x",), hosts=read_hosts({"a.test": {"delay": 5}}, "x"))
    assert isinstance(pattern_filter(plain), PatternFilter)


def test_what_is_remembered_of_many_hosts_has_a_bound() -> None:
    config = CrawlConfig(hosts=read_hosts({f"h{n}.test": {"exclude": f"/{n}"} for n in range(2_000)}, "x"))
    rule = pattern_filter(config)
    assert isinstance(rule, PatternsByHost)
    for number in range(REMEMBERED_HOSTS + 1):
        url = f"https://h{number}.test/{number}"
        expected = Refusal.PATTERN if number < 2_000 else None
        assert rule.refuses_url(url, f"h{number}.test", 1) is expected
    assert len(rule._of_host) <= REMEMBERED_HOSTS
    assert len(rule._of_patterns) <= 1_000
