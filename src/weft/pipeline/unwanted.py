"""Answers that a rule about type or size does not want: their bodies are stopped, and the list of refusals says why.

Their page rows stay, without content, so that nobody asks for them twice; an update does, and finds out whether the
rule still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from weft.config import CrawlConfig
from weft.fetch.exchange import Refuses
from weft.filter.by_answer import answer_of, answer_rules
from weft.types import Fetched, Link, Refusal, RefusedLink, Visit

if TYPE_CHECKING:
    from weft.pipeline.refusals import Refusals
    from weft.state import Batch


class Unwanted:
    """The rules about answers of one crawl, if it has some."""

    def __init__(
        self,
        config: CrawlConfig,
        refusals: Refusals,
        tell: Callable[[Link, Refusal], None],
        count: Callable[[Refusal, int], None],
    ) -> None:
        self.adopt(config)
        self._refusals = refusals
        self._tell = tell
        self._count = count

    def adopt(self, config: CrawlConfig) -> None:
        """Go by these settings from now on."""
        self._rules = answer_rules(config)

    @property
    def has_rules(self) -> bool:
        """Whether some answers are not wanted."""
        return self._rules is not None

    def refuses(self, link: Link) -> Refuses | None:
        """What stops the body of an answer; None if nothing does."""
        if (rules := self._rules) is None:
            return None

        def refuses(status: int, headers: Sequence[tuple[bytes, bytes]], came_bytes: int) -> bool:
            return rules.refused_by(link, status, answer_of(headers, came_bytes)) is not None

        return refuses

    def note(self, batch: Batch, visit: Visit, fetched: Fetched | None, *, is_update: bool) -> None:
        """Write down by which rule an answer was not wanted, if one was against it; or that it came after all."""
        rule = None if self._rules is None or fetched is None else self._rules.refused_whole(visit.link, fetched)
        if rule is not None:
            refused = RefusedLink(visit.id, visit.host, visit.link, Refusal.PATTERN, rule)
            self._refusals.add(batch, [refused], was_queued=True)
            self._tell(visit.link, Refusal.PATTERN)
        elif is_update and self._refusals.withdraw(batch, visit.host, visit.id):
            self._count(Refusal.PATTERN, -1)
