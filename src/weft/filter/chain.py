"""Filters in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from weft.filter.rule import Stage, UrlFilter, UrlOnlyFilter
from weft.types import OUT_OF_SCOPE, Link, Refusal
from weft.url import host_of


class FilterChain:
    """Asks its filters one after the other; the first refusal wins.

    Those that need only the URL come first, in the order given, then the rest in the order given: the cheap
    ones spare the others the work. The two halves can be asked apart:

        refusal = chain.refuses_url(url, host, depth)                 # no Link yet
        if refusal is None and not sent_before(url):
            refusal = chain.refuses_link(link := Link(url, depth, …))
    """

    def __init__(self, filters: Iterable[UrlFilter] = ()) -> None:
        self._filters = list(filters)
        self._refused_by: Callable[..., Refusal | None]  # the method that refused last
        self._sort_out()

    def __iter__(self) -> Iterator[UrlFilter]:
        return iter(self._filters)

    def add(self, rule: UrlFilter) -> None:
        """Ask this filter too, from now on."""
        self._filters.append(rule)
        self._sort_out()

    def remove(self, rule: UrlFilter) -> None:
        """Ask this filter no more; ValueError if it was not in the chain."""
        self._filters.remove(rule)
        self._sort_out()

    def at(self, stage: Stage) -> FilterChain:
        """A chain of those filters that are asked at this stage."""
        return FilterChain(rule for rule in self._filters if rule.stage == stage)

    def refuses(self, link: Link) -> Refusal | None:
        """The first refusal of all filters, or None."""
        if not self._filters:
            return None
        return self.refuses_url(link.url, host_of(link.url), link.depth) or self.refuses_link(link)

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        """The first refusal of the filters that need only the URL, or None."""
        for refuses in self._by_url:
            refusal = refuses(url, host, depth)
            if refusal is not None:
                self._refused_by = refuses
                return refusal
        return None

    def refuses_link(self, link: Link) -> Refusal | None:
        """The first refusal of the filters that need the whole link, or None."""
        for refuses in self._by_link:
            refusal = refuses(link)
            if refusal is not None:
                self._refused_by = refuses
                return refusal
        return None

    def rule_of(self, link: Link) -> str:
        """The rule by which this link was refused just now."""
        return self._rule_of[self._refused_by](link.url, host_of(link.url), link.depth)

    def is_in_scope(self, link: Link) -> bool:
        """Whether a refused link belongs to the crawl: it may be out of scope as well as what it was refused for."""
        return all(rule.refuses(link) not in OUT_OF_SCOPE for rule in self._filters if rule.bounds_scope)

    def _sort_out(self) -> None:
        self._by_url = [rule.refuses_url for rule in self._filters if isinstance(rule, UrlOnlyFilter)]
        self._by_link = [rule.refuses for rule in self._filters if not isinstance(rule, UrlOnlyFilter)]
        self._rule_of: dict[Callable[..., Refusal | None], Callable[[str, str, int], str]] = {
            (rule.refuses_url if isinstance(rule, UrlOnlyFilter) else rule.refuses): rule.rule_of
            for rule in self._filters
        }
