"""What the rows of refused URLs tell: the lines of `refused.jsonl`, and the counts for the report.

Both are made from the rows as they are at that moment, as `pages.jsonl` is: so they can be had of a crawl that runs
or was killed, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from weft.folder.page_rows import limit_over
from weft.folder.refused_rows import LINES_PER_RULE, RefusedRow, decode_refused, decode_rule
from weft.in_thread import never, until_halted
from weft.state import Family
from weft.state.keys import rule_of_key
from weft.stats.figures import LeftOut
from weft.stats.tally import MOST_NAMES, OTHERS
from weft.store import write_blocks
from weft.types import Kind, Link, Refusal
from weft.url import ID_BYTES, host_of


class Rows(Protocol):
    """Where rows are read: a `State`, or those of several folders."""

    def get(self, family: Family, key: bytes) -> bytes | None:
        """One row's value."""

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """Rows with start ≤ key < stop, in order."""


EXAMPLE_CHARS: Final = 1_000
BLOCK_LINES: Final = 1_000  # written at once

_encoder: Final = msgspec.json.Encoder()
_decode_link = msgspec.msgpack.Decoder(Link).decode


def refused_in(state: Rows, host_budget: int | None) -> Iterator[RefusedRow]:
    """All URLs that were left out, the withdrawn ones too; those of a host and reason one after the other."""
    for key, row in state.scan("refused"):
        refused = decode_refused(row)
        if refused.was_queued or state.get("seen", key[-ID_BYTES:]) is None:
            yield refused
    for _, row in state.scan("forbidden"):
        yield decode_refused(row)
    for key, row in state.scan("over"):
        if limit_over(key) is Refusal.DEPTH:
            continue  # only counted, as those that were found too deep
        yield RefusedRow(_decode_link(row), Refusal.HOST_BUDGET, f"over {host_budget or 0:,} pages", was_queued=True)


def more_in(state: Rows) -> Iterator[tuple[str, Refusal, str, int]]:
    """Links that are counted, and not listed: host, reason, rule, how many."""
    for key, row in state.scan("rule"):
        if more := decode_rule(row).more:
            host, reason, rule = rule_of_key(key)
            yield host, Refusal(reason), rule, more


def lines_of(state: Rows, host_budget: int | None) -> Iterator[bytes]:
    """The lines of `refused.jsonl`: at most LINES_PER_RULE a host and rule, and then how many more there are."""
    return map(_encoder.encode, _entries(state, host_budget, LeftOutSums()))


def _entries(state: Rows, host_budget: int | None, sums: LeftOutSums) -> Iterator[_Line | _More]:
    """What the lines say. It is summed up meanwhile: each row is read and decoded once."""
    lines: Counter[tuple[Refusal, str]] = Counter()
    host = ""
    for row in refused_in(state, host_budget):
        sums.add(row)
        link, name = row.link, (row.reason, row.rule)
        if (its_host := host_of(link.url)) != host:
            yield from _beyond(host, lines)
            host = its_host
            lines.clear()
        lines[name] = count = lines.get(name, 0) + 1
        if count <= LINES_PER_RULE:
            withdrawn = True if row.withdrawn else UNSET
            yield _Line(link.url, row.reason, row.rule, link.via, link.depth, link.kind, withdrawn)
    yield from _beyond(host, lines)
    for its_host, reason, rule, more in more_in(state):
        sums.add_more(reason, rule, more)
        yield _More(its_host, reason, rule, more)


class _Line(msgspec.Struct, gc=False):
    """In this order."""

    url: str
    reason: Refusal
    rule: str
    via: str
    depth: int
    kind: Kind
    withdrawn: bool | UnsetType


class _More(msgspec.Struct, gc=False):
    """Likewise, of those that are only counted."""

    host: str
    reason: Refusal
    rule: str
    more: int


def _beyond(host: str, lines: Counter[tuple[Refusal, str]]) -> Iterator[_More]:
    for (reason, rule), count in lines.items():
        if count > LINES_PER_RULE:
            yield _More(host, reason, rule, count - LINES_PER_RULE)


def write_refused(
    path: Path, state: Rows, host_budget: int | None, is_halted: Callable[[], bool] = never
) -> list[LeftOut]:
    """Write the list, and return what it comes to. Halted, it leaves the file as it was."""
    sums = LeftOutSums()
    entries = _entries(state, host_budget, sums)
    blocks = iter(lambda: list(islice(entries, BLOCK_LINES)), [])
    write_blocks(path, map(_encoder.encode_lines, until_halted(blocks, is_halted)))
    return sums.ordered()


def left_out_in(state: Rows, host_budget: int | None) -> list[LeftOut]:
    """What each rule left out, on all hosts, with one URL for an example; the most frequent first."""
    sums = LeftOutSums()
    for row in refused_in(state, host_budget):
        sums.add(row)
    for _, reason, rule, more in more_in(state):
        sums.add_more(reason, rule, more)
    return sums.ordered()


class LeftOutSums:
    """How much each rule left out. Bound: MOST_NAMES, since sites write robots.txt, and so choose the names."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Refusal, str], _Sum] = {}

    def add(self, row: RefusedRow) -> None:
        """A URL that was left out; one that was withdrawn does not count."""
        if not row.withdrawn:
            one = self._sums.get((row.reason, row.rule)) or self._begun(row.reason, row.rule)
            one.count += 1
            if not one.example:
                one.example = _shortened(row.link.url)

    def add_more(self, reason: Refusal, rule: str, more: int) -> None:
        """Links that are counted, and not listed."""
        self._begun(reason, rule).count += more

    def ordered(self) -> list[LeftOut]:
        """The most frequent first."""
        ordered = sorted(self._sums.items(), key=lambda pair: (-pair[1].count, pair[0]))
        return [LeftOut(reason, rule, one.count, one.example) for (reason, rule), one in ordered]

    def _begun(self, reason: Refusal, rule: str) -> _Sum:
        is_told = (reason, rule) in self._sums or len(self._sums) < MOST_NAMES
        return self._sums.setdefault((reason, rule if is_told else OTHERS), _Sum())


class _Sum(msgspec.Struct, gc=False):
    count: int = 0
    example: str = ""


def _shortened(url: str) -> str:
    """Sites choose how long a URL is, and summaries are for people: `refused.jsonl` has all of it."""
    return url if len(url) <= EXAMPLE_CHARS else f"{url[:EXAMPLE_CHARS]}…"
