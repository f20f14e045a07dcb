"""What robots.txt says, read again from the row that the crawl keeps of it."""

from __future__ import annotations

from itertools import islice
from typing import Final, NamedTuple

import msgspec

from weft.config import CrawlConfig
from weft.explain.moments import moment, said
from weft.explain.result import RobotsFile, RobotsLine
from weft.folder.refused_list import Rows
from weft.robots import ROBOTS_PATH, Access, RobotsRow, Rules, rules_of
from weft.robots.by_host import RobotsByHost
from weft.state.keys import authority_key
from weft.stats.verdict import counted
from weft.types import Outcome
from weft.url import BUCKET_BYTES, host_of, origin_of

LINES_SHOWN: Final = 50
AUTHORITIES_SHOWN: Final = 20
_LOOKED_AT: Final = 1_000  # rows; a host may have named 65,535 ports

_decode_row = msgspec.msgpack.Decoder(RobotsRow).decode


class Robots(NamedTuple):
    """The robots.txt of an authority, as it holds for this crawl now."""

    authority: str
    row: RobotsRow
    rules: Rules
    access: Access

    @property
    def file(self) -> str:
        """Its URL."""
        return self.authority + ROBOTS_PATH

    def line_on(self, url: str) -> RobotsLine | None:
        """The line that forbids a URL; None if none does."""
        verdict = self.rules.verdict(url[len(self.authority) :])
        if verdict.allowed or verdict.line_text is None:
            return None
        return RobotsLine(self.file, verdict.line_number, verdict.line_text)


def is_asked(url: str, config: CrawlConfig) -> bool:
    """Whether robots.txt has a say about a URL."""
    return RobotsByHost(config).has_say(url)


def robots_of(rows: Rows, authority: str, config: CrawlConfig, now: float) -> Robots | None:
    """What is known of an authority's robots.txt; None: it has not been asked for."""
    stored = rows.get("robots", authority_key(authority))
    return _read(authority, stored, config, now) if stored is not None else None


def robots_of_host(rows: Rows, host: str, config: CrawlConfig, now: float) -> list[Robots]:
    """Those of a host's authorities, the first ones."""
    name = f"[{host}]" if ":" in host else host
    found: list[Robots] = []
    for scheme in ("http", "https"):
        start = authority_key(f"{scheme}://{name}")
        for key, stored in islice(rows.scan("robots", start, start + b";"), _LOOKED_AT):  # after a colon and a port
            authority = key[BUCKET_BYTES:].decode()
            if host_of(f"{authority}/") == host and len(found) < AUTHORITIES_SHOWN:
                found.append(_read(authority, stored, config, now))
    return found


def forbidding(robots: Robots | None, url: str, known_text: str) -> RobotsLine:
    """The line that forbade a URL; its number is 0 if the copy at hand says otherwise."""
    line = robots.line_on(url) if robots is not None else None
    if line is not None and (not known_text or line.text == known_text):
        return line
    return RobotsLine(origin_of(url) + ROBOTS_PATH, 0, known_text)


def sentence(line: RobotsLine) -> str:
    """Which line says no."""
    if line.number:
        return f"line {line.number} of {line.file} says '{line.text}'"
    if line.text:
        return f"{line.file} said '{line.text}'; the copy that is at hand now has no such line for it"
    return f"{line.file} forbade it; the copy that is at hand now does not"


def described(robots: Robots) -> RobotsFile:
    """All of it, for a person who looks at a host."""
    lines = [RobotsLine(robots.file, number, text) for number, text in robots.rules.lines()]
    return RobotsFile(
        file=robots.file,
        words=_words(robots, len(lines)),
        status=robots.row.status,
        asked_at=moment(robots.row.asked_at),
        holds_until=moment(robots.row.expires_at),
        lines=lines[:LINES_SHOWN],
        line_count=len(lines),
        crawl_delay_s=robots.rules.crawl_delay_s,
    )


def unreachable(robots: Robots) -> str:
    """Why nothing of an authority may be fetched for now."""
    row = robots.row
    why = f"its server answered with status {row.status}" if row.outcome is Outcome.RESPONSE else row.outcome
    return f"{robots.file} cannot be read ({why}), and until it can nothing is fetched that it might forbid"


def _read(authority: str, stored: bytes, config: CrawlConfig, now: float) -> Robots:
    row = _decode_row(stored)
    return Robots(authority, row, rules_of(row, _name_for(authority, config), now), row.access_at(now))


def _name_for(authority: str, config: CrawlConfig) -> str:
    return RobotsByHost(config).name_for(host_of(f"{authority}/"))


def _words(robots: Robots, lines: int) -> str:
    row = robots.row
    until = f"it is asked for again after {said(row.expires_at)}"
    match robots.access:
        case Access.UNREACHABLE:
            return f"{unreachable(robots)}; {until}"
        case Access.ALLOW_ALL:
            return f"there is none (status {row.status}), so everything is allowed; {until}"
        case _:
            delay_s = robots.rules.crawl_delay_s
            asks = f" and asks for {delay_s:g} s between requests" if delay_s else ""
            which = f"has {counted(lines, 'line')} for this crawl{asks}" if lines or asks else "forbids it nothing"
            return f"it came at {said(row.fetched_at)} and {which}; {until}"
