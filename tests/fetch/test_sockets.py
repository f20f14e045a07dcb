"""Every framing of the table, and every way in which a request can fail, over real sockets."""

from __future__ import annotations

import asyncio
import errno
import socket
from pathlib import Path
from typing import Any

import pytest

from weft.clock import Clock
from weft.errors import BadUrl, FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, release
from weft.fetch.dial import connect_outcome
from weft.types import Outcome
from weft.url import Target

from .framings import CHUNKED, FRAMINGS, OK, Framing
from .rig import ADDRESS, Rig, Script, Visitor, deaf_listener, rigged, run

GET_FRAMINGS = [framing for framing in FRAMINGS if not framing.head_request]


@pytest.mark.parametrize("framing", GET_FRAMINGS, ids=lambda framing: framing.name)
def test_framing_over_a_socket_is_as_the_table_says(framing: Framing, tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(framing.wire)
        if framing.closes:
            visitor.close()
        else:
            await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            if framing.outcome is Outcome.RESPONSE:
                fetched = await rig.fetch()
                assert fetched.status == framing.status
                assert fetched.body == framing.body
                assert fetched.body_bytes == len(framing.body)
                assert fetched.chunked == (b"chunked" in fetched.head.lower() and fetched.status == 200)
                assert fetched.truncated is None
                assert fetched.head + framing.body in framing.wire
                assert rig.fetcher.statistics().idle == framing.keep_alive
                release(fetched, rig.budget)
            else:
                error = await rig.fetch_error()
                assert error.outcome is framing.outcome
                if error.partial is not None:
                    assert error.partial.body == framing.body
                    release(error.partial, rig.budget)
            assert rig.budget.used_bytes == 0

    run(scenario())


async def connect_error(rig_port: int, address: str = ADDRESS, connect_timeout_s: float = 5.0) -> FetchError:
    config = FetchConfig(connect_timeout_s=connect_timeout_s)
    fetcher = Fetcher(config, MemoryBudget(), Path("unused"), Clock())
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch("http://site.test/", Target("http", "site.test", rig_port, "/"), (address,))
    assert fetcher.statistics() == (0, 0, 0, 0, 0, 0)
    await fetcher.close()
    return caught.value


def test_port_where_nobody_listens_is_connect_refused() -> None:
    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))  # bound, so that nobody else gets it; not listening
        error = run(connect_error(taken.getsockname()[1]))
    assert error.outcome is Outcome.CONNECT_REFUSED
    assert error.partial is None


def test_listener_that_does_not_accept_is_connect_timeout() -> None:
    with deaf_listener() as port:
        error = run(connect_error(port, connect_timeout_s=0.1))
    assert error.outcome is Outcome.CONNECT_TIMEOUT


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (errno.EHOSTUNREACH, Outcome.UNREACHABLE),
        (errno.ENETUNREACH, Outcome.UNREACHABLE),
        (errno.ETIMEDOUT, Outcome.CONNECT_TIMEOUT),
        (errno.ECONNRESET, Outcome.RESET),
        (errno.EMFILE, None),
        (errno.ENFILE, None),
        (errno.ENOMEM, None),
        (errno.ENOBUFS, None),
    ],
)
def test_error_of_our_own_machine_is_no_outcome_of_the_request(code: int, outcome: Outcome | None) -> None:
    assert connect_outcome(OSError(code, "")) is outcome


# ICMP: protocol unreachable, host isolated, parameter problem, packet too big; and whatever a kernel invents.
@pytest.mark.parametrize(
    "code", [errno.ENOPROTOOPT, errno.ENONET, errno.EPROTO, errno.EOPNOTSUPP, errno.EMSGSIZE, 9999, None]
)
def test_error_that_nobody_has_listed_means_unreachable(code: int | None) -> None:
    assert connect_outcome(OSError(code, "") if code is not None else OSError("no number")) is Outcome.UNREACHABLE


def test_other_scheme_is_refused() -> None:
    async def scenario() -> None:
        fetcher = Fetcher(FetchConfig(), MemoryBudget(), Path("unused"), Clock())
        with pytest.raises(BadUrl):
            await fetcher.fetch("gopher://a.test/", Target("gopher", "a.test", 70, "/"), (ADDRESS,))

    run(scenario())


async def close_at_once(visitor: Visitor) -> None:
    await visitor.request()
    visitor.close()


async def close_in_the_head(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"Content-")
    visitor.close()


async def close_in_the_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"Content-Length: 100\r\n\r\nhello")
    visitor.close()


async def reset_at_once(visitor: Visitor) -> None:
    await visitor.request()
    visitor.reset()


async def let_it_be_read() -> None:
    """A reset may overtake bytes that have not been read. The reader is in the same loop."""
    for _ in range(50):
        await asyncio.sleep(0)


async def reset_in_the_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"Content-Length: 100\r\n\r\nhello")
    await let_it_be_read()
    visitor.reset()


async def reset_before_the_end_of_a_body_without_length(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"\r\nhello")
    await let_it_be_read()
    visitor.reset()


async def never_answer(visitor: Visitor) -> None:
    await visitor.hold()


async def drip_headers(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK)
    while True:
        await visitor.send(b"X: y\r\n")
        await asyncio.sleep(0.01)


async def stall_in_the_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"Content-Length: 100\r\n\r\nhello")
    await visitor.hold()


async def drip_the_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK + b"Content-Length: 100000\r\n\r\nhello")
    while True:
        await visitor.send(b".")
        await asyncio.sleep(0.01)


async def endless_headers(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(OK)
    while True:
        await visitor.send(b"X: y\r\n" * 1000)


async def speak_before_being_asked(visitor: Visitor) -> None:
    await visitor.send(b"220 mail.test ESMTP\r\n")
    await visitor.hold()


async def break_off_the_chunks(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(CHUNKED + b"5\r\nhello\r\nzzz\r\n")
    await visitor.hold()


# Each failure meets only the time-out that it is about: on a busy machine, anything may take long.
TIMEOUTS: dict[Outcome, dict[str, Any]] = {
    Outcome.RESPONSE_TIMEOUT: {"head_timeout_s": 0.15},
    Outcome.STALLED: {"idle_timeout_s": 0.15},
    Outcome.TOO_SLOW: {"total_timeout_s": 0.5},
}
FAILURES = [
    (close_at_once, Outcome.CLOSED, None, None),
    (close_in_the_head, Outcome.CLOSED, None, None),
    (close_in_the_body, Outcome.CLOSED, b"hello", "disconnect"),
    (reset_at_once, Outcome.RESET, None, None),
    (reset_in_the_body, Outcome.RESET, b"hello", "disconnect"),
    (reset_before_the_end_of_a_body_without_length, Outcome.RESET, b"hello", "disconnect"),
    (never_answer, Outcome.RESPONSE_TIMEOUT, None, None),
    (drip_headers, Outcome.RESPONSE_TIMEOUT, None, None),
    (stall_in_the_body, Outcome.STALLED, b"hello", "time"),
    (drip_the_body, Outcome.TOO_SLOW, b"hello.", "time"),
    (endless_headers, Outcome.HEAD_TOO_LARGE, None, None),
    (speak_before_being_asked, Outcome.BAD_RESPONSE, None, None),
    (break_off_the_chunks, Outcome.BAD_RESPONSE, b"5\r\nhello\r\nzzz\r\n", "unspecified"),
]


@pytest.mark.parametrize(
    ("script", "outcome", "body", "truncated"), FAILURES, ids=[row[0].__name__ for row in FAILURES]
)
def test_failure_has_its_outcome_and_keeps_what_came(
    script: Script, outcome: Outcome, body: bytes | None, truncated: str | None, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, script, **TIMEOUTS.get(outcome, {})) as rig:
            error = await rig.fetch_error()
            assert error.outcome is outcome
            check_partial(rig, error, body, truncated)
            assert rig.budget.used_bytes == 0
            assert rig.fetcher.statistics().idle == 0
            assert rig.server.connections == 1  # nothing is tried again behind the caller's back

    run(scenario())


def check_partial(rig: Rig, error: FetchError, body: bytes | None, truncated: str | None) -> None:
    if body is None:
        assert error.partial is None
        return
    assert error.partial is not None
    assert error.partial.body is not None
    assert error.partial.body.startswith(body)
    assert error.partial.truncated == truncated
    assert error.partial.status == 200
    release(error.partial, rig.budget)
