"""What one robots.txt says to one crawler (RFC 9309 §2.2).

Groups. A run of user-agent lines opens a group, and only Allow and Disallow lines close the run: blank,
unknown and Sitemap lines between two user-agent lines do not (§2.2.4: other records must not interfere with
groups). All groups that name our product token are merged; groups for `*` count only if none names it. A
user-agent line is compared by its beginning up to the first character that a product token cannot have,
without regard to case; an own token with such a character in it names no group.

Crawl-delay is not in the RFC, so its runs are our choice: it belongs to the user-agent lines directly above
it, as its authors mean it. In `User-agent: a / Crawl-delay: 9 / User-agent: b / Disallow: /x` the delay is
a's alone while `/x` is forbidden to both. Said more than once to us, the longest counts: it is the one that
satisfies all of them.
"""

from __future__ import annotations

import re
from array import array
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from weft.robots.lines import Line, Name, lines_of
from weft.robots.patterns import NO_MATCH, Patterns, Rule, is_allow, normal_form, ordinal_of

YEARS = 365 * 86_400.0
ROBOTS_PATH = "/robots.txt"  # of every authority (§2.3), and always allowed
LONGEST_CRAWL_DELAY_S = 100 * YEARS  # as good as never, and times can still be reckoned with it

_TOKEN = re.compile(rb"[A-Za-z_-]+")
_SECONDS = re.compile(rb"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_ASCII = "".join(map(chr, range(128)))


class Verdict(NamedTuple):
    """Whether a path may be fetched, and the line that says so; None if no line speaks of the path."""

    allowed: bool
    line_text: str | None = None
    line_number: int = 0


class Rules:
    """The lines of a robots.txt that concern one crawler."""

    __slots__ = (
        "_allowed_unless_said",
        "_line_numbers",
        "_line_texts",
        "_patterns",
        "crawl_delay_s",
        "sitemaps",
    )

    def __init__(
        self,
        lines: list[Line],
        *,
        crawl_delay_s: float | None = None,
        sitemaps: tuple[str, ...] = (),
        allowed_unless_said: bool = True,
    ) -> None:
        self._patterns = Patterns([Rule(line.name is Name.ALLOW, _escaped(line.value)) for line in lines])
        # Kept apart and packed: a crawl holds the rules of thousands of hosts and rarely shows a line.
        self._line_numbers = array("I", [line.number for line in lines])
        self._line_texts = b"\n".join(line.text for line in lines)
        self._allowed_unless_said = allowed_unless_said
        self.crawl_delay_s = crawl_delay_s
        self.sitemaps = sitemaps

    def allows(self, path: str) -> bool:
        """Whether the request target `path`, query included, may be asked for."""
        best = self._deciding_rank(path)
        return self._allowed_unless_said or path == ROBOTS_PATH if best == NO_MATCH else is_allow(best)

    def verdict(self, path: str) -> Verdict:
        """As `allows`, with the line that decides."""
        best = self._deciding_rank(path)
        if best == NO_MATCH:
            return Verdict(self.allows(path))
        ordinal = ordinal_of(best)
        text = self._line_texts.split(b"\n")[ordinal].decode("utf-8", "replace")
        return Verdict(is_allow(best), text, self._line_numbers[ordinal])

    def _deciding_rank(self, path: str) -> int:
        if path == ROBOTS_PATH:
            return NO_MATCH  # implicitly allowed, whatever the file says
        if path[:1] != "/":
            path = "/" + path
        return self._patterns.best(normal_form(path))


ALLOW_ALL = Rules([])
FORBID_ALL = Rules([], allowed_unless_said=False)


class _Run:
    """User-agent lines in a row, and whether they mean us, or everyone."""

    __slots__ = ("closed", "everyone", "us")

    def __init__(self) -> None:
        self.us = self.everyone = self.closed = False

    def name(self, *, us: bool, everyone: bool) -> None:
        if self.closed:
            self.us = self.everyone = self.closed = False
        self.us |= us
        self.everyone |= everyone


class _Group:
    """All that the file says to one kind of crawler."""

    __slots__ = ("delay_s", "lines")

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.delay_s: float | None = None

    def delay(self, seconds: float) -> None:
        self.delay_s = seconds if self.delay_s is None else max(self.delay_s, seconds)


def parse_robots(body: bytes, product_token: str) -> Rules:
    """The rules in `body`, of its first 500 KiB, for the crawler that calls itself `product_token`."""
    own_token = product_token.lower().encode("utf-8", "replace")
    ours, everyones = _Group(), _Group()
    named = False
    rule_run, delay_run = _Run(), _Run()
    sitemaps: dict[str, None] = {}
    for line in lines_of(body):
        if line.name is Name.USER_AGENT:
            us, everyone = _token_of(line.value) == own_token, _is_everyone(line.value)
            named |= us
            rule_run.name(us=us, everyone=everyone)
            delay_run.name(us=us, everyone=everyone)
        elif line.name is Name.SITEMAP:
            sitemaps[line.value.decode("utf-8", "replace")] = None
        elif line.name is Name.CRAWL_DELAY:
            seconds = _seconds(line.value)
            if seconds is not None:
                for group in _groups_of(delay_run, ours, everyones):
                    group.delay(seconds)
            delay_run.closed = True
        else:
            for group in _groups_of(rule_run, ours, everyones):
                group.lines.append(line)
            rule_run.closed = delay_run.closed = True
    group = ours if named else everyones
    return Rules(group.lines, crawl_delay_s=group.delay_s, sitemaps=tuple(filter(None, sitemaps)))


def _groups_of(run: _Run, ours: _Group, everyones: _Group) -> list[_Group]:
    return [group for meant, group in ((run.us, ours), (run.everyone, everyones)) if meant]


def _token_of(value: bytes) -> bytes | None:
    match = _TOKEN.match(value)
    return match.group().lower() if match else None


def _is_everyone(value: bytes) -> bool:
    return value == b"*" or (value[:1] == b"*" and value[1:2].isspace())


def _seconds(value: bytes) -> float | None:
    if _SECONDS.fullmatch(value) is None:
        return None
    return min(float(value), LONGEST_CRAWL_DELAY_S)


def _escaped(value: bytes) -> str:
    return value.decode("ascii") if value.isascii() else quote_from_bytes(value, safe=_ASCII)
