"""Would a URL that was never found be let in? It is judged by the crawl's own rules, as a link that is found now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.explain import by_robots
from weft.explain.by_robots import Robots
from weft.explain.refusal import refused
from weft.explain.result import Refused
from weft.filter import FilterChain, ScopeFilter, Stage, load_filter, standard_chain
from weft.folder.refused_list import Rows
from weft.state.keys import host_key
from weft.types import Link, Refusal
from weft.url import host_of


class Admission(NamedTuple):
    """What would be said to a link."""

    refused: Refused | None
    remarks: list[str]  # what could not be asked


def admission(
    rows: Rows, link: Link, config: CrawlConfig, scope_seeds: Sequence[str], robots: Robots | None
) -> Admission:
    """The first rule that refuses a link; None: it would be let in."""
    config, remarks = _with_filters_at_hand(config)
    seeds = list(scope_seeds)

    def says(reason: Refusal, rule: str = "") -> Admission:
        line = robots.line_on(link.url) if reason is Refusal.ROBOTS and robots is not None else None
        return Admission(refused(link, reason, rule or (line.text if line else ""), config, seeds, line), remarks)

    found = standard_chain(config, ScopeFilter(config.scope, seeds))
    fetched = FilterChain(map(load_filter, config.filters)).at(Stage.FETCH)
    if (reason := found.refuses(link)) is not None:
        return says(reason, found.rule_of(link))
    if by_robots.is_asked(link.url, config):
        if robots is None:
            remarks.append("its robots.txt has not been asked for yet, and might forbid it")
        elif robots.line_on(link.url) is not None:
            return says(Refusal.ROBOTS)
    if (reason := fetched.refuses(link)) is not None:
        return says(reason, fetched.rule_of(link))
    budget = config.max_pages_per_host
    if budget is not None and _visits(rows, host_of(link.url)) >= budget:
        return says(Refusal.HOST_BUDGET)
    return Admission(None, remarks)


def _visits(rows: Rows, host: str) -> int:
    return int.from_bytes(rows.get("visits", host_key(host)) or b"", "big")


def _with_filters_at_hand(config: CrawlConfig) -> tuple[CrawlConfig, list[str]]:
    """The settings without those of the user's filters that cannot be loaded here, and which these are."""
    here, remarks = [], []
    for path in config.filters:
        try:
            load_filter(path)
        except BadInput as error:
            remarks.append(f"your filter was not asked, because it is not here: {error}")
        else:
            here.append(path)
    return msgspec.structs.replace(config, filters=tuple(here)), remarks
