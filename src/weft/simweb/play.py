"""The doing of each behaviour: the place to add one. `PLAYERS` has a row for every type of `Behaviour`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft.simweb.behaviour import After, Behaviour, Broken, Delayed, Drip, Endless, Fixed, Framing, Raw, Stream, Trap
from weft.simweb.faults import commit_fault
from weft.simweb.traps import trap_page

if TYPE_CHECKING:
    from weft.simweb.connection import Connection

_CHUNK_BYTES = 65_536
_BYTES_A_TURN = 1_048_576  # then other connections have their turn
_SLOW_STEP_S = 0.05


def play(connection: Connection, behaviour: Behaviour) -> None:
    """Start to answer. The behaviour ends by finishing, closing or resetting the connection."""
    PLAYERS[type(behaviour)](connection, behaviour)


def _play_fixed(connection: Connection, fixed: Fixed) -> None:
    connection.note(status=fixed.status)
    head_only = connection.ask is not None and connection.ask.head_only
    connection.send(fixed.head() if head_only else fixed.head() + fixed.framed_body())
    connection.finish(keep_alive=fixed.keeps_connection)


def _play_delayed(connection: Connection, delayed: Delayed) -> None:
    connection.later(delayed.delay_s, play, connection, delayed.then)


def _play_raw(connection: Connection, raw: Raw) -> None:
    connection.send(raw.data)
    connection.note(status=_claimed_status(raw.data))
    match raw.after:
        case After.KEEP:
            connection.finish(keep_alive=True)
        case After.CLOSE:
            connection.close()
        case After.RESET:
            connection.later(_SLOW_STEP_S, connection.reset)


def _claimed_status(data: bytes) -> int:
    """What raw bytes claim, if they claim a status."""
    claim = data[9:12]
    return int(claim) if data.startswith(b"HTTP/") and claim.isdigit() else 0


def _play_drip(connection: Connection, drip: Drip, sent_bytes: int = 0) -> None:
    if sent_bytes == len(drip.data):
        connection.close()
        return
    connection.send(drip.data[sent_bytes : sent_bytes + 1])
    connection.note(status=_claimed_status(drip.data[: sent_bytes + 1]))
    connection.later(drip.interval_s, _play_drip, connection, drip, sent_bytes + 1)


def _play_endless(connection: Connection, endless: Endless) -> None:
    connection.send(endless.prefix)
    connection.note(status=_claimed_status(endless.prefix + endless.unit))
    _repeat(connection, endless, endless.unit if endless.interval_s else endless.unit * _repetitions(endless))


def _repetitions(endless: Endless) -> int:
    """As many units as make a piece worth sending."""
    return 1 + _CHUNK_BYTES // len(endless.unit)


def _repeat(connection: Connection, endless: Endless, piece: bytes) -> None:
    """Send a piece; the next when the client has taken it, and others have had their turn."""
    connection.wants_more = None
    connection.send(piece)
    if connection.paused:
        connection.wants_more = lambda: _repeat(connection, endless, piece)
    else:
        connection.later(endless.interval_s, _repeat, connection, endless, piece)


def _play_trap(connection: Connection, trap: Trap) -> None:
    _play_fixed(connection, Fixed(trap_page(trap.kind, connection.ask.path if connection.ask else "/")))


def _play_broken(connection: Connection, broken: Broken) -> None:
    if broken.attempts is None or connection.attempt(broken.counted_by) <= broken.attempts:
        commit_fault(connection, broken)
    else:
        _play_fixed(connection, broken.then)


def _play_stream(connection: Connection, stream: Stream) -> None:
    connection.note(status=200)
    connection.send(stream.head())
    if connection.ask is not None and connection.ask.head_only:
        connection.finish(keep_alive=stream.framing is not Framing.CLOSE)
    else:
        _Pump(connection, stream).turn()


class _Pump:
    """Sends a stream's body piece by piece, no faster than the client takes it: its memory is one piece."""

    def __init__(self, connection: Connection, stream: Stream) -> None:
        self._connection = connection
        self._stream = stream
        self._sent_bytes = 0
        slow_piece = int((stream.bytes_per_s or 0) * _SLOW_STEP_S)
        self._piece_bytes = max(1, min(slow_piece, _CHUNK_BYTES)) if stream.bytes_per_s else _CHUNK_BYTES

    def turn(self) -> None:
        """Send until the client is full, the turn is over, or the body is."""
        self._connection.wants_more = None
        until = self._sent_bytes + (1 if self._stream.bytes_per_s else _BYTES_A_TURN)
        while self._sent_bytes < until:
            piece = self._next_piece()
            if not piece:
                self._end()
                return
            self._connection.send(b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece)
            if self._connection.paused:
                self._connection.wants_more = self.turn
                return
        self._connection.later(_SLOW_STEP_S if self._stream.bytes_per_s else 0, self.turn)

    @property
    def _chunked(self) -> bool:
        return self._stream.framing is Framing.CHUNKED

    def _next_piece(self) -> bytes:
        """The next bytes of prefix and text; none at the end."""
        length = self._piece_bytes
        if self._stream.body_bytes is not None:
            length = min(length, self._stream.body_bytes - self._sent_bytes)
        rest_of_prefix = self._stream.prefix[self._sent_bytes : self._sent_bytes + length]
        piece = rest_of_prefix or self._connection.web.text.cut(self._sent_bytes, length)
        self._sent_bytes += len(piece)
        return piece

    def _end(self) -> None:
        if self._chunked:
            self._connection.send(b"0\r\n\r\n")
        self._connection.finish(keep_alive=self._stream.framing is not Framing.CLOSE)


# A player is only ever given the type that it stands beside.
PLAYERS: dict[type, Callable[[Connection, Any], None]] = {
    Fixed: _play_fixed,
    Stream: _play_stream,
    Raw: _play_raw,
    Drip: _play_drip,
    Endless: _play_endless,
    Trap: _play_trap,
    Broken: _play_broken,
    Delayed: _play_delayed,
}
