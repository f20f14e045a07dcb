"""One data connection and what has come over it. No socket here: a connection feeds it, a sweep asks if it is late."""

from __future__ import annotations

import asyncio
from typing import Final

from weft.clock import Clock
from weft.errors import DiskFull, FolderError
from weft.fetch.body import Body
from weft.fetch.config import FetchConfig
from weft.media.signatures import SIGNATURE_BYTES
from weft.types import Outcome

_GRACE: Final = 3  # idle time-outs before the pace is judged


class Transfer:
    """Collects what is sent until the server closes or it cannot be whole; then `finished` is set.

    `outcome` is RESPONSE when the connection ended in an orderly way; the control connection says whether all was sent.
    """

    __slots__ = (
        "_clock",
        "_config",
        "_last_byte_s",
        "_limit_bytes",
        "_started_s",
        "body",
        "finished",
        "first_byte_s",
        "first_bytes",
        "outcome",
        "truncated",
    )

    def __init__(
        self, body: Body, config: FetchConfig, clock: Clock, finished: asyncio.Future[None], limit_bytes: int
    ) -> None:
        self.body = body
        self.finished = finished
        self.outcome = Outcome.RESPONSE
        self.truncated: str | None = None
        self.first_bytes = b""
        self.first_byte_s = 0.0  # 0 while none has come
        self._config = config
        self._clock = clock
        self._limit_bytes = limit_bytes
        self._started_s = clock.monotonic()
        self._last_byte_s = self._started_s

    def receive(self, data: bytes) -> None:
        """Take bytes from the connection."""
        if self.finished.done():
            return
        self._last_byte_s = self._clock.monotonic()
        self.first_byte_s = self.first_byte_s or self._last_byte_s
        room_bytes = self._limit_bytes - self.body.size_bytes
        piece = data[:room_bytes]
        if len(self.first_bytes) < SIGNATURE_BYTES:
            self.first_bytes = (self.first_bytes + piece)[:SIGNATURE_BYTES]
        try:
            if piece:
                self.body.append(piece)
        except (DiskFull, FolderError, OSError) as error:
            self.finished.set_exception(error)  # not the server's fault: the fetcher's caller must know
            return
        if len(data) > room_bytes:
            self._finish(Outcome.RESPONSE, "length")

    def lose(self, error: Exception | None) -> None:
        """The connection has ended, by an error or because all is sent."""
        if error is None:
            self._finish(Outcome.RESPONSE, None)
        else:
            self._finish(Outcome.RESET, "disconnect")

    def end_if_late(self, now_s: float) -> None:
        """Give up if it takes too long."""
        config = self._config
        took_s = now_s - self._started_s
        if now_s - self._last_byte_s > config.idle_timeout_s:
            self._finish(Outcome.STALLED, "time")
        elif took_s > config.total_timeout_s or self.body.size_bytes < config.slowest_bytes_per_s * (
            took_s - _GRACE * config.idle_timeout_s
        ):
            self._finish(Outcome.TOO_SLOW, "time")

    def give_up(self) -> None:
        """The fetcher closes."""
        self._finish(Outcome.CLOSED, "disconnect")

    @property
    def receive_s(self) -> float:
        """From the first byte to the last."""
        return self._last_byte_s - self.first_byte_s if self.first_byte_s else 0.0

    def _finish(self, outcome: Outcome, truncated: str | None) -> None:
        if not self.finished.done():
            self.outcome = outcome
            self.truncated = truncated
            self.finished.set_result(None)
