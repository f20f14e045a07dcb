from __future__ import annotations

import asyncio
import time
from email.utils import parsedate_to_datetime

import pytest

from weft.simweb import SimServer
from weft.simweb.behaviour import Broken, CountedBy, Fault, Fixed, Framing

from .reference import fetch
from .serving import OWN, SPEC, asked, seconds_taken, until, with_server

WHOLE = Fixed(b"x" * 1000)
_EXPECTED = {"reset": ConnectionResetError, "close": asyncio.IncompleteReadError}
_CONNECTION_FAULTS = [fault for fault in Fault if fault.split("-")[0] in (*_EXPECTED, "stall")]
_STATUS_FAULTS = [fault for fault in Fault if fault.startswith("status-")]


@pytest.mark.parametrize("fault", _CONNECTION_FAULTS)
def test_a_fault_happens_in_the_first_attempts_only(fault: Fault) -> None:
    async def use(server: SimServer) -> None:
        url = server.web.url(OWN, "/")
        for attempt in range(1, 3):
            if "stall" in fault:
                await stall(server, url, attempt)
            else:
                with pytest.raises(_EXPECTED[fault.split("-")[0]]):
                    await fetch(server.web, url)
        assert (await fetch(server.web, url)).body == WHOLE.body

    server = with_server(SPEC, use, {"/": Broken(fault, Fixed(b"x" * 1000), attempts=2)})
    seen_status = 200 if fault.endswith("in-body") else 0
    assert [(request.status, request.fault) for request in server.log] == [(seen_status, fault)] * 2 + [(200, "")]


async def stall(server: SimServer, url: str, attempt: int) -> None:
    """Ask, and leave once the server has begun to say nothing."""
    asking = asyncio.create_task(fetch(server.web, url))
    await until(lambda: len(server.log) == attempt)
    assert not asking.done()
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()


def test_half_of_the_body_arrives_before_a_reset_in_it() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(500) == b"x" * 500
            with pytest.raises(ConnectionResetError):
                await reader.read()

    with_server(SPEC, use, {"/": Broken(Fault.RESET_IN_BODY, Fixed(b"x" * 1000))})


def test_a_stalled_connection_is_closed_in_the_end() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            assert await reader.read() == b""

    server = with_server(SPEC, use, {"/": Broken(Fault.STALL_BEFORE_HEAD, stall_s=0.05)})
    assert seconds_taken(server) > 0.04


def test_faults_are_counted_for_each_url() -> None:
    broken = Broken(Fault.CLOSE_BEFORE_HEAD, attempts=1)

    async def use(server: SimServer) -> None:
        for path in ("/a", "/b"):
            with pytest.raises(asyncio.IncompleteReadError):
                await fetch(server.web, server.web.url(OWN, path))
            assert (await fetch(server.web, server.web.url(OWN, path))).status == 200

    with_server(SPEC, use, {"/a": broken, "/b": broken})


@pytest.mark.parametrize("fault", _STATUS_FAULTS)
def test_a_status_that_goes_wrong_keeps_the_connection_and_is_not_counted_as_whole(fault: Fault) -> None:
    status = int(fault.removeprefix("status-"))

    async def use(server: SimServer) -> None:
        async with asked(server, "/", "/") as reader:
            received = await reader.readuntil(b"x" * 1000)
            assert received.startswith(f"HTTP/1.1 {status} ".encode())
            assert received.count(b"HTTP/1.1 ") == 2

    server = with_server(SPEC, use, {"/": Broken(fault, WHOLE, attempts=1)})
    assert [(request.status, request.fault, request.whole) for request in server.log] == [
        (status, fault, False),
        (200, "", True),
    ]


def test_retry_after_is_given_in_seconds_or_as_a_date_or_not_at_all() -> None:
    async def use(server: SimServer) -> None:
        by_path = {
            path: (await fetch(server.web, server.web.url(OWN, path))).headers.get("retry-after")
            for path in ("/seconds", "/date", "/none")
        }
        assert (by_path["/seconds"], by_path["/none"]) == ("120", None)
        assert by_path["/date"]
        assert 110 < parsedate_to_datetime(by_path["/date"]).timestamp() - time.time() < 121

    custom = {
        "/seconds": Broken(Fault.STATUS_503, retry_after_s=120),
        "/date": Broken(Fault.STATUS_429, retry_after_s=120, retry_after_as_date=True),
        "/none": Broken(Fault.STATUS_503),
    }
    with_server(SPEC, use, dict(custom))


def test_faults_may_be_counted_for_the_whole_host() -> None:
    async def use(server: SimServer) -> None:
        statuses = [(await fetch(server.web, server.web.url(OWN, path))).status for path in ("/a", "/b", "/a", "/b")]
        assert statuses == [429, 429, 429, 200]

    limited = Broken(Fault.STATUS_429, WHOLE, attempts=3, counted_by=CountedBy.HOST)
    with_server(SPEC, use, {"/a": limited, "/b": limited})


@pytest.mark.parametrize("framing", list(Framing))
@pytest.mark.parametrize(
    ("fault", "body_on_the_wire"),
    [
        (Fault.LENGTH_TOO_LONG, b"Content-Length: 1100\r\n\r\n" + b"x" * 1000),
        (Fault.LENGTH_TOO_SHORT, b"Content-Length: 500\r\n\r\n" + b"x" * 1000),
        (Fault.CHUNKS_CUT, b"chunked\r\n\r\n1f4\r\n" + b"x" * 500 + b"\r\n1f4\r\n" + b"x" * 500 + b"\r\n"),
        (Fault.CHUNKS_GARBLED, b"x" * 500 + b"\r\nfour\r\nlost\r\n0\r\n\r\n"),
        (Fault.NOT_HTTP, b"220 mail.test ready\r\n500 what?\r\n"),
    ],
)
def test_a_response_that_is_not_what_its_head_says(fault: Fault, body_on_the_wire: bytes, framing: Framing) -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            received = await reader.read()
            assert received.replace(b"Connection: close\r\n", b"").endswith(body_on_the_wire)
        assert (await fetch(server.web, server.web.url(OWN, "/other"))).status == 404

    broken = Broken(fault, Fixed(WHOLE.body, framing=framing))
    server = with_server(SPEC, use, {"/": broken})
    assert server.log[0].fault == fault


def test_a_close_in_the_head_leaves_half_of_it() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            received = await reader.read()
            assert received == WHOLE.head()[: len(received)]
            assert len(received) == len(WHOLE.head()) // 2

    with_server(SPEC, use, {"/": Broken(Fault.CLOSE_IN_HEAD, WHOLE)})
