"""What a crawl left out, and why: the rows behind `refused.jsonl`.

    forbidden   by robots.txt, in the engine: all of them, because they return to the queue when the rules change
    over        by a host's budget, in the engine: likewise
    refused     by the filters, in a worker or right before the request: at most LINES_PER_RULE a host and rule, so that
                a trap cannot fill the disk; the rest is counted in `rule`

A row is written with the batch of the page that its link was found on, under the URL's id: so it is there once,
whatever is killed when. A URL that a filter refused on one page and let pass on another is not left out: it is in
`seen`, and that is looked up when the list is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from weft.folder.refused_rows import LINES_PER_RULE, RefusedRow, RuleRow, decode_refused, decode_rule
from weft.seen import Seen
from weft.state import Batch, State
from weft.state.keys import host_prefix, rule_key
from weft.types import RefusedLink

RULES_IN_MEMORY = 10_000

_encode = msgspec.msgpack.Encoder().encode


class RobotsRules(Protocol):
    """What is known of robots.txt: a URL that it forbids need not be queued."""

    def forbids(self, url: str) -> str | None:
        """The line by which rules at hand forbid it, empty if there is none; None if they do not."""


class _NoRobots:
    def forbids(self, url: str) -> str | None:
        return None


NO_ROBOTS = _NoRobots()


class Refusals:
    """The writer of `refused` and `rule`."""

    def __init__(self, state: State, seen: Seen) -> None:
        self._state = state
        self._seen = seen
        self._in_batch: set[bytes] = set()  # keys
        self._changed: set[bytes] = set()  # keys of rules
        # Filled by _count, emptied when full; bound: RULES_IN_MEMORY, and those of one batch.
        self._rules: dict[bytes, RuleRow] = {}

    def add(self, batch: Batch, refused: Iterable[RefusedLink], *, was_queued: bool = False) -> None:
        """List what is not listed yet; beyond a rule's lines, count it."""
        for one in refused:
            key = host_prefix(one.host) + one.id
            is_listed = key in self._in_batch or self._state.get("refused", key) is not None
            if not was_queued and (is_listed or self._seen.depth(one.id) is not None):
                continue  # its first page and rule stay; or it was let pass elsewhere
            if is_listed or self._count(one):
                self._in_batch.add(key)
                batch.put("refused", key, _encode(RefusedRow(one.link, one.reason, one.rule, was_queued)))

    def withdraw(self, batch: Batch, host: str, url_id: bytes) -> bool:
        """What a rule about answers refused has come after all: it is listed no longer."""
        key = host_prefix(host) + url_id
        row = self._state.get("refused", key)
        if row is None or not decode_refused(row).was_queued:
            return False
        batch.delete("refused", key)
        return True

    def seal(self, batch: Batch) -> None:
        """Last before the write: the counts."""
        for key in self._changed:
            batch.put("rule", key, _encode(self._rules[key]))

    def settle(self) -> None:
        """The batch is written."""
        self._in_batch.clear()
        self._changed.clear()
        if len(self._rules) > RULES_IN_MEMORY:
            self._rules.clear()

    def _count(self, refused: RefusedLink) -> bool:
        """Whether the rule has a line left for it."""
        key = rule_key(refused.host, refused.reason, refused.rule)
        rule = self._rules.get(key)
        if rule is None:
            row = self._state.get("rule", key)
            rule = self._rules[key] = decode_rule(row) if row else RuleRow()
        self._changed.add(key)
        has_room = rule.listed < LINES_PER_RULE
        rule.listed += has_room
        rule.more += not has_room
        return has_room
