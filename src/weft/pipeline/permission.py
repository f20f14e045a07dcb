"""The last question before a request: may this URL be fetched now?"""

from __future__ import annotations

import msgspec

from weft.config import CrawlConfig
from weft.filter import FilterChain
from weft.filter.standard import depth_filter
from weft.filter.traps import GUESSES, SESSION_IDS, trap_rules
from weft.members import GUESS
from weft.pipeline.ledger import Ledger
from weft.pipeline.prepare import Preparer
from weft.robots.by_host import RobotsByHost
from weft.types import Refusal, Visit
from weft.url import path_start


class Permission:
    """Depth, session ids, robots.txt, rules that have changed, filters asked last, guesses, a host's budget."""

    def __init__(self, config: CrawlConfig, preparer: Preparer, ledger: Ledger, filters: FilterChain) -> None:
        self._config = config
        self._robots = RobotsByHost(config)
        self._preparer = preparer
        self._ledger = ledger
        self._filters = filters
        self._depth = depth_filter(config)
        self._trap = ""  # which rule the last refusal was by, if it is one about what pages are like
        self._counts_guesses = GUESSES in trap_rules(config.traps)

    def refuses(self, visit: Visit) -> Refusal | None:
        """Why the visit must not be made; None if it may be, and then it counts."""
        if self._is_too_deep(visit):
            return Refusal.DEPTH
        url = visit.link.url
        # First: without its session id, robots.txt may allow it.
        refusal = self._ledger.sessions.refuses(visit)
        self._trap = SESSION_IDS if refusal is not None else ""
        if refusal is not None:
            return refusal
        path_at = path_start(url)
        if self._robots.has_say(url) and not self._preparer.allows(url[:path_at], url[path_at:]):
            return Refusal.ROBOTS
        if self._ledger.rules is not None and (refusal := self._ledger.rules.refuses(visit.link)) is not None:
            return refusal
        return self._filters.refuses(visit.link) or self._is_vain(visit) or self._over_budget(visit)

    def _is_too_deep(self, visit: Visit) -> bool:
        """Whether it was queued when the crawl was to go deeper, and no shorter way to it was found since."""
        if self._depth is None or visit.link.depth <= (self._config.depth or 0):
            return False
        depth = self._ledger.depth(visit.id, visit.link.depth)
        return self._depth.refuses(msgspec.structs.replace(visit.link, depth=depth)) is not None

    def rule_of(self, visit: Visit, refusal: Refusal) -> str:
        """What exactly refused a visit just now; of a budget there is no more to say."""
        match refusal:
            case Refusal.ROBOTS:
                return self._preparer.forbidding_line(visit.link.url)
            case Refusal.HOST_BUDGET | Refusal.DEPTH | Refusal.SESSION_ID:
                return ""
            case Refusal.TRAP if self._trap:
                return self._trap
            case Refusal.SCOPE | Refusal.PATTERN if self._ledger.rules is not None:
                return self._ledger.rules.rule_of(visit.link)
            case _:
                return self._filters.rule_of(visit.link)

    def _is_vain(self, visit: Visit) -> Refusal | None:
        is_guess = visit.link.kind is GUESS and self._counts_guesses
        if not is_guess or not self._ledger.tally.guesses.are_over(visit.host):
            return None
        if not self._ledger.is_guess(visit.id):  # a link to it was found since
            return None
        self._trap = GUESSES
        return Refusal.TRAP

    def _over_budget(self, visit: Visit) -> Refusal | None:
        budget = self._config.max_pages_per_host
        return None if budget is None or self._ledger.tally.begins(visit, budget) else Refusal.HOST_BUDGET
