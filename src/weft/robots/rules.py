"""What one robots.txt says to one crawler (RFC 9309 §2.2).

Groups. A run of user-agent lines opens a group, and only Allow and Disallow lines close the run: blank,
unknown and Sitemap lines between two user-agent lines do not (§2.2.4: other records must not interfere with
groups). All groups that name our product token are merged; groups for `*` count only if none names it. Case does
not matter.

Names with digits. By the RFC a name ends at the first character that a token cannot have, so to some readers
`bot5` is `bot`. Others read it whole. A path is allowed only if both readings allow it:

| we are | the line says | read whole | read with one of the two cut short |
|--------|---------------|------------|------------------------------------|
| bot5   | bot5, bot5/2  | ours       | ours                               |
| bot5   | bot           | another's  | ours                               |
| bot    | bot5          | another's  | ours                               |
| bot5   | bot1          | another's  | another's                          |

Crawl-delay is not in the RFC, so its runs are our choice: it belongs to the user-agent lines directly above
it, as its authors mean it. In `User-agent: a / Crawl-delay: 9 / User-agent: b / Disallow: /x` the delay is
a's alone while `/x` is forbidden to both. Said more than once to us, the longest counts: it is the one that
satisfies all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress
from operator import or_
from struct import Struct
from typing import NamedTuple
from urllib.parse import quote_from_bytes

import msgspec

from weft.product_token import cut, is_name
from weft.regex import regex
from weft.robots.lines import Line, Name, lines_of
from weft.robots.patterns import NO_MATCH, Patterns, Rule, arranged, is_allow, ordinal_of

YEARS = 365 * 86_400.0
ROBOTS_PATH = "/robots.txt"  # of every authority (§2.3), and always allowed
LONGEST_CRAWL_DELAY_S = 100 * YEARS  # as good as never, and times can still be reckoned with it

# What rules take in memory, besides their octets; as measured, short lines with a query or a wildcard take up to twice
# as much, and most others less.
_RULES_BYTES = 700
_LINE_BYTES = 150

_LINE_NUMBER = Struct("<I")

_NAME = re.compile(rb"[A-Za-z0-9_.-]+")
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_SECONDS = regex(rb"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_ASCII = "".join(map(chr, range(128)))


class Verdict(NamedTuple):
    """Whether a path may be fetched, and the line that says so; None if no line speaks of the path."""

    allowed: bool
    line_text: str | None = None
    line_number: int = 0


class Rules(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The lines of a robots.txt that concern one crawler."""

    patterns: Patterns
    # Kept apart and packed: a crawl holds the rules of thousands of hosts and rarely shows a line.
    line_numbers: bytes
    line_texts: bytes
    crawl_delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    allowed_unless_said: bool = True
    also: Rules | None = None  # another reading of the same file, which must allow the path as well

    @property
    def size_bytes(self) -> int:
        """About how much memory they take. Their file may have more for others than for us, or for us alone."""
        lines = len(self.line_numbers) // _LINE_NUMBER.size + len(self.sitemaps)
        texts = len(self.line_texts) + 2 * sum(map(len, self.sitemaps))
        own = _RULES_BYTES + _LINE_BYTES * lines + texts + self.patterns.size_bytes
        return own + (self.also.size_bytes if self.also is not None else 0)

    def allows(self, path: str) -> bool:
        """Whether the request target `path`, query included, may be asked for."""
        return self.forbidding_line(path) is None

    def forbidding_line(self, path: str) -> str | None:
        """The line that forbids a path; empty if it is forbidden without one, None if it is allowed."""
        # Asked of every link that is new, and again before its request.
        if self.also is not None and (line := self.also.forbidding_line(path)) is not None:
            return line
        best = self.patterns.best(path if path[:1] == "/" else "/" + path)
        if best == NO_MATCH or path == ROBOTS_PATH:  # which is allowed, whatever the file says
            return None if self.allowed_unless_said or path == ROBOTS_PATH else ""
        return None if is_allow(best) else self._line_text(best)

    def verdict(self, path: str) -> Verdict:
        """As `allows`, with the line that decides."""
        if self.also is not None and not (verdict := self.also.verdict(path)).allowed:
            return verdict
        best = self.patterns.best(path if path[:1] == "/" else "/" + path)
        if best == NO_MATCH or path == ROBOTS_PATH:
            return Verdict(self.allows(path))
        return Verdict(is_allow(best), self._line_text(best), self._line_number(best))

    def lines(self) -> list[tuple[int, str]]:
        """Number and text of each Allow and Disallow line that is meant, by any reading of the file."""
        texts = self.line_texts.decode("utf-8", "replace").split("\n") if self.line_numbers else []
        numbers = (number for (number,) in _LINE_NUMBER.iter_unpack(self.line_numbers))
        own = dict(zip(numbers, texts, strict=True))
        return sorted((own | dict(self.also.lines() if self.also is not None else ())).items())

    def _line_number(self, rank: int) -> int:
        (number,) = _LINE_NUMBER.unpack_from(self.line_numbers, ordinal_of(rank) * _LINE_NUMBER.size)
        return int(number)

    def _line_text(self, rank: int) -> str:
        return self.line_texts.split(b"\n")[ordinal_of(rank)].decode("utf-8", "replace")


def _rules(
    lines: Sequence[Line],
    *,
    crawl_delay_s: float | None = None,
    sitemaps: tuple[str, ...] = (),
    allowed_unless_said: bool = True,
    also: Rules | None = None,
) -> Rules:
    return Rules(
        arranged([Rule(line.name is Name.ALLOW, _escaped(line.value)) for line in lines]),
        b"".join(_LINE_NUMBER.pack(line.number) for line in lines),
        b"\n".join(line.text for line in lines),
        crawl_delay_s,
        sitemaps,
        allowed_unless_said,
        also,
    )


ALLOW_ALL = _rules([])
FORBID_ALL = _rules([], allowed_unless_said=False)


class _Meant(NamedTuple):
    """Whom a user-agent line addresses."""

    us: bool = False
    perhaps_us: bool = False  # with one of the two names cut short
    everyone: bool = False


class _Run:
    """User-agent lines in a row, and whom they address together."""

    __slots__ = ("closed", "meant")

    def __init__(self) -> None:
        self.meant = _Meant()
        self.closed = False

    def name(self, meant: _Meant) -> None:
        if self.closed:
            self.meant, self.closed = meant, False
        else:
            self.meant = _Meant(*map(or_, self.meant, meant))


class _Group:
    """All that the file says to one kind of crawler."""

    __slots__ = ("delay_s", "is_named", "lines")

    def __init__(self) -> None:
        self.is_named = False
        self.lines: list[Line] = []
        self.delay_s: float | None = None

    def delay(self, seconds: float) -> None:
        self.delay_s = seconds if self.delay_s is None else max(self.delay_s, seconds)


def parse_robots(body: bytes, product_token: str) -> Rules:
    """The rules in `body`, of its first 500 KiB, for the crawler that calls itself `product_token`."""
    own = _OwnName(product_token)
    groups = ours, perhaps_ours, everyones = _Group(), _Group(), _Group()
    rule_run, delay_run = _Run(), _Run()
    sitemaps: dict[str, None] = {}
    for line in lines_of(body):
        if line.name is Name.USER_AGENT:
            meant = own.meant_by(line.value)
            rule_run.name(meant)
            delay_run.name(meant)
            for group in compress(groups, meant):
                group.is_named = True
        elif line.name is Name.SITEMAP:
            sitemaps[line.value.decode("utf-8", "replace")] = None
        elif line.name is Name.CRAWL_DELAY:
            seconds = _seconds(line.value)
            if seconds is not None:
                for group in compress(groups, delay_run.meant):
                    group.delay(seconds)
            delay_run.closed = True
        else:
            for group in compress(groups, rule_run.meant):
                group.lines.append(line)
            rule_run.closed = delay_run.closed = True
    whole = ours if ours.is_named else everyones
    short = perhaps_ours if perhaps_ours.is_named else everyones
    return _rules(
        whole.lines,
        crawl_delay_s=max((s for s in (whole.delay_s, short.delay_s) if s is not None), default=None),
        sitemaps=tuple(filter(None, sitemaps)),
        also=None if short.lines == whole.lines else _rules(short.lines),
    )


class _OwnName:
    """Our name, as user-agent lines are compared with it."""

    def __init__(self, product_token: str) -> None:
        name = product_token.lower() if is_name(product_token) else ""  # what is no name addresses nobody
        self._name = name.encode()
        self._cut = cut(name).encode()

    def meant_by(self, value: bytes) -> _Meant:
        name, token = _beginning(_NAME, value), _beginning(_TOKEN, value)
        us = bool(name) and name == self._name
        perhaps_us = us or (bool(token) and (token == self._name or name == self._cut))
        return _Meant(us, perhaps_us, _is_everyone(value))


def _beginning(pattern: re.Pattern[bytes], value: bytes) -> bytes:
    match = pattern.match(value)
    return match.group().lower() if match else b""


def _is_everyone(value: bytes) -> bool:
    return value == b"*" or (value[:1] == b"*" and value[1:2].isspace())


def _seconds(value: bytes) -> float | None:
    if _SECONDS.fullmatch(value) is None:
        return None
    return min(float(value), LONGEST_CRAWL_DELAY_S)


def _escaped(value: bytes) -> str:
    return value.decode("ascii") if value.isascii() else quote_from_bytes(value, safe=_ASCII)
