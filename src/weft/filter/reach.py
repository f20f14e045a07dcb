"""How far a crawl reaches beyond the scope of its seeds: by name, by steps, by what is near, by what pages need."""

from __future__ import annotations

from typing import Final

from weft.config import CrawlConfig, HostTable
from weft.filter.patterns import Patterns
from weft.filter.requisites import is_requisite
from weft.filter.rule import UrlFilter
from weft.filter.scope import ScopeFilter
from weft.media.endings import type_by_name
from weft.media.medium import may_lead
from weft.settings.by_host import ByHost
from weft.settings.host_tables import pattern_of
from weft.types import Kind, Link, Refusal
from weft.url import host_of

# What says by its ending that it is a page, though `media.endings` knows no type for it.
_PAGE_ENDINGS: Final = frozenset(
    ("php", "php3", "php5", "phtml", "asp", "aspx", "jsp", "jspx", "do", "cgi", "pl", "cfm", "shtml", "dhtml", "html5")
)


class Reach(UrlFilter):
    """Nothing beyond the scope of the seeds, but for what was asked for."""

    bounds_scope = True

    def __init__(self, config: CrawlConfig, scope: ScopeFilter, patterns: Patterns | None) -> None:
        self._scope = scope
        self._patterns = patterns if config.rules else None
        self._hosts = other_hosts(config)
        self._steps = config.other_depth
        self._is_near = config.near
        self._spares_requisites = config.requisites_anywhere
        self.counts_steps = bool(config.other_depth or config.near)

    def refuses(self, link: Link) -> Refusal | None:
        url, host = link.url, host_of(link.url)
        if self.is_inside(url, host) or (self._spares_requisites and is_requisite(link)):
            return None
        if self._patterns is not None and self._patterns.is_wanted_beyond(url, host):
            return None
        if self._steps and 0 < link.beyond <= self._steps:
            return None
        # Files, not pages, and from our own pages only: nothing leads on from there.
        if self._is_near and link.beyond == 1 and is_file(url):
            return None
        return Refusal.SCOPE

    def is_inside(self, url: str, host: str) -> bool:
        """Whether a URL belongs to the seeds, or to a host that was named beside them."""
        return self._scope.holds(url, host) or (
            self._hosts is not None and next(self._hosts.tables_for(host), None) is not None
        )

    def beyond(self, page: Link, url: str, kind: Kind) -> int:
        """How many steps in a row a link of a page is outside; 0 within."""
        if self.is_inside(url, host_of(url)):
            return 0
        return max(page.beyond, 1) if kind is Kind.REDIRECT else page.beyond + 1


def other_hosts(config: CrawlConfig) -> ByHost | None:
    """The hosts that belong to the crawl beside those of its seeds."""
    return ByHost(HostTable(pattern=pattern_of(one)) for one in config.other_hosts) if config.other_hosts else None


def is_file(url: str) -> bool:
    """Whether a URL says by its ending that it is no page, and leads nowhere."""
    path = url.partition("?")[0].partition("://")[2]
    if "/" not in path:
        return False
    named = type_by_name(path)
    if not named:
        name, dot, ending = path.rpartition("/")[2].rpartition(".")
        is_ending = bool(name and dot and 1 < len(ending) <= 5 and ending.isalnum() and ending[0].isalpha())
        return is_ending and ending.lower() not in _PAGE_ENDINGS
    return not may_lead(named) or named == "text/css"
