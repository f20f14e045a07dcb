"""The rules by which URLs belong to a crawl, which a person may correct when it goes on.

wider    what the old rules refused is found by reading the pages that are done again, from the archive (`relax`)
narrower what is queued already is refused when its turn comes; it counts as never found, so that wider rules find
         it again
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from weft.config import CrawlConfig, HostTable
from weft.filter import FilterChain, ScopeFilter
from weft.filter.standard import belonging_filters
from weft.folder.history import REREAD, UPDATE
from weft.pipeline.rereading import relax_where
from weft.types import Kind, Link, Refusal

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger
    from weft.state import Batch, State

RULES, CHANGED = b"rules", b"rules-changed"  # rows of `meta`
_NARROWEST_FIRST: Final = ("prefix", "host", "domain", "any")


class HostPatterns(msgspec.Struct, frozen=True, array_like=True):
    """What a table says of some hosts."""

    pattern: str
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None


class Rules(msgspec.Struct, frozen=True, array_like=True):
    """What they were when the queue was made."""

    scope: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    seeds: tuple[str, ...]
    hosts: tuple[HostPatterns, ...] = ()
    ordered: tuple[str, ...] = ()
    other_hosts: tuple[str, ...] = ()
    other_depth: int = 0
    near: bool = False
    https_only: bool = False
    accept: tuple[str, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Rules).decode


def rules_of(config: CrawlConfig) -> Rules:
    """The rules that a crawl's settings say."""
    hosts = sorted(
        (HostPatterns(one.pattern, one.include, one.exclude) for one in config.hosts if _has_patterns(one)),
        key=lambda one: one.pattern,
    )
    return Rules(
        config.scope, config.include, config.exclude, config.seeds, tuple(hosts), config.rules, config.other_hosts,
        config.other_depth, config.near, config.https_only, config.accept,
    )  # fmt: skip


def _has_patterns(table: HostTable) -> bool:
    return table.include is not None or table.exclude is not None


def may_allow_more(old: Rules, new: Rules) -> bool:
    """Whether there may be a URL that the old rules refuse and the new ones do not."""
    is_wider = _NARROWEST_FIRST.index(new.scope) > _NARROWEST_FIRST.index(old.scope)
    includes_more = bool(old.include) and (not new.include or not set(new.include) <= set(old.include))
    excludes_less = not set(old.exclude) <= set(new.exclude)
    has_more_seeds = not set(new.seeds) <= set(old.seeds)
    # Which of two tables allows more depends on all the others: another set of them may.
    are_others = old.hosts != new.hosts or old.ordered != new.ordered
    reaches_further = not set(new.other_hosts) <= set(old.other_hosts) or new.other_depth > old.other_depth
    is_freer = (new.near and not old.near) or (old.https_only and not new.https_only)
    accepts_more = bool(old.accept) and (not new.accept or not set(new.accept) <= set(old.accept))
    asks_more = reaches_further or is_freer or accepts_more
    return is_wider or includes_more or excludes_less or has_more_seeds or are_others or asks_more


def allow_more_now(state: State, config: CrawlConfig) -> bool:
    """Whether the crawl goes on with rules by which there may be more than before."""
    stored = state.get("meta", RULES)
    return stored is not None and may_allow_more(_decode(stored), rules_of(config))


def adopt_rules(ledger: Ledger, state: State, config: CrawlConfig, *, update: bool = False) -> None:
    """Remember what belongs to the crawl; if it may be more now, have the pages read again for what was refused.

    In an update that is done as each of them is known to be unchanged.
    """
    stored, rules = state.get("meta", RULES), rules_of(config)
    if stored is None or _decode(stored) != rules:
        if allow_more_now(state, config):
            relax_where(ledger, state, lambda page: page.status != 0)
        batch = ledger.batch()
        batch.put("meta", RULES, _encode(rules))
        if stored is not None:
            batch.put("meta", CHANGED, b"")
            if update or state.get("meta", UPDATE) is not None:
                batch.put("meta", REREAD, b"")
        ledger.write(batch)
    if state.get("meta", CHANGED) is not None:
        ledger.rules = QueueRules(config, ledger.scope.seeds)


def remember_rules(batch: Batch, config: CrawlConfig) -> None:
    """The rules were changed while the crawl runs, and what follows from it is done: nothing is to be read again."""
    batch.put("meta", RULES, _encode(rules_of(config)))


def narrow_rules(ledger: Ledger, config: CrawlConfig) -> None:
    """Less belongs to the crawl, from now on."""
    batch = ledger.batch()
    remember_rules(batch, config)
    batch.put("meta", CHANGED, b"")
    ledger.write(batch)
    ledger.rules = QueueRules(config, ledger.scope.seeds)
    ledger.unwanted.adopt(config)


class QueueRules:
    """Scope and patterns once more, for URLs that were queued under other ones."""

    def __init__(self, config: CrawlConfig, scope_seeds: Sequence[str]) -> None:
        self._seeds = scope_seeds  # grows while the crawl runs: where seeds lead
        self._scope = ScopeFilter(config.scope)
        self._known_seeds = 0
        self._chain = FilterChain(belonging_filters(config, self._scope))

    def refuses(self, link: Link) -> Refusal | None:
        """Why a queued URL is no longer wanted. Seeds are: they were asked for by name."""
        if link.kind is Kind.SEED:
            return None
        while self._known_seeds < len(self._seeds):
            self._scope.add_seed(self._seeds[self._known_seeds])
            self._known_seeds += 1
        return self._chain.refuses(link)

    def rule_of(self, link: Link) -> str:
        """The rule by which this URL was refused just now."""
        return self._chain.rule_of(link)
