"""What crawl.log tells of a URL: the tries that failed leave no other trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from weft.explain.result import Try
from weft.folder.crawl_log import LogLine
from weft.types import Outcome

MOST_BYTES: Final = 32 << 20  # of its end
TRIES_SHOWN: Final = 10

_decode = msgspec.json.Decoder(LogLine).decode


def tries_of(logs: Sequence[Path], url: str, most_bytes: int = MOST_BYTES) -> list[Try]:
    """The last requests for a URL, the oldest first, as far as they are in the ends of these logs."""
    tries = [one for log in logs for one in _tries_in(_end_of(log, most_bytes), url)]
    return sorted(tries, key=lambda one: one.at)[-TRIES_SHOWN:]


def _tries_in(tail: bytes, url: str) -> list[Try]:
    field = b'"url":' + msgspec.json.encode(url)
    tries: list[Try] = []
    at = len(tail)
    while len(tries) < TRIES_SHOWN and (at := tail.rfind(field, 0, at)) >= 0:
        start, stop = tail.rfind(b"\n", 0, at) + 1, tail.find(b"\n", at)
        try:
            line = _decode(tail[start : stop if stop >= 0 else None])
        except (msgspec.MsgspecError, UnicodeDecodeError):  # the first line of the tail, or one that is being written
            continue
        if line.url == url:
            tries.append(Try(line.time, _words(line)))
    return tries


def _words(line: LogLine) -> str:
    ended = f"status {line.status}" if line.outcome == Outcome.RESPONSE else line.outcome
    return ", ".join((ended, *line.annotations))


def _end_of(log: Path, most_bytes: int) -> bytes:
    try:
        with log.open("rb") as file:
            file.seek(-min(most_bytes, os.fstat(file.fileno()).st_size), os.SEEK_END)
            return file.read(most_bytes)
    except OSError:
        return b""
