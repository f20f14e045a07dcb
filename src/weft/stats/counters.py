"""The counters of a crawl. They are part of each commit, so they are exact after any stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from weft.state import State
from weft.types import Outcome, Refusal


class Span(msgspec.Struct, array_like=True):
    """How often a stage ran, and how long in all."""

    times: int = 0
    total_s: float = 0.0


class Counters(msgspec.Struct, omit_defaults=True):
    """Totals since the crawl began, over all its runs."""

    requests: int = 0  # requests that got an answer or failed, robots.txt included
    pages: int = 0  # responses with a 2xx status
    bytes: int = 0  # received, heads and chunk framing included
    unpacked_bytes: int = 0  # that files of a mirror are longer than what came; counted if it has a limit of bytes
    redirects: int = 0
    retries: int = 0
    queued: int = 0  # rows in the queue now
    seen: int = 0  # distinct URLs accepted
    relaxed: int = 0  # pages read again from the archive because a shorter way to them was found
    workers_died: int = 0
    sequence: int = 0  # the frontier's
    run_s: float = 0.0
    statuses: dict[int, int] = {}
    failed: dict[Outcome, int] = {}
    refused: dict[Refusal, int] = {}
    revisits: int = 0  # responses whose payload was archived already
    near_duplicates: int = 0
    items_failed: int = 0  # calls of the user's functions that failed
    hooks_failed: int = 0  # calls of the user's hooks that failed
    value: float = 0.0  # of the pages visited, as their order scored them when their turn came
    relevance: float = 0.0  # to the topic, of all pages together
    relevant: int = 0  # pages on the topic
    stages: dict[str, Span] = {}  # resolve, connect, wait, receive, process
    seen_answers: dict[str, int] = {}  # who answered whether a URL is known: cache, filter, disk; false_positives

    def count_response(self, status: int, received_bytes: int) -> None:
        """A response came, whatever it says."""
        self.requests += 1
        self.bytes += received_bytes
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def count_broken(self, received_bytes: int) -> None:
        """A request failed, after these bytes of its response."""
        self.requests += 1
        self.bytes += received_bytes

    def span_of(self, stage: str) -> Span:
        """What is counted of a stage of pages' ways; it is made when first asked for."""
        span = self.stages.get(stage)
        if span is None:
            span = self.stages[stage] = Span()
        return span

    def count_stage(self, stage: str, took_s: float) -> None:
        """A stage of some page's way took so long."""
        span = self.span_of(stage)
        span.times += 1
        span.total_s += took_s

    def count_failure(self, outcome: Outcome) -> None:
        """A URL could not be fetched and is given up."""
        self.failed[outcome] = self.failed.get(outcome, 0) + 1

    def count_refusal(self, refusal: Refusal, times: int = 1) -> None:
        """Links were found that must not or should not be fetched."""
        self.refused[refusal] = self.refused.get(refusal, 0) + times


_decode = msgspec.msgpack.Decoder(Counters).decode


def load_counters(state: State) -> Counters:
    """The counters as of the last commit."""
    return added_up(map(_decode, state.each("meta", b"counters")))


def added_up(counters: Iterable[Counters]) -> Counters:
    """Those of several nodes or engines. They run at the same time: the longest run counts."""
    total = Counters()
    for one in counters:
        run_s = max(total.run_s, one.run_s)
        for name in Counters.__struct_fields__:
            setattr(total, name, _plus(getattr(total, name), getattr(one, name)))
        total.run_s = run_s
    return total


def _plus(one: Any, other: Any) -> Any:
    if isinstance(one, Span):
        return Span(one.times + other.times, one.total_s + other.total_s)
    if isinstance(one, dict):
        return one | {key: _plus(one[key], value) if key in one else value for key, value in other.items()}
    return one + other
