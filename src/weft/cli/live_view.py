"""How a crawl stands, as lines of a terminal: none is longer than it is wide, whatever a server calls its pages.

`weft crawl` shows `head_lines` while it runs; `weft top` shows tables below them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from weft.cli.shown import plain_for, said, size, sparkline
from weft.live.status import Limit, State, Status
from weft.stats.verdict import counted, duration

LABEL_CHARS = 11
MOST_CURVE_CHARS = 40
LIMITER_LINES, NARROW_LIMITER_LINES = 3, 5  # always, so that nothing below moves
NARROW = 60  # columns
MOST_WARNINGS = 3
LONGEST_LINE = 10_000  # characters that are looked at

_STATES = {
    State.STARTING: "starting",
    State.RUNNING: "running for {}",
    State.PAUSED: "paused, {} after it began",
    State.STOPPING: "stopping after {}: what is under way may end",
    State.FINISHING: "writing its index files, after {}",
    State.ENDED: "ended after {}",
    State.KILLED: "killed after {}; `weft resume` goes on",
}


def head_lines(status: Status, speeds: Sequence[float], width: int, encoding: str = "utf-8") -> list[Text]:
    """The figures, what limits the crawl, and what is wrong. `speeds` are pages a second, the oldest first."""
    room = max(1, width - LABEL_CHARS)
    lines = [cut(line, width, encoding) for line in _figures(status, speeds, room)]
    lines += [cut(line, width, encoding) for line in _limiter(status, room)]
    return lines


def _figures(status: Status, speeds: Sequence[float], room: int) -> Iterator[Text]:
    hosts, rates = status.hosts, status.rates
    yield _line("crawl", _standing(status))
    pages, speed = f"{status.pages:,}", f"  {_rate(rates.pages)}/s  "
    curve = sparkline(speeds, max(0, min(MOST_CURVE_CHARS, room - len(pages) - len(speed))))
    yield _line("pages", pages, style="bold").append(speed).append(curve, style="cyan")
    yield _line("received", f"{size(status.bytes)}  {size(rates.bytes)}/s")
    if status.limit is not None:
        yield _line("limit", limit_words(status.limit))
    yield _line("queue", f"{counted(status.queued, 'URL')}, {status.seen:,} known")
    states = (
        f"{hosts.ready:,} ready, {hosts.busy:,} busy, {hosts.waiting:,} waiting, "
        f"{hosts.preparing:,} preparing, {hosts.left:,} left for later"
    )
    yield _line("hosts", states)
    workers = next((stage.workers for stage in status.stages if stage.name == "parse"), 0)
    requests = f"{counted(status.under_way, 'request')} (at most {status.slots:,})"
    yield _line("under way", f"{requests}, {counted(status.parsing, 'page')} in {counted(workers, 'parse worker')}")
    yield _line("newest", status.newest[0].url if status.newest else "")
    for warning in status.warnings[:MOST_WARNINGS]:
        yield _line("warning", warning, style="bold yellow")


def _limiter(status: Status, room: int) -> Iterator[Text]:
    limiter = status.limiter
    words = f"{limiter.name}: {limiter.words}" + (f"; {limiter.advice}" if limiter.advice else "")
    most = LIMITER_LINES if room + LABEL_CHARS >= NARROW else NARROW_LIMITER_LINES
    lines = textwrap.wrap(said(words, LONGEST_LINE), room, max_lines=most, placeholder=" …") or [""]
    lines += [""] * (most - len(lines))
    yield _line("limited by", lines[0], style="bold")
    for line in lines[1:]:
        yield _line("", line, style="bold")


def limit_words(limit: Limit) -> str:
    """How near the limit is, and how long until then."""
    show = {"pages": lambda count: counted(int(count), "page"), "bytes": size, "time": duration}.get(limit.name, str)
    left = "" if limit.left_s is None else f", about {duration(limit.left_s)} left"
    return f"{limit.percent:.1f} % of {show(limit.of)}{left}"


def _standing(status: Status) -> str:
    words = _STATES[status.state].format(duration(status.seconds))
    if status.state is State.ENDED:
        words += f": {status.exit}"
    runs = f" ({duration(status.run_s)} in all)" if status.run_s > 1.05 * status.seconds + 1 else ""
    return words + runs


def _rate(per_s: float) -> str:
    return f"{per_s:,.0f}" if per_s >= 10 else f"{per_s:.1f}"


def _line(label: str, words: str, style: str = "") -> Text:
    return Text(f"{label:<{LABEL_CHARS}}", style="", end="").append(said(words, LONGEST_LINE), style=style or None)


def cut(line: Text, width: int, encoding: str) -> Text:
    """A line that takes at most this many cells, in characters that the terminal can show."""
    line.truncate(width, overflow="ellipsis")
    line.plain = plain_for(line.plain, encoding)
    line.no_wrap, line.overflow, line.end = True, "crop", "\n"
    return line
