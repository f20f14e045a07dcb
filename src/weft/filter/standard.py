"""The filters that a crawl's settings ask for."""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.filter.accept import AcceptFilter, Accepting
from weft.filter.by_answer import spares_requisites
from weft.filter.by_host import pattern_filter
from weft.filter.chain import FilterChain
from weft.filter.load import load_filter
from weft.filter.patterns import Patterns
from weft.filter.plain import DepthFilter, LengthFilter, RedirectFilter, SchemeFilter, SuffixFilter
from weft.filter.reach import Reach
from weft.filter.requisites import RequisiteDepth, SparingRequisites
from weft.filter.rule import Stage, UrlFilter
from weft.filter.scope import ScopeFilter
from weft.filter.traps import TrapFilter


def depth_filter(config: CrawlConfig) -> UrlFilter | None:
    """What refuses links that are too deep; None if none is."""
    if config.depth is None:
        return None
    spares_requisites = config.requisites_anywhere or config.mirror
    return RequisiteDepth(config.depth) if spares_requisites else DepthFilter(config.depth)


def belonging_filters(config: CrawlConfig, scope: ScopeFilter) -> list[UrlFilter]:
    """What says which URLs belong to the crawl, and may be corrected when it goes on."""
    patterns = pattern_filter(config)
    filters: list[UrlFilter] = [Reach(config, scope, patterns) if reaches_beyond(config) else scope]
    if config.https_only:
        filters.append(SchemeFilter(("https",)))
    if patterns is not None:
        filters.append(_sparing(patterns, config))
    if config.accept:
        filters.append(AcceptFilter(Accepting(config.accept)))
    return filters


def reaches_beyond(config: CrawlConfig) -> bool:
    """Whether anything out of scope may belong to the crawl."""
    has_more = config.rules or config.other_hosts or config.other_depth or config.near
    return config.requisites_anywhere or bool(has_more)


def _sparing(patterns: Patterns, config: CrawlConfig) -> UrlFilter:
    return SparingRequisites(patterns) if spares_requisites(config) else patterns


def standard_chain(config: CrawlConfig, scope: ScopeFilter) -> FilterChain:
    """What is asked when a link is found; the user's own filters come last."""
    filters: list[UrlFilter] = [LengthFilter(config.max_url_chars)]
    filters += belonging_filters(config, scope)
    if config.refuse_suffixes:
        filters.append(SuffixFilter(config.refuse_suffixes))
    filters.append(TrapFilter(config.traps))
    if (depth := depth_filter(config)) is not None:  # last of those that need only the URL: then nothing else is wrong
        filters.append(depth)
    filters.append(RedirectFilter(config.max_redirects))
    filters += map(load_filter, config.filters)
    return FilterChain(filters).at(Stage.SCHEDULE)
