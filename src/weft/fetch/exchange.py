"""One request and its response so far. No socket here: a connection feeds it, a sweep asks if it is late."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence
from typing import Protocol

from weft.clock import Clock
from weft.errors import DiskFull, FolderError
from weft.fetch.body import Body
from weft.fetch.config import FetchConfig
from weft.fetch.http1 import ResponseReader
from weft.members import RESPONSE
from weft.types import STOPPED, Fetched, Outcome, Timing

# Whether an answer of this status and head, of whose body so much has come, is not wanted.
Refuses = Callable[[int, Sequence[tuple[bytes, bytes]], int], bool]

_WAITED_LONG_ENOUGH = 408
_GRACE = 3  # idle time-outs before a body's pace is judged


class Watched(Protocol):
    """What the fetcher's sweep looks after."""

    def end_if_late(self, now_s: float) -> None:
        """Give up if it takes too long."""

    def give_up(self) -> None:
        """Give up at once."""


class Exchange:
    """Collects a response until it is whole or cannot be; then `finished` is set; `outcome` says how."""

    # As it begins.
    outcome: Outcome | None = None
    detail = ""
    truncated: str | None = None
    _first_byte_s = 0.0
    _last_byte_s = 0.0
    _surplus = False

    def __init__(
        self,
        request: bytes,
        body: Body,
        config: FetchConfig,
        clock: Clock,
        finished: asyncio.Future[None],
        max_body_bytes: int,
        connect_s: float = 0.0,
        refuses: Refuses | None = None,
    ) -> None:
        self.request = request
        self._refuses = refuses
        self.finished = finished
        self._body = body
        self._reader = ResponseReader(max_head_bytes=config.max_head_bytes, max_headers=config.max_headers)
        self._config = config
        self._clock = clock
        self._max_body_bytes = max_body_bytes
        self._connect_s = connect_s
        self._started_at = clock.wall()
        self._sent_s = clock.monotonic()
        self._started_s = self._sent_s - connect_s

    @property
    def unanswered(self) -> bool:
        """Whether what came on a kept connection is most likely no answer to this request: an end, or what the server
        sent before it had read the request. That is what was too much of the answer before, or a 408 by which it ends
        an idle connection.
        """
        if not self._first_byte_s:
            return self.outcome in (Outcome.CLOSED, Outcome.RESET)
        reader = self._reader
        return reader.is_foreign or (reader.status == _WAITED_LONG_ENOUGH and not reader.keep_alive)

    @property
    def connection_reusable(self) -> bool:
        """Whether the response ended where its connection can carry the next one."""
        whole = self.outcome is RESPONSE and (self.truncated is None or self._reader.body_done)
        return whole and self._reader.keep_alive and not self._surplus

    @property
    def is_noisy(self) -> bool:
        """Whether bytes came that are no part of the response."""
        return self._surplus or self._reader.has_surplus or self._reader.is_foreign

    def receive(self, data: bytes) -> None:
        """Take bytes from the connection."""
        if self.finished.done():
            self._surplus = True
            return
        self._last_byte_s = self._clock.monotonic()
        if not self._first_byte_s:
            self._first_byte_s = self._last_byte_s
        reader = self._reader
        head_was_done = reader.head_done
        piece = reader.feed(data)
        if self._refuses is not None and reader.head_done and reader.fault is None:
            came_bytes = self._body.size_bytes + len(piece)
            if self._refuses(reader.status, reader.headers, came_bytes):
                self._finish(Outcome.RESPONSE, truncated=STOPPED)
                return
        try:
            if not head_was_done and reader.head_done and reader.expected_body_bytes:
                self._body.expect(min(reader.expected_body_bytes + len(piece), self._max_body_bytes))
            over_limit = self._keep(piece)
        except (DiskFull, FolderError, OSError) as error:
            self.finished.set_exception(error)  # not the server's fault: the fetcher's caller must know
            return
        if over_limit:
            self._finish(Outcome.RESPONSE, truncated="length")
        elif reader.fault is not None:
            self._finish(reader.fault.outcome, reader.fault.detail, truncated="unspecified")
        elif reader.body_done:
            self._finish(RESPONSE)

    def lose(self, error: Exception | None) -> None:
        """The connection has ended, by an error or by the server's will."""
        if self.finished.done():
            return
        if error is not None:
            # With TLS 1.3 a server tells what it dislikes about our handshake only now.
            refused = isinstance(error, ssl.SSLError) and not self._first_byte_s
            outcome = Outcome.TLS_FAILED if refused else Outcome.RESET
            self._finish(outcome, f"{self._progress()}: {error}", truncated="disconnect")
            return
        self._reader.feed_eof()
        if self._reader.body_done:
            self._finish(Outcome.RESPONSE)
        else:
            self._finish(Outcome.CLOSED, self._progress(), truncated="disconnect")

    def end_if_late(self, now_s: float) -> None:
        """Give up if a phase has taken too long."""
        config = self._config
        if self.finished.done():
            return
        if now_s - self._started_s > config.total_timeout_s:
            self._finish(Outcome.TOO_SLOW, self._progress(), truncated="time")
        elif not self._reader.head_done:
            if now_s - self._sent_s > config.head_timeout_s:
                self._finish(Outcome.RESPONSE_TIMEOUT, self._progress(), truncated="time")
        elif now_s - self._last_byte_s > config.idle_timeout_s:
            self._finish(Outcome.STALLED, self._progress(), truncated="time")
        elif self._body.size_bytes < config.slowest_bytes_per_s * (
            now_s - self._sent_s - _GRACE * config.idle_timeout_s
        ):
            # A byte now and then would keep the connection for an hour, and as many servers as there are
            # connections would keep the whole crawl.
            self._finish(Outcome.TOO_SLOW, self._progress(), truncated="time")

    def give_up(self) -> None:
        """The fetcher closes."""
        if not self.finished.done():
            self._finish(Outcome.CLOSED, "the fetcher was closed", truncated="disconnect")

    def discard(self) -> None:
        """Nobody wants what has come."""
        self._body.discard()

    def fetched(self, url: str, address: str, sent_cookies: int = 0) -> Fetched | None:
        """What has come, whole or not; None while not even the head has."""
        reader = self._reader
        if not reader.head_done:
            return None
        body, spool = self._body.finish()
        timing = Timing(self._connect_s, self._first_byte_s - self._sent_s, self._last_byte_s - self._first_byte_s)
        return Fetched(
            url=url,
            address=address,
            started_at=self._started_at,
            request=self.request,
            status=reader.status,
            head=reader.head,
            headers=reader.headers,
            body=body,
            spool=spool,
            body_bytes=self._body.size_bytes,
            chunked=reader.chunked,
            truncated=self.truncated,
            timing=timing,
            sent_cookies=sent_cookies,
        )

    def _keep(self, piece: bytes) -> bool:
        """Store a piece of the body; true when there is more than may be kept."""
        room_bytes = self._max_body_bytes - self._body.size_bytes
        over_limit = len(piece) > room_bytes
        if over_limit:
            piece = piece[:room_bytes]
        if piece:
            self._body.append(piece)
        return over_limit

    def _finish(self, outcome: Outcome, detail: str = "", truncated: str | None = None) -> None:
        self.outcome = outcome
        self.detail = detail
        self.truncated = truncated
        self.finished.set_result(None)

    def _progress(self) -> str:
        if not self._first_byte_s:
            return "before any byte"
        if not self._reader.head_done:
            return "within the head"
        return f"after {self._body.size_bytes} bytes of the body"
