"""The last question before a request: may this URL be fetched now?"""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.filter import FilterChain
from weft.pipeline.ledger import Ledger
from weft.pipeline.prepare import Preparer, has_robots
from weft.types import Refusal, Visit
from weft.url import path_start


class Permission:
    """robots.txt, the user's filters that want to be asked at the last moment, and the budget of each host."""

    def __init__(self, config: CrawlConfig, preparer: Preparer, ledger: Ledger, filters: FilterChain) -> None:
        self._config = config
        self._preparer = preparer
        self._ledger = ledger
        self._filters = filters
        self._begun: dict[str, int] = {}  # host → visits begun or done; only where there is a budget

    def refuses(self, visit: Visit) -> Refusal | None:
        """Why the visit must not be made; None if it may be, and then it counts."""
        url = visit.link.url
        path_at = path_start(url)
        if has_robots(url, self._config) and not self._preparer.allows(url[:path_at], url[path_at:]):
            return Refusal.ROBOTS
        return self._filters.refuses(visit.link) or self._over_budget(visit)

    def rule_of(self, visit: Visit, refusal: Refusal) -> str:
        """What exactly refused a visit just now; of a budget there is no more to say."""
        match refusal:
            case Refusal.ROBOTS:
                return self._preparer.forbidding_line(visit.link.url)
            case Refusal.HOST_BUDGET:
                return ""
            case _:
                return self._filters.rule_of(visit.link)

    def _over_budget(self, visit: Visit) -> Refusal | None:
        budget = self._config.max_pages_per_host
        if budget is None or visit.link.attempts:  # a retry has been counted
            return None
        begun = self._begun.get(visit.host)
        if begun is None:
            begun = self._ledger.visits_of(visit.host)
        if begun >= budget:
            return Refusal.HOST_BUDGET
        self._begun[visit.host] = begun + 1
        return None
