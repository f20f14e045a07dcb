"""Tables of settings by host, where a crawl is steered, or another crawl takes some of them over."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.crawl import check
from weft.pipeline.host_settings import excluding, without
from weft.pipeline.rules import may_allow_more, rules_of
from weft.settings.host_tables import read_hosts

TABLES: dict[str, Any] = {
    "a.test": {"exclude": ["/a"], "delay": 1},
    "b.test": {"delay": 2, "auth": "u:p"},
    "c.test": {"exclude": "none"},
}


def test_what_is_excluded_by_hand_is_excluded_on_hosts_with_patterns_of_their_own_too() -> None:
    hosts = read_hosts(TABLES, "x")
    changed = excluding(CrawlConfig(hosts=hosts), "/x/*")
    assert [one.exclude for one in changed.hosts] == [("/a", "/x/*"), None, ("/x/*",)]
    assert excluding(changed, "/x/*") == changed  # a command that is carried out twice changes nothing


def test_another_crawl_takes_over_some_settings_of_the_tables() -> None:
    kept = without(read_hosts(TABLES, "x"), "exclude", "auth")
    assert [(one.pattern, one.delay_s, one.exclude, one.auth) for one in kept] == [
        ("a.test", 1.0, None, None),
        ("b.test", 2.0, None, None),
        ("c.test", None, None, None),
    ]


@pytest.mark.parametrize(
    ("hosts", "is_more"),
    [
        (TABLES, False),
        ({**TABLES, "b.test": {"delay": 9}}, False),  # no pattern has changed
        (dict(reversed(TABLES.items())), False),
        ({**TABLES, "a.test": {"exclude": ["/b"]}}, True),
        ({"b.test": {"delay": 2}}, True),
    ],
)
def test_other_patterns_by_host_may_allow_more(hosts: dict[str, Any], is_more: bool) -> None:
    old, new = (rules_of(CrawlConfig(hosts=read_hosts(one, "x"))) for one in (TABLES, hosts))
    assert may_allow_more(old, new) is is_more


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"include": "re:("}, "[host.\"a.test\"] 'include': the pattern 're:('"),
        ({"exclude": ""}, "[host.\"a.test\"] 'exclude': a pattern for URLs is empty"),
        ({"header": {"Bad Name": "x"}}, "[host.\"a.test\"] 'header': 'Bad Name' cannot be set"),
    ],
)
def test_a_crawl_that_could_not_go_by_a_table_does_not_begin(table: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        check(CrawlConfig(hosts=read_hosts({"a.test": table}, "x")))
    assert words in str(caught.value)
