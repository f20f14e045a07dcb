"""The filters that a crawl's settings ask for."""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.filter.by_host import pattern_filter
from weft.filter.chain import FilterChain
from weft.filter.load import load_filter
from weft.filter.plain import DepthFilter, LengthFilter, RedirectFilter, SuffixFilter
from weft.filter.requisites import RequisiteDepth, RequisiteScope
from weft.filter.rule import Stage, UrlFilter
from weft.filter.scope import ScopeFilter
from weft.filter.traps import TrapFilter


def depth_filter(config: CrawlConfig) -> UrlFilter | None:
    """What refuses links that are too deep; None if none is."""
    if config.depth is None:
        return None
    spares_requisites = config.requisites_anywhere or config.mirror
    return RequisiteDepth(config.depth) if spares_requisites else DepthFilter(config.depth)


def standard_chain(config: CrawlConfig, scope: ScopeFilter) -> FilterChain:
    """What is asked when a link is found; the user's own filters come last."""
    filters: list[UrlFilter] = [LengthFilter(config.max_url_chars)]
    filters.append(RequisiteScope(scope) if config.requisites_anywhere else scope)
    if config.refuse_suffixes:
        filters.append(SuffixFilter(config.refuse_suffixes))
    if (patterns := pattern_filter(config)) is not None:
        filters.append(patterns)
    filters.append(TrapFilter(config.traps))
    if (depth := depth_filter(config)) is not None:  # last of those that need only the URL: then nothing else is wrong
        filters.append(depth)
    filters.append(RedirectFilter(config.max_redirects))
    filters += map(load_filter, config.filters)
    return FilterChain(filters).at(Stage.SCHEDULE)
