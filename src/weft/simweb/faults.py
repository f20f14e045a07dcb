"""The doing of each fault: the place to add one. `FAULTS` has a row for every `Fault`."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate
from typing import TYPE_CHECKING

from msgspec.structs import replace

from weft.simweb.behaviour import Broken, Fault, Fixed, Framing

if TYPE_CHECKING:
    from weft.simweb.connection import Connection

Doing = Callable[["Connection", Broken], None]

# Bytes still on their way when a connection is reset are lost to the client; this lets them arrive.
_ARRIVAL_S = 0.01
_EXTRA_BYTES = 100


def commit_fault(connection: Connection, broken: Broken) -> None:
    """Let a request go wrong."""
    connection.note(fault=broken.fault)
    FAULTS[broken.fault](connection, broken)


# ── connections that break ──


def _reset_before_head(connection: Connection, broken: Broken) -> None:
    connection.reset()


def _reset_in_body(connection: Connection, broken: Broken) -> None:
    _send_half(connection, broken)
    connection.later(_ARRIVAL_S, connection.reset)


def _close_before_head(connection: Connection, broken: Broken) -> None:
    connection.close()


def _close_in_head(connection: Connection, broken: Broken) -> None:
    head = broken.then.head()
    connection.send(head[: len(head) // 2])
    connection.close()


def _close_in_body(connection: Connection, broken: Broken) -> None:
    _send_half(connection, broken)
    connection.close()


def _stall_before_head(connection: Connection, broken: Broken) -> None:
    connection.later(broken.stall_s, connection.close)


def _stall_in_body(connection: Connection, broken: Broken) -> None:
    _send_half(connection, broken)
    connection.later(broken.stall_s, connection.close)


def _send_half(connection: Connection, broken: Broken) -> None:
    # With a length, whatever the host's framing is: else half a body that ends by close would look whole.
    whole = replace(broken.then, framing=Framing.LENGTH)
    connection.note(status=whole.status)
    connection.send(whole.head() + whole.body[: len(whole.body) // 2])


# ── bodies that are not what the head says ──


def _length_too_long(connection: Connection, broken: Broken) -> None:
    longer = replace(broken.then, framing=Framing.LENGTH, body=broken.then.body + bytes(_EXTRA_BYTES))
    _send_and_close(connection, longer.head() + broken.then.body, broken)


def _length_too_short(connection: Connection, broken: Broken) -> None:
    body = broken.then.body
    shorter = replace(broken.then, framing=Framing.LENGTH, body=body[: len(body) // 2])
    _send_and_close(connection, shorter.head() + body, broken)


def _chunks_cut(connection: Connection, broken: Broken) -> None:
    chunked = replace(broken.then, framing=Framing.CHUNKED, http10=False)
    _send_and_close(connection, chunked.head() + chunked.framed_body().removesuffix(b"0\r\n\r\n"), broken)


def _chunks_garbled(connection: Connection, broken: Broken) -> None:
    chunked = replace(broken.then, framing=Framing.CHUNKED, http10=False)
    garbled = chunked.framed_body().removesuffix(b"0\r\n\r\n") + b"four\r\nlost\r\n0\r\n\r\n"
    _send_and_close(connection, chunked.head() + garbled, broken)


def _not_http(connection: Connection, broken: Broken) -> None:
    connection.send(b"220 mail.test ready\r\n500 what?\r\n")
    connection.close()


def _send_and_close(connection: Connection, data: bytes, broken: Broken) -> None:
    connection.note(status=broken.then.status)
    connection.send(data)
    connection.close()


# ── statuses that ask for another try ──


def _status(status: int) -> Doing:
    def answer(connection: Connection, broken: Broken) -> None:
        headers = (("Retry-After", _retry_after(broken)),) if broken.retry_after_s is not None else ()
        refusal = Fixed(
            b"<!DOCTYPE html><title>Not now</title>\n",
            status,
            headers=headers,
            keep_alive=broken.then.keep_alive,
            framing=broken.then.framing,
            http10=broken.then.http10,
        )
        connection.note(status=status)
        connection.send(refusal.head() + refusal.framed_body())
        connection.finish(keep_alive=refusal.keeps_connection)

    return answer


def _retry_after(broken: Broken) -> str:
    seconds = broken.retry_after_s or 0
    return formatdate(time.time() + seconds, usegmt=True) if broken.retry_after_as_date else str(seconds)


FAULTS: dict[Fault, Doing] = {
    Fault.RESET_BEFORE_HEAD: _reset_before_head,
    Fault.RESET_IN_BODY: _reset_in_body,
    Fault.CLOSE_BEFORE_HEAD: _close_before_head,
    Fault.CLOSE_IN_HEAD: _close_in_head,
    Fault.CLOSE_IN_BODY: _close_in_body,
    Fault.STALL_BEFORE_HEAD: _stall_before_head,
    Fault.STALL_IN_BODY: _stall_in_body,
    Fault.LENGTH_TOO_LONG: _length_too_long,
    Fault.LENGTH_TOO_SHORT: _length_too_short,
    Fault.CHUNKS_CUT: _chunks_cut,
    Fault.CHUNKS_GARBLED: _chunks_garbled,
    Fault.NOT_HTTP: _not_http,
    Fault.STATUS_429: _status(429),
    Fault.STATUS_500: _status(500),
    Fault.STATUS_502: _status(502),
    Fault.STATUS_503: _status(503),
    Fault.STATUS_504: _status(504),
}
