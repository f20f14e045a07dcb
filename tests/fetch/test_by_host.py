"""What settings by host tell servers, request by request."""

from __future__ import annotations

from typing import Any

import pytest

from weft.errors import BadInput
from weft.fetch.config import FetchConfig
from weft.fetch.request import RequestWriter
from weft.settings.host_tables import read_hosts
from weft.url import split

PLAIN = {"User-Agent": "plain/1.0", "X-All": "1"}


def sent(url: str, hosts: dict[str, Any], **settings: Any) -> dict[str, str]:
    """The headers of a request, but for those that all have."""
    settings = {"user_agent": "plain/1.0", "extra_headers": (("X-All", "1"),)} | settings
    writer = RequestWriter(FetchConfig(hosts=read_hosts(hosts, "hosts"), **settings))
    lines = writer.get(split(url)).decode().split("\r\n")[1:]
    headers = dict(line.split(": ", 1) for line in lines if line)
    return {name: value for name, value in headers.items() if name not in ("Host", "Accept", "Accept-Encoding")}


def test_a_host_without_a_table_is_told_what_all_are() -> None:
    assert sent("https://b.test/", {"a.test": {"user-agent": "a/1", "header": "X-A: 1"}}) == PLAIN


def test_headers_of_a_table_take_the_place_of_all_that_the_crawl_has() -> None:
    assert sent("https://a.test/", {"a.test": {"header": "X-A: 1"}}) == {"User-Agent": "plain/1.0", "X-A": "1"}
    assert sent("https://a.test/", {"a.test": {"header": "none"}}) == {"User-Agent": "plain/1.0"}


def test_a_user_agent_and_a_login_of_a_table_leave_the_crawls_headers() -> None:
    told = sent("https://a.test/", {"a.test": {"user-agent": "a/1", "auth": "u:p"}})
    assert told == {"User-Agent": "a/1", "X-All": "1", "Authorization": "Basic dTpw"}


def test_a_user_agent_of_a_table_goes_before_a_header_that_all_are_told() -> None:
    header = (("User-Agent", "from-header"),)
    assert sent("https://a.test/", {"a.test": {"user-agent": "a/1"}}, extra_headers=header) == {"User-Agent": "a/1"}
    assert sent("https://b.test/", {"a.test": {"user-agent": "a/1"}}, extra_headers=header) == {
        "User-Agent": "from-header"
    }


def test_each_key_is_decided_by_the_most_specific_table_that_has_it() -> None:
    hosts = {
        "*.test": {"user-agent": "wide/1", "header": "X-A: wide"},
        "*.a.test": {"header": "X-A: narrow"},
        "www.a.test": {"user-agent": "own/1"},
    }
    assert sent("https://www.a.test/", hosts) == {"User-Agent": "own/1", "X-A": "narrow"}
    assert sent("https://a.test/", hosts) == {"User-Agent": "wide/1", "X-A": "narrow"}
    assert sent("https://b.test/", hosts) == {"User-Agent": "wide/1", "X-A": "wide"}


@pytest.mark.parametrize(
    ("url", "seed", "is_told"),
    [
        ("https://a.test/", "https://b.test/", True),
        ("http://a.test/", "https://a.test/", False),
        ("http://a.test/", "http://b.test/", False),
        ("http://a.test/", "http://a.test/", True),
        ("https://a.test:8443/", "http://b.test/", True),
    ],
)
def test_what_is_meant_for_https_is_not_sent_in_the_open(url: str, seed: str, is_told: bool) -> None:
    hosts = {"a.test": {"auth": "u:p", "header": ["X-Key: k", "Cookie: c", "Accept-Language: de"]}}
    told = sent(url, hosts, seeds=(seed,))
    secrets = {"X-Key": "k", "Cookie": "c", "Authorization": "Basic dTpw"}
    assert told == {"User-Agent": "plain/1.0", "Accept-Language": "de"} | (secrets if is_told else {})


def test_who_names_a_host_in_a_login_or_header_goes_before_its_table() -> None:
    hosts = {"a.test": {"auth": "table:p", "header": "X-A: table"}}
    told = sent("https://a.test/", hosts, auth=(("a.test", "u:p"),), extra_headers=(("a.test=X-B", "named"),))
    assert told == {"User-Agent": "plain/1.0", "X-A": "table", "X-B": "named", "Authorization": "Basic dTpw"}


def test_secrets_of_the_crawl_do_not_go_where_a_table_has_other_headers() -> None:
    settings: dict[str, Any] = {"seeds": ("https://a.test/",), "extra_headers": (("Cookie", "c"),)}
    assert "Cookie" in sent("https://a.test/", {"b.test": {"header": "X-A: 1"}}, **settings)
    assert "Cookie" not in sent("https://a.test/", {"a.test": {"header": "X-A: 1"}}, **settings)


@pytest.mark.parametrize(
    ("table", "key"),
    [({"header": "Host: evil.test"}, "header"), ({"header": {"X-A": "1\r\nX-B: 2"}}, "header"),
     ({"user-agent": "a\r\nX-B: 2"}, "user-agent")],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused_with_table_and_key(table: dict[str, Any], key: str) -> None:
    with pytest.raises(BadInput, match=rf"\[host\.\"a\.test\"\] '{key}'"):
        sent("https://a.test/", {"a.test": table})


def test_requests_of_many_hosts_are_remembered_within_a_bound() -> None:
    writer = RequestWriter(FetchConfig(hosts=read_hosts({"*": {"user-agent": "a/1"}}, "x")))
    for number in range(10_001):
        assert b"User-Agent: a/1" in writer.get(split(f"https://h{number}.test/"))
    assert len(writer._rests) == 1
