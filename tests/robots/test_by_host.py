"""Which name a host's robots.txt knows us by, and whether it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.host_settings import check_hosts
from weft.robots.by_host import RobotsByHost
from weft.settings.host_tables import read_hosts


def by_host(hosts: dict[str, Any], **settings: Any) -> RobotsByHost:
    config = CrawlConfig(hosts=read_hosts(hosts, "hosts"), **settings)
    check_hosts(config)
    return RobotsByHost(config)


def test_a_host_reads_our_name_in_the_user_agent_that_it_is_told() -> None:
    robots = by_host({"*.a.test": {"user-agent": "Mozilla/5.0 (compatible; special/2.0)"}}, user_agent="usual/1.0")
    assert [robots.name_for(host) for host in ("a.test", "www.a.test", "b.test")] == ["special", "special", "usual"]


def test_a_name_that_a_table_says_goes_before_that_in_the_user_agent() -> None:
    robots = by_host({"*": {"robots-agent": "wide"}, "a.test": {"user-agent": "own/1"}}, user_agent="usual/1.0")
    assert robots.name_for("a.test") == "wide"


def test_the_crawls_name_serves_a_hosts_user_agent_that_has_none() -> None:
    hosts = {"a.test": {"user-agent": "Mozilla/5.0 (X11)"}, "b.test": {"user-agent": "own/1"}}
    robots = by_host(hosts, robots_agent="mybot")
    assert [robots.name_for(host) for host in ("a.test", "b.test", "c.test")] == ["mybot", "own", "mybot"]


@pytest.mark.parametrize(
    ("hosts", "key"),
    [
        ({"*.a.test": {"user-agent": "Mozilla/5.0"}, "a.test": {"user-agent": "fine/1"}}, "user-agent"),
        ({"*.a.test": {"robots-agent": "two words"}}, "robots-agent"),
    ],
)
def test_a_user_agent_without_a_name_is_refused_with_its_table(hosts: dict[str, Any], key: str) -> None:
    with pytest.raises(BadInput, match=rf"\[host\.\"\*\.a\.test\"\] '{key}'"):
        by_host(hosts)


def test_robots_txt_may_be_ignored_for_some_hosts_or_obeyed_for_some() -> None:
    some = by_host({"*.a.test": {"ignore-robots": True}, "b.a.test": {"ignore-robots": False}})
    assert [some.has_say(f"https://{one}/x") for one in ("a.test", "b.a.test", "c.test")] == [False, True, True]
    assert not some.has_say("ftp://c.test/")
    others = by_host({"a.test": {"ignore-robots": False}}, ignore_robots=True)
    assert [others.has_say(f"http://{one}:8080/") for one in ("a.test", "b.test")] == [True, False]
    assert not others.is_ignored_everywhere()
    assert by_host({}, ignore_robots=True).is_ignored_everywhere()


def test_a_change_of_names_is_seen_and_of_nothing_else() -> None:
    known = by_host({"a.test": {"user-agent": "own/1"}}).names_hash()
    assert by_host({"a.test": {"user-agent": "own/1", "delay": 5}, "b.test": {"delay": 1}}).names_hash() == known
    assert by_host({"a.test": {"user-agent": "other/1"}}).names_hash() != known
    assert by_host({"a.test": {"user-agent": "own/1"}}, user_agent="plain/1").names_hash() != known
