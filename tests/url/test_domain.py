"""Registrable domains as the package of the list itself finds them, for every rule there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from publicsuffixlist import PSLFILE, PublicSuffixList

from weft.url import registrable_domain


@pytest.fixture(scope="module")
def peer() -> PublicSuffixList:
    return PublicSuffixList(only_icann=False)


def ascii_rules() -> Iterator[str]:
    with open(PSLFILE, encoding="utf-8") as file:
        for line in file:
            if (rule := line.strip()) and not rule.startswith("//"):
                yield ".".join(label.encode("idna").decode() if label != "*" else label for label in rule.split("."))


def hosts() -> Iterator[str]:
    for rule in ascii_rules():
        name = rule.removeprefix("!").replace("*", "wild")
        yield from (name, name.partition(".")[2] or name, f"a.{name}", f"b.a.{name}", f"c.b.a.{name}")


def test_each_rule_of_the_list_means_what_its_package_says(peer: PublicSuffixList) -> None:
    differ = {
        host: domain for host in hosts() if (domain := registrable_domain(host)) != (peer.privatesuffix(host) or host)
    }
    assert differ == {}


@pytest.mark.parametrize(
    "host",
    ["a..b", ".a.example", "...", "a.b.", "localhost", "x.unknown-suffix", "xn--.com", "xn--\xfc.com", "a.xn--0.com"],
)
def test_odd_names_are_taken_as_its_package_takes_them(host: str, peer: PublicSuffixList) -> None:
    name = host.rstrip(".")
    assert registrable_domain(host) == (peer.privatesuffix(name) or name or host)
