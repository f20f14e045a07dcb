"""`crawl.log`: one line a request, as JSON, in the order in which they ended.

Beside requests it has what was asked of name servers (`dns:` URLs) and the URLs that were refused at the last moment.
Heritrix's fields are all there, by names that explain themselves; the reasons are those used everywhere in weft.
The lines of a commit follow it within a second: a killed crawl lacks at most those of its last one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from weft.clock import utc_text
from weft.errors import told_when_full
from weft.members import RESPONSE
from weft.types import Kind, Link, Outcome, PageRow, Refusal, SideRow, Visit

COMMAND = "command"  # the outcome of a line that is no request's
FLUSH_AT_BYTES = 64 * 1024
TAIL_BYTES = 64 * 1024


class LogLine(msgspec.Struct, omit_defaults=True):
    """A request. What is empty, 0 or not known is left out, but for the first five."""

    time: str  # when it ended, or was logged
    status: int | None  # HTTP status; null when no response came
    outcome: str  # response, or the reason why there is none
    bytes: int  # of the body, as received
    url: str
    hops: str = ""  # the way from the seed, a letter a step: L link, R redirect, E embedded, M sitemap
    via: str = ""  # where it was found
    mime: str = ""
    worker: int | None = None  # the worker that parsed and stored it
    started: str = ""
    duration_ms: float = 0.0
    digest: str = ""
    source: str = ""  # the seed it comes from
    annotations: list[str] = []  # revisit, truncated:…, near-duplicate, retry, attempt:N …
    depth: int = 0
    kind: Kind = Kind.LINK
    address: str = ""
    file: str = ""  # of the archive
    offset: int = 0


class CrawlLog:
    """Appends to the log of one crawl."""

    def __init__(
        self, path: Path, seeds: tuple[str, ...], on_failure: Callable[[LogLine], None] = lambda line: None
    ) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        with _locked(self._fd):
            pass
        self.seeds = seeds
        self._on_failure = on_failure  # hears of each line without a response
        self._buffer = bytearray()
        self._encoder = msgspec.json.Encoder()
        self._now, self._now_text = 0.0, utc_text(0.0)

    def page(self, row: PageRow, now: float, worker: int | None = None, file: str = "") -> None:
        """A visit has ended."""
        timing = row.timing
        self._add(
            LogLine(
                self._text_of(now),
                row.status or None,
                row.outcome,
                row.body_bytes,
                row.url,
                row.hops,
                row.via,
                row.mime,
                worker,
                utc_text(row.fetched_at),
                round((timing.connect_s + timing.wait_s + timing.receive_s) * 1000, 1),
                row.digest,
                self._source(row.seed),
                _annotations(row),
                row.depth,
                row.kind,
                row.address,
                file,
                row.offset,
            )
        )

    def tried(self, visit: Visit, outcome: Outcome, status: int, now: float, note: str) -> None:
        """A request after which the URL stays in the queue."""
        line = self._of_link(visit.link, outcome, now)
        line.status, line.annotations, line.address = status or None, [note], visit.address
        self._add(line)

    def refused(self, link: Link, refusal: Refusal, now: float) -> None:
        """A URL that is not asked for after all."""
        self._add(self._of_link(link, f"refused:{refusal}", now))

    def side(self, row: SideRow, now: float, file: str, offset: int) -> None:
        """A DNS answer or a robots.txt was archived."""
        self._add(
            LogLine(
                time=utc_text(now),
                status=row.status or None,
                outcome=Outcome.RESPONSE,
                bytes=row.body_bytes,
                url=row.url,
                mime=row.mime,
                started=utc_text(row.fetched_at),
                digest=row.digest,
                file=file,
                offset=offset,
            )
        )

    def robots_failed(self, url: str, address: str, outcome: Outcome, now: float) -> None:
        """No robots.txt came."""
        self._add(LogLine(utc_text(now), None, outcome, 0, url, address=address))

    def look_up_failed(self, host: str, outcome: Outcome, now: float) -> None:
        """The name servers gave no answer."""
        self._add(LogLine(utc_text(now), None, outcome, 0, f"dns:{host}"))

    def command(self, number: str, words: str, now: float) -> None:
        """A person told the crawl something; this is on the disk when it returns."""
        self._write(LogLine(utc_text(now), None, COMMAND, 0, "", annotations=[words, f"id:{number}"]))
        self.flush()
        self.sync()

    def has_command(self, number: str) -> bool:
        """Whether the log has a command already. It reads all of it."""
        self.flush()
        with open(f"/proc/self/fd/{self._fd}", "rb") as file:
            return any(number.encode() in line for line in file)

    def flush(self) -> None:
        """Write what has gathered."""
        if not self._buffer:
            return
        with told_when_full("crawl.log"), _locked(self._fd):
            while self._buffer:
                del self._buffer[: os.write(self._fd, self._buffer)]

    def sync(self) -> None:
        """Make what is written survive a power cut. Blocks: call it in a thread."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Write the rest and give the file up."""
        try:
            self.flush()
            self.sync()
        finally:
            os.close(self._fd)

    def _add(self, line: LogLine) -> None:
        self._write(line)
        if line.status is None and line.outcome != RESPONSE:
            self._on_failure(line)
        if len(self._buffer) >= FLUSH_AT_BYTES:
            self.flush()

    def _write(self, line: LogLine) -> None:
        self._encoder.encode_into(line, self._buffer, -1)
        self._buffer += b"\n"

    def _of_link(self, link: Link, outcome: str, now: float) -> LogLine:
        """What is known without a response."""
        return LogLine(
            self._text_of(now),
            None,
            outcome,
            0,
            link.url,
            link.hops,
            link.via,
            source=self._source(link.seed),
            depth=link.depth,
            kind=link.kind,
        )

    def _text_of(self, now: float) -> str:
        """The lines of a commit are of one time."""
        if now != self._now:
            self._now, self._now_text = now, utc_text(now)
        return self._now_text

    def _source(self, seed: int) -> str:
        return self.seeds[seed] if 0 <= seed < len(self.seeds) else ""


def _annotations(row: PageRow) -> list[str]:
    notes = []
    if row.attempts > 1:
        notes.append(f"attempt:{row.attempts}")
    if row.original is not None:
        notes.append("revisit")
    if row.near:
        notes.append("near-duplicate")
    if row.truncated:
        notes.append(f"truncated:{row.truncated}")
    if row.parts is not None and row.parts.method != "GET":
        notes.append(f"method:{row.parts.method}")
    return notes


@contextmanager
def _locked(fd: int) -> Iterator[None]:
    """Several engines append to one log, each whole lines: a line that one of them was killed in is cut off first."""
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        _cut_torn_line(fd)
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _cut_torn_line(fd: int) -> None:
    """A kill may have left the beginning of a line at the end."""
    length = os.fstat(fd).st_size
    if not length or os.pread(fd, 1, length - 1) == b"\n":
        return
    tail = os.pread(fd, TAIL_BYTES, max(0, length - TAIL_BYTES))
    os.ftruncate(fd, length - (len(tail) - (tail.rfind(b"\n") + 1)))
