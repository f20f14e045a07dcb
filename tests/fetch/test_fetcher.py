"""The fetcher on real sockets: what it gives back, connections used again, ends of every kind."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from weft.clock import Clock, FakeClock
from weft.errors import FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, release
from weft.types import Outcome
from weft.url import Target

from .framings import OK
from .rig import ADDRESS, PAGE, Visitor, deaf_listener, rigged, run, serve_pages, until


def test_fetched_holds_the_exact_bytes_of_both_sides(tmp_path: Path) -> None:
    seen = []

    async def script(visitor: Visitor) -> None:
        seen.append(await visitor.request())
        await visitor.send(PAGE)
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script, clock=FakeClock(1000.0)) as rig:
            fetched = await rig.fetch("/a?b")
            assert fetched.url == f"http://site.test:{rig.server.port}/a?b"
            assert fetched.address == ADDRESS
            assert fetched.started_at == 1000.0
            assert fetched.request == seen[0]
            assert fetched.request.startswith(b"GET /a?b HTTP/1.1\r\nHost: site.test:%d\r\n" % rig.server.port)
            assert fetched.head + (fetched.body or b"") == PAGE
            assert fetched.headers == ((b"content-length", b"5"),)
            assert (fetched.status, fetched.body_bytes, fetched.chunked, fetched.spool) == (
                200,
                5,
                False,
                None,
            )

    run(scenario())


def test_timing_tells_the_phases_apart(tmp_path: Path) -> None:
    clock = FakeClock()

    async def script(visitor: Visitor) -> None:
        while True:
            await visitor.request()
            clock.advance(0.25)
            await visitor.send(PAGE[:-1])
            await asyncio.sleep(0.02)
            clock.advance(0.5)
            await visitor.send(PAGE[-1:])

    async def scenario() -> None:
        async with rigged(tmp_path, script, clock=clock) as rig:
            for _ in range(2):
                timing = (await rig.fetch()).timing
                assert timing.connect_s == 0  # the clock stood still meanwhile
                assert timing.wait_s == pytest.approx(0.25)
                assert timing.receive_s == pytest.approx(0.5)

    run(scenario())


def test_connection_is_used_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            for _ in range(5):
                release(await rig.fetch(), rig.budget)
            assert rig.server.connections == 1
            assert rig.fetcher.statistics() == (0, 1, 1, 1, 4, 0)
            assert rig.budget.used_bytes == 0

    run(scenario())


def test_requests_at_once_have_a_connection_each_and_share_them_later(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            for _ in range(2):
                await asyncio.gather(*(rig.fetch() for _ in range(20)))
            assert rig.server.connections == 20
            assert rig.fetcher.statistics().idle == 20

    run(scenario())


def test_idle_connections_have_a_limit_per_host(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, max_idle_connections_per_host=3) as rig:
            await asyncio.gather(*(rig.fetch() for _ in range(10)))
            await until(lambda: rig.fetcher.statistics().open == 3)

    run(scenario())


def test_idle_connection_is_closed_after_a_while(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, idle_connection_timeout_s=0.1) as rig:
            await rig.fetch()
            assert rig.fetcher.statistics().idle == 1
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert rig.fetcher.statistics().idle == 0

    run(scenario())


def test_idle_connection_that_the_server_closes_is_forgotten(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            await rig.fetch()
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert rig.fetcher.statistics().idle == 0
            await rig.fetch()
            assert rig.fetcher.statistics().stale == 0

    run(scenario())


def test_idle_connection_with_bytes_nobody_asked_for_is_closed(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        await asyncio.sleep(0.02)
        await visitor.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            await rig.fetch()
            assert rig.fetcher.statistics().idle == 1
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert (await rig.fetch()).body == b"hello"

    run(scenario())


@pytest.mark.parametrize("by_reset", [False, True])
def test_a_request_that_a_kept_connection_did_not_answer_is_not_sent_again_unasked(
    by_reset: bool, tmp_path: Path
) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        await visitor.request()
        if visitor.number == 0:
            visitor.reset() if by_reset else visitor.close()
        else:
            await visitor.send(PAGE)
            await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            await rig.fetch()
            error = await rig.fetch_error()
            assert (error.on_kept, error.outcome) == (True, Outcome.RESET if by_reset else Outcome.CLOSED)
            assert rig.server.connections == 1
            assert rig.fetcher.statistics().stale == 1
            assert (await rig.fetch()).body == b"hello"
            assert (await rig.fetch()).body == b"hello"
            assert rig.server.connections == 2

    run(scenario())


IDLE_TOO_LONG = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("sent_before", "outcome"), [(b" and more", Outcome.BAD_RESPONSE), (IDLE_TOO_LONG, Outcome.CLOSED)]
)
def test_what_was_on_its_way_when_a_kept_connection_was_used_again_is_no_answer(
    sent_before: bytes, outcome: Outcome, tmp_path: Path
) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        if visitor.number == 0:
            await visitor.request()  # unread by a real server: what it sends now crosses the request
            await visitor.send(sent_before)
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            await rig.fetch()
            error = await rig.fetch_error()
            assert (error.on_kept, error.outcome) == (True, outcome)
            assert rig.fetcher.statistics().stale == 1
            assert (await rig.fetch()).body == b"hello"

    run(scenario())


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize(("surplus", "keeps"), [(PAGE, False), (IDLE_TOO_LONG, True)])
def test_a_place_that_sent_what_nobody_asked_for_gets_a_new_connection_for_each_request(
    surplus: bytes, keeps: bool, is_late: bool, tmp_path: Path
) -> None:
    """Else what crosses the next request would be taken for its answer."""

    async def script(visitor: Visitor) -> None:
        while True:
            await visitor.request()
            await visitor.send(PAGE if is_late or visitor.number else PAGE + surplus)
            if is_late and not visitor.number:
                await until(lambda: idle[0]() == 1)
                await visitor.send(surplus)

    idle = []

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            idle.append(lambda: rig.fetcher.statistics().idle)
            await rig.fetch()
            await until(lambda: rig.fetcher.statistics().open == 0)
            await rig.fetch()
            await rig.fetch()
            assert rig.server.connections == (2 if keeps and is_late else 3)

    run(scenario())


def test_on_a_new_connection_408_is_an_answer(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(IDLE_TOO_LONG)
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            assert (await rig.fetch()).status == 408

    run(scenario())


def test_used_connection_that_breaks_after_the_first_byte_is_not_replaced(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        await visitor.request()
        await visitor.send(b"H")
        visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            await rig.fetch()
            error = await rig.fetch_error()
            assert (error.on_kept, error.outcome) == (False, Outcome.CLOSED)
            assert rig.server.connections == 1
            assert rig.fetcher.statistics().stale == 0

    run(scenario())


@pytest.mark.parametrize("chunked", [False, True])
def test_body_over_the_limit_is_cut_there_and_its_connection_closed(chunked: bool, tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(OK + (b"Transfer-Encoding: chunked\r\n\r\n" if chunked else b"\r\n"))
        while True:
            await visitor.send(b"3e8\r\n" + b"x" * 1000 + b"\r\n")

    async def scenario() -> None:
        async with rigged(tmp_path, script, max_body_bytes=50_000) as rig:
            fetched = await rig.fetch()
            assert fetched.truncated == "length"
            assert fetched.body_bytes == len(fetched.body or b"") == 50_000
            shorter = await rig.fetch(max_body_bytes=10)
            assert shorter.body == b"3e8\r\nxxxxx"
            await until(lambda: rig.fetcher.statistics().open == 0)

    run(scenario())


def test_body_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, max_body_bytes=5) as rig:
            fetched = await rig.fetch()
            assert fetched.truncated is None
            assert rig.fetcher.statistics().idle == 1

    run(scenario())


def test_closing_the_fetcher_ends_what_is_under_way(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            task = asyncio.create_task(rig.fetch())
            await until(lambda: rig.fetcher.statistics().active == 1)
            await rig.fetcher.close()
            with pytest.raises(FetchError) as caught:
                await task
            assert caught.value.outcome is Outcome.CLOSED

    run(scenario())


def test_connect_timeouts_leak_no_descriptors(tmp_path: Path) -> None:
    async def scenario(port: int) -> None:
        fetcher = Fetcher(FetchConfig(connect_timeout_s=0.02), MemoryBudget(), tmp_path, Clock())
        counts = []
        for _ in range(4):
            with pytest.raises(FetchError):
                await fetcher.fetch("http://a.test/", Target("http", "a.test", port, "/"), (ADDRESS,))
            await asyncio.sleep(0.01)
            counts.append(len(os.listdir("/proc/self/fd")))
        assert counts[-1] <= counts[0]  # fewer, where what earlier tests left is closed meanwhile
        await fetcher.close()

    with deaf_listener() as port:
        run(scenario(port))


def test_standstill_of_our_process_is_not_blamed_on_the_server(tmp_path: Path) -> None:
    """The answer lies in the socket when the process goes on: it is read before time-outs are looked at."""
    clock = FakeClock()
    asked, standing_still, answered = threading.Event(), threading.Event(), threading.Event()

    def answer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            asked.set()
            standing_still.wait(5)
            connection.sendall(PAGE)
            answered.set()
            connection.recv(65536)

    def stand_still() -> None:
        waking.recv(1)
        standing_still.set()
        answered.wait(5)
        time.sleep(0.1)  # now the sweep is due, and the answer is there
        clock.advance(100)

    async def scenario(port: int) -> bytes | None:
        loop = asyncio.get_running_loop()
        fetcher = Fetcher(FetchConfig(sweep_interval_s=0.05), MemoryBudget(), tmp_path, clock)
        try:
            target = Target("http", "a.test", port, "/")
            task = asyncio.create_task(fetcher.fetch("http://a.test/", target, (ADDRESS,)))
            await until(asked.is_set)
            loop.add_reader(waking, stand_still)  # among the loop's I/O, behind which it looks at its timers
            waker.send(b"x")
            return (await task).body
        finally:
            loop.remove_reader(waking)
            await fetcher.close()

    waking, waker = socket.socketpair()
    with waking, waker, socket.create_server((ADDRESS, 0)) as listener:
        server = threading.Thread(target=answer, args=(listener,), daemon=True)
        server.start()
        assert run(scenario(listener.getsockname()[1])) == b"hello"
        server.join(5)


def test_plain_asyncio_loop_works_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            for _ in range(3):
                assert (await rig.fetch()).body == b"hello"
            assert rig.server.connections == 1

    asyncio.run(asyncio.wait_for(scenario(), 60))
