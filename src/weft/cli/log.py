"""The log on standard error, for crawls that nobody watches: lines of text, or JSON, of all that is below `weft`.

Whatever URLs, hosts and servers say, a record is one line of printable characters and at most PIPE_BUF bytes, and a
reader that does not read delays nobody: what cannot be written at once is left out, and the next line says how much
was.
"""

from __future__ import annotations

import io
import json
import logging
import os
import select
import sys
import time
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from weft.clock import utc_text

EVERY_S = 10.0
LEVEL = "info"
ROOT = "weft"
HEARD = (ROOT, "asyncio", "py.warnings")
STDERR = "weft.stderr"  # what else is printed there
MOST_BYTES = select.PIPE_BUF  # a pipe that has any room has this much
MOST_IN_A_PERIOD = 20  # lines of one logger: a million hosts may be dead
PERIOD_S = 10.0
_UNBOUNDED = frozenset((STDERR, "weft.crawl"))
_PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))  # of syslog; else 7


class Form(StrEnum):
    """How a line is written."""

    TEXT = "text"
    JSON = "json"


def start_log(settings: Mapping[str, Any]) -> None:
    """Have weft's log written to standard error from now on, if the settings that were given ask for it.

    Where they say nothing, there is one if there is no terminal.
    """
    quiet = settings.get("quiet", False)
    form, stream = settings.get("log"), sys.stderr
    if form is None and (quiet or stream.isatty()):
        return
    every_s = 0.0 if quiet else settings.get("log-every", EVERY_S) or 0.0
    handler = LineHandler(stream.fileno(), Form(form or Form.TEXT), every_s)
    for name in HEARD:
        one = logging.getLogger(name)
        one.addHandler(handler)
        one.propagate = False
    logging.captureWarnings(True)
    logging.getLogger(ROOT).setLevel("ERROR" if quiet else settings.get("log-level", LEVEL).upper())
    if form == Form.JSON:
        sys.stderr = LinesAsRecords(stream.fileno())


def the_log() -> LineHandler | None:
    """The log, if there is one."""
    handlers = logging.getLogger(ROOT).handlers
    return next((handler for handler in handlers if isinstance(handler, LineHandler)), None)


def say(sentence: str, subject: str = "crawl", level: int = logging.WARNING) -> None:
    """Tell the person something: by the log if there is one, else as a line on standard error."""
    if the_log() is not None:
        logging.getLogger(f"{ROOT}.{subject}").log(level, "%s", sentence)
    else:
        print(f"weft: {sentence}", file=sys.stderr)


class LineHandler(logging.Handler):
    """Writes to a descriptor, without ever waiting for whoever reads it."""

    def __init__(self, descriptor: int, form: Form, every_s: float = 0.0) -> None:
        super().__init__()
        self.every_s = every_s  # between two lines about how it goes; 0: none
        self._descriptor = descriptor
        self._line = _json_line if form is Form.JSON else _text_line
        self._for_journal = _is_journal(descriptor)
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._period_ends = 0.0
        self._counts: Counter[str] = Counter()  # of this period, by logger; bound: weft's loggers
        self._left_out = 0
        self._unwritten = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, and before it how many are missing."""
        try:
            if self._is_one_too_many(record):
                return
            if self._left_out or self._unwritten:
                self._confess(record)
            self._unwritten += not self._write(record)
        except Exception:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """An error of logging is no reason to end a crawl, and there is nobody to tell."""

    def _is_one_too_many(self, record: logging.LogRecord) -> bool:
        if record.name in _UNBOUNDED or record.levelno >= logging.ERROR:
            return False
        if (now := time.monotonic()) >= self._period_ends:
            self._period_ends = now + PERIOD_S
            self._counts.clear()
        self._counts[record.name] += 1
        is_one = self._counts[record.name] > MOST_IN_A_PERIOD
        self._left_out += is_one
        return is_one

    def _confess(self, record: logging.LogRecord) -> None:
        words = []
        if self._left_out:
            words.append(f"{self._left_out:,} lines were left out: more than {MOST_IN_A_PERIOD} alike in a short time")
        if self._unwritten:
            words.append(f"{self._unwritten:,} lines were lost: nobody read them in time")
        figures = {"lines_left_out": self._left_out, "lines_lost": self._unwritten}
        told = logging.LogRecord("weft.log", logging.WARNING, "", 0, "; ".join(words), None, None)
        told.created, told.figures = record.created, figures
        if self._write(told):
            self._left_out = self._unwritten = 0

    def _write(self, record: logging.LogRecord) -> bool:
        """Whether it could be written at once."""
        prefix = f"<{_priority(record.levelno)}>" if self._for_journal else ""
        line = f"{prefix}{self._line(record)}".encode()
        ready = self._poll.poll(0)
        if not ready or not ready[0][1] & select.POLLOUT or ready[0][1] & (select.POLLERR | select.POLLNVAL):
            return False
        try:
            return os.write(self._descriptor, line + b"\n") == len(line) + 1
        except OSError:  # closed, or the disk is full
            return False


class LinesAsRecords(io.TextIOBase):
    """Standard error of a log in JSON: whatever else is printed becomes records, too."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._begun = ""  # a line; bound: MOST_BYTES characters

    def write(self, text: str) -> int:
        """Lines that are whole are logged."""
        *lines, begun = (self._begun + text).split("\n")
        self._begun = begun[:MOST_BYTES]
        for line in lines:
            if line.strip():
                logging.getLogger(STDERR).warning("%s", line.removeprefix("weft: "))
        return len(text)

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True


def printable(text: str) -> str:
    """A text as one line that does nothing to a terminal: all else is written as Python writes it, `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _text_line(record: logging.LogRecord) -> str:
    head = f"{utc_text(record.created)} {record.levelname} {printable(record.name)}: "
    return head + _cut(printable(_message(record)), MOST_BYTES - len(head) - 8)


def _json_line(record: logging.LogRecord) -> str:
    fields: dict[str, Any] = {
        "time": utc_text(record.created),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _message(record),
    }
    fields |= {name: value for name, value in getattr(record, "figures", {}).items() if name not in fields}
    line = json.dumps(fields)
    if len(line) > MOST_BYTES - 8:  # each of its characters becomes six bytes at most
        fields["message"] = fields["message"][: MOST_BYTES // 16] + "…"
        line = json.dumps({name: fields[name] for name in ("time", "level", "logger", "message")})
    return line


def _message(record: logging.LogRecord) -> str:
    message = record.getMessage()
    if record.exc_info and record.exc_info[1] is not None:
        message += f" ({record.exc_info[1]!r})"
    return message


def _cut(text: str, most_bytes: int) -> str:
    encoded = text.encode()
    if len(encoded) <= most_bytes:
        return text
    return encoded[: most_bytes - 3].decode(errors="ignore") + "…"


def _priority(level: int) -> int:
    return next((priority for least, priority in _PRIORITIES if level >= least), 7)


def _is_journal(descriptor: int) -> bool:
    """Whether systemd's journal reads it, which takes a line's priority from its first characters."""
    status = os.fstat(descriptor)
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
