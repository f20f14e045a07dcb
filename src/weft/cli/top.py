"""`weft top`: look on at a crawl from another terminal, or at how it ended."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from weft.cli.exits import Exit
from weft.cli.live_tables import Section, fitted, section_lines, sections_of
from weft.cli.live_view import cut, head_lines
from weft.cli.shown import PLAIN_WIDTH
from weft.errors import FolderError
from weft.folder.layout import is_worked_on
from weft.live.reader import checked_folder, read_history, read_status
from weft.live.status import Status

REFRESH_S = 1.0
KEYS = 64  # read at once
MANY_LINES = 10_000  # of what is not shown on a terminal


def top(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="The folder of a crawl; of several, a line each is shown.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Print it once, and end.")] = False,
) -> None:
    """Watch a crawl: how much, how fast, and what limits it.

    The crawl may be running in another terminal, finished or killed. q or Ctrl-C ends the view; the crawl goes on.
    Where standard output is no terminal it is printed once.
    """
    console = Console(highlight=False)
    crawls = [(str(folder), checked_folder(folder)) for folder in folders]
    for name, folder in crawls:
        if read_status(folder) is None and not is_worked_on(folder):
            raise FolderError(f"{name} has no status by this version of weft; `weft report {name}` may know more")
    if once or not console.is_terminal or console.is_dumb_terminal:
        _print_once(crawls, console)
    else:
        _keep_showing(crawls, console)


def _print_once(crawls: Sequence[tuple[str, Path]], console: Console) -> None:
    width = console.width if console.is_terminal else PLAIN_WIDTH
    for line in screen_lines(crawls, width, MANY_LINES, console.encoding):
        line.rstrip()
        if line:
            console.print(line, soft_wrap=True)


def _keep_showing(crawls: Sequence[tuple[str, Path]], console: Console) -> None:
    try:
        with _keys(), Live(console=console, screen=True, auto_refresh=False, vertical_overflow="crop") as live:
            while True:
                width, height = console.size
                lines = screen_lines(crawls, width, height, console.encoding)
                live.update(Group(*lines[:height]), refresh=True)
                if _is_told_to_end(REFRESH_S):
                    return
    except KeyboardInterrupt:
        return


def screen_lines(crawls: Sequence[tuple[str, Path]], width: int, height: int, encoding: str) -> list[Text]:
    """What is to be shown now, in at most this many lines."""
    if len(crawls) > 1:
        rows = [_overview(name, read_status(folder)) for name, folder in crawls]
        heads = ("state", "pages", "a second", "queued", "limited by")
        return [
            line
            for section in fitted([Section("crawl", heads, rows)], height)
            for line in section_lines(section, width, encoding)
        ]
    ((name, folder),) = crawls
    if (status := read_status(folder)) is None:
        return [cut(Text(f"{name} tells nothing yet"), width, encoding)]
    lines = head_lines(status, [moment.pages_per_s for moment in read_history(folder)], width, encoding)
    for section in fitted(sections_of(status), height - len(lines)):
        lines += section_lines(section, width, encoding)
    return lines[:height]


def _overview(name: str, status: Status | None) -> tuple[str, ...]:
    if status is None:
        return (name, "unknown", "", "", "", "")
    limiter = f"{status.limiter.name}: {status.limiter.words}"
    return (name, status.state, f"{status.pages:,}", f"{status.rates.pages:,.1f}", f"{status.queued:,}", limiter)


@contextmanager
def _keys() -> Iterator[None]:
    """Keys come one by one and are not echoed; the terminal is as before afterwards, by whatever it ends."""
    signals = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, _end) for number in signals]
    settings = termios.tcgetattr(sys.stdin) if sys.stdin.isatty() else None
    try:
        if settings is not None:
            tty.setcbreak(sys.stdin)
        yield
    finally:
        if settings is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(Exit.HUNG_UP if number == signal.SIGHUP else Exit.TERMINATED)


def _is_told_to_end(within_s: float) -> bool:
    """Wait for a key, at most this long; whether it was q."""
    if not sys.stdin.isatty():
        time.sleep(within_s)
        return False
    ready, _, _ = select.select([sys.stdin], [], [], within_s)
    if not ready:
        return False
    keys = os.read(sys.stdin.fileno(), KEYS)
    return not keys or b"q" in keys.lower()  # nothing: the terminal is gone
