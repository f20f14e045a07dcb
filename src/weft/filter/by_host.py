"""The user's patterns where some hosts have others than the crawl: `[host."*.example.org"]` with include, exclude."""

from __future__ import annotations

from typing import Final

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.filter.condition import Answer, is_of_answer
from weft.filter.patterns import OrderedRules, PatternFilter, Patterns
from weft.settings.by_host import ByHost
from weft.types import Refusal

REMEMBERED_HOSTS: Final = 10_000
REMEMBERED_FILTERS: Final = 1_000
_Patterns = tuple[tuple[str, ...], tuple[str, ...]]


class PatternsByHost(Patterns):
    """As PatternFilter, with the patterns that hold for the URL's host."""

    def __init__(self, include: tuple[str, ...], exclude: tuple[str, ...], by_host: ByHost) -> None:
        self._plain = include, exclude
        self._by_host = by_host
        self.needs_answer = any(map(is_of_answer, (*include, *exclude, *by_host.every("include", "exclude"))))
        # Filled and emptied by _of; bound: REMEMBERED_HOSTS, REMEMBERED_FILTERS.
        self._of_host: dict[str, PatternFilter] = {}
        self._of_patterns: dict[_Patterns, PatternFilter] = {}

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        known = self._of_host.get(host)
        return (known or self._of(host)).refuses_url(url, host, depth)

    def refuses_answer(self, url: str, host: str, answer: Answer | None) -> str | None:
        return self._of(host).refuses_answer(url, host, answer)

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return self._of(host).rule_of(url, host, depth)

    def _of(self, host: str) -> PatternFilter:
        include, exclude = patterns_of(self._by_host, host, *self._plain)
        found = self._of_patterns.get((include, exclude))
        if found is None:
            if len(self._of_patterns) >= REMEMBERED_FILTERS:
                self._of_patterns.clear()
            found = self._of_patterns[include, exclude] = PatternFilter(include, exclude)
        if len(self._of_host) >= REMEMBERED_HOSTS:
            self._of_host.clear()
        self._of_host[host] = found
        return found


def patterns_of(by_host: ByHost, host: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> _Patterns:
    """The patterns that hold for a host: those of its tables, or else the crawl's."""
    own_include, own_exclude = by_host.value(host, "include"), by_host.value(host, "exclude")
    return include if own_include is None else own_include, exclude if own_exclude is None else own_exclude


def pattern_filter(config: CrawlConfig) -> Patterns | None:
    """What goes by the user's patterns; None where there are none."""
    by_host = ByHost.saying(config.hosts, "include", "exclude")
    if config.rules:
        if config.include or config.exclude or by_host is not None:
            raise BadInput("--rule says in order what is wanted: --include and --exclude have no place beside it")
        return OrderedRules(config.rules)
    if by_host is not None:
        return PatternsByHost(config.include, config.exclude, by_host)
    return PatternFilter(config.include, config.exclude) if config.include or config.exclude else None
