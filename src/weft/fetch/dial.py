"""TCP: one of a host's addresses, whichever answers first (RFC 8305, as much of it as a crawler needs).

    address 1 ──────────────✗ or no answer yet
    address 2     250 ms ────────▶ connected: the others are closed
    address 3            a failure starts the next at once

The race ends with TCP. Were TLS a part of it, every far server would be sent a second connection just because
two round trips take longer than 250 ms.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Coroutine, Sequence
from socket import AF_INET, AF_INET6, inet_pton
from typing import Any, Final

from weft.errors import FetchError
from weft.fetch.connection import Connection
from weft.fetch.local_address import LocalAddress
from weft.types import Outcome

STAGGER_S: Final = 0.25
MAX_AT_ONCE: Final = 4  # a name with a hundred dead addresses is not worth a hundred sockets

# What this machine lacks, not the other side: such an error is raised as it is, and ends the crawl.
_OWN_LACK: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS))

# Everything else is unreachable. An ICMP message, which anybody on the way may send, can make the kernel report
# nearly any number, so there is no end to those that could be listed.
_OUTCOMES: Final = {
    errno.ECONNREFUSED: Outcome.CONNECT_REFUSED,
    errno.ETIMEDOUT: Outcome.CONNECT_TIMEOUT,
    errno.ECONNRESET: Outcome.RESET,
    errno.ECONNABORTED: Outcome.RESET,
    errno.EPIPE: Outcome.RESET,
}

# When all addresses fail, the first of these that happened is the answer. A server that says no tells more than
# silence, and "unreachable" may only mean that this machine has no IPv6.
_MOST_TELLING_FIRST: Final = (
    Outcome.CONNECT_REFUSED,
    Outcome.RESET,
    Outcome.CONNECT_TIMEOUT,
    Outcome.UNREACHABLE,
)

# No connection came about: another address may still answer.
NO_CONNECTION: Final = frozenset((Outcome.CONNECT_REFUSED, Outcome.CONNECT_TIMEOUT, Outcome.UNREACHABLE))

MakeConnection = Callable[[str], Connection]
_Attempt = asyncio.Task[Connection]


def connect_outcome(error: OSError) -> Outcome | None:
    """What an error of connecting means; None when it is a lack of our own."""
    return None if error.errno in _OWN_LACK else _OUTCOMES.get(error.errno or 0, Outcome.UNREACHABLE)


async def dial(
    addresses: Sequence[str],
    port: int,
    make_connection: MakeConnection,
    deadline_s: float,
    stagger_s: float = STAGGER_S,
    local: LocalAddress | None = None,
) -> Connection:
    """A connection to the first of these addresses that answers. FetchError when none does by then.

    `deadline_s` is in the event loop's time. ValueError when something is no IP address: names are not looked
    up here, or the connection would go where nobody has looked whether it may.
    """
    if not addresses:
        raise ValueError("no address to connect to")
    for address in addresses:
        _refuse_name(address)

    def connect(address: str) -> Coroutine[Any, Any, Connection]:
        return _connect(address, port, make_connection, local)

    failures: list[FetchError] = []
    try:
        # 4 µs, once a connection; the phases that every request has are watched by the fetcher's sweep.
        async with asyncio.timeout_at(deadline_s):
            if len(addresses) == 1:
                return await connect(addresses[0])
            if (connection := await _race(addresses, connect, stagger_s, failures)) is not None:
                return connection
    except TimeoutError:
        tried = ", ".join(addresses[:MAX_AT_ONCE])
        failures.append(FetchError(Outcome.CONNECT_TIMEOUT, f"{tried} port {port}"))
    raise min(failures, key=lambda failure: _MOST_TELLING_FIRST.index(failure.outcome))


def _refuse_name(address: str) -> None:
    """By the C library: `ipaddress` takes ten times as long, for each connection."""
    try:
        inet_pton(AF_INET6 if ":" in address else AF_INET, address.partition("%")[0])
    except OSError as error:
        raise ValueError(f"{address!r} is no IP address") from error


async def _connect(address: str, port: int, make_connection: MakeConnection, local: LocalAddress | None) -> Connection:
    loop = asyncio.get_running_loop()
    try:
        if local is None:
            _, connection = await loop.create_connection(lambda: make_connection(address), address, port)
        elif local.reaches(address):
            sock = await local.connect(address, port)
            _, connection = await loop.create_connection(lambda: make_connection(address), sock=sock)
        else:
            raise FetchError(Outcome.UNREACHABLE, f"{address} port {port}: --bind {local} is of the other IP version")
    except OSError as error:
        outcome = connect_outcome(error)
        if outcome is None:
            raise
        reason = os.strerror(error.errno) if error.errno else error
        raise FetchError(outcome, f"{address} port {port}: {reason}") from error
    return connection


async def _race(
    addresses: Sequence[str],
    connect: Callable[[str], Coroutine[Any, Any, Connection]],
    stagger_s: float,
    failures: list[FetchError],
) -> Connection | None:
    """The first connection that is made; `failures` tells of the attempts that failed before."""
    untried = list(reversed(addresses))
    attempts: list[_Attempt] = []
    winner: _Attempt | None = None
    try:
        running: set[_Attempt] = set()
        while winner is None and (untried or running):
            if untried and len(running) < MAX_AT_ONCE:
                attempt = asyncio.create_task(connect(untried.pop()))
                attempts.append(attempt)
                running.add(attempt)
            patience_s = stagger_s if untried and len(running) < MAX_AT_ONCE else None
            ended, running = await asyncio.wait(running, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
            winner = _judge(ended, failures)
        return None if winner is None else winner.result()
    finally:
        for attempt in attempts:
            if attempt is not winner:
                attempt.cancel()
                attempt.add_done_callback(_abort)


def _judge(ended: set[_Attempt], failures: list[FetchError]) -> _Attempt | None:
    """The attempt among these that has won, if any. Raises what is our own trouble."""
    trouble = None
    for attempt in ended:
        error = attempt.exception()
        if error is None:
            return attempt
        if isinstance(error, FetchError):
            failures.append(error)
        else:
            trouble = error
    if trouble is not None:
        raise trouble
    return None


def _abort(attempt: _Attempt) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().abort()  # it came second
