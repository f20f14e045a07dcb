from __future__ import annotations

import asyncio

import pytest

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import After, Behaviour, Delayed, Drip, Endless, Fixed, Framing, Raw, Stream
from weft.simweb.requestlog import UNFINISHED

from .reference import Response, crawl_server, fetch, read_response, request_for
from .serving import OWN, SPEC, asked, connected, seconds_taken, until, with_server


@pytest.mark.parametrize("max_depth", [None, 3])
def test_a_crawl_of_the_served_web_finds_the_truth(max_depth: int | None) -> None:
    spec = WebSpec(seed=5, hosts=15, pages=200, reset_share=0.06, stall_share=0.02, failing_attempts=2, stall_s=0.02)

    async def use(server: SimServer) -> None:
        truth = server.web.truth(max_depth)
        assert await crawl_server(server.web, max_depth) == truth.status
        by_url = server.log.requests_by_url(server.port)
        assert by_url.keys() == truth.fetchable
        for url, requests in by_url.items():
            assert len(requests) == 1 + truth.failing_attempts.get(url, 0)
            assert [request.whole for request in requests].index(True) == len(requests) - 1

    with_server(spec, use)


def test_what_is_served_is_what_the_model_says_on_every_address() -> None:
    async def use(server: SimServer) -> None:
        for host in server.web.hosts:
            response = await fetch(server.web, server.web.url(host.name, "/"))
            expected = server.web.answer(host.name, "/")
            assert isinstance(expected, Fixed)
            assert response.body == expected.body

    with_server(WebSpec(hosts=12, pages=120, addresses=12), use)


def test_unknown_hosts_and_paths_are_404() -> None:
    async def use(server: SimServer) -> None:
        for host, path in ((server.web.hosts[0].name, "/nothing"), ("nowhere.test", "/"), (OWN, "/p1.html")):
            assert (await fetch(server.web, server.web.url(host, path))).status == 404

    with_server(SPEC, use, {"/": Fixed()})


def test_pipelined_requests_are_answered_in_order_on_one_connection() -> None:
    custom: dict[str, Behaviour] = {f"/{number}": Fixed(b"%d" % number) for number in range(20)}
    custom["/3"] = Delayed(0.05, Fixed(b"3"))

    async def use(server: SimServer) -> None:
        async with asked(server, *custom) as reader:
            bodies = [(await read_response(reader)).body for _ in custom]
            assert bodies == [b"%d" % number for number in range(20)]

    server = with_server(SPEC, use, custom)
    assert {request.connection for request in server.log} == {1}
    assert server.log.peak_concurrency() == {OWN: 1}


def test_a_request_may_arrive_in_pieces() -> None:
    async def use(server: SimServer) -> None:
        async with connected(server) as (reader, writer):
            for byte in request_for(OWN, "/"):
                writer.write(bytes([byte]))
                await asyncio.sleep(0.001)
            assert (await read_response(reader)).body == b"whole"

    with_server(SPEC, use, {"/": Fixed(b"whole")})


def test_hosts_without_keep_alive_say_so_and_close() -> None:
    async def use(server: SimServer) -> None:
        name = server.web.hosts[0].name
        async with asked(server, "/", host=name) as reader:
            assert (await read_response(reader)).headers["connection"] == "close"
            assert await reader.read() == b""

    with_server(WebSpec(hosts=1, pages=1, keep_alive_share=0.0), use)


def test_head_gets_the_head_alone() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/", "/stream", "/", method="HEAD") as reader:
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"Content-Length: 4\r\n" in head
            assert b"Content-Length: 9\r\n" in await reader.readuntil(b"\r\n\r\n")
            assert await reader.readuntil(b"\r\n\r\n") == head

    with_server(SPEC, use, {"/": Fixed(b"body"), "/stream": Stream(9)})


def test_what_is_no_request_is_refused_with_400() -> None:
    async def use(server: SimServer) -> None:
        for noise in (b"noise\r\n\r\n", b"x" * 70_000):
            async with connected(server) as (reader, writer):
                writer.write(noise)
                assert (await reader.read(12)) == b"HTTP/1.1 400"

    with_server(SPEC, use)


def test_raw_bytes_are_sent_as_they_are() -> None:
    data = b"HTTP/1.1 299 Odd\r\nContent-Length : 2\r\nno colon\r\n\r\nok"

    async def use(server: SimServer) -> None:
        async with asked(server, "/kept", "/closed") as reader:
            assert await reader.read() == data + b"junk"

    server = with_server(SPEC, use, {"/kept": Raw(data, After.KEEP), "/closed": Raw(b"junk")})
    assert [request.status for request in server.log] == [299, 0]


def test_a_delay_comes_before_the_first_byte() -> None:
    async def use(server: SimServer) -> None:
        await fetch(server.web, server.web.url(OWN, "/"))

    server = with_server(SPEC, use, {"/": Delayed(0.05, Fixed(b"late"))})
    assert seconds_taken(server) > 0.04


def test_a_host_has_its_latency() -> None:
    async def use(server: SimServer) -> None:
        await fetch(server.web, server.web.url(server.web.hosts[1].name, "/"))

    server = with_server(WebSpec(hosts=2, pages=2, latency_ms=(0, 50)), use)
    assert seconds_taken(server) > 0.04


def test_a_stream_has_exactly_the_promised_bytes() -> None:
    async def use(server: SimServer) -> None:
        response = await fetch(server.web, server.web.url(OWN, "/"))
        assert len(response.body) == 3_000_001
        assert response.body.startswith(b"<p>mine")
        assert response.body[7:] == server.web.text.cut(7, 2_999_994)

    with_server(SPEC, use, {"/": Stream(3_000_001, prefix=b"<p>mine")})


def test_a_stream_may_be_chunked_and_keeps_the_connection() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/", "/") as reader:
            for _ in range(2):
                assert b"Transfer-Encoding: chunked\r\n" in await reader.readuntil(b"\r\n\r\n")
                body = b""
                while size := int(await reader.readline(), 16):
                    body += await reader.readexactly(size)
                    await reader.readline()
                await reader.readline()
                assert len(body) == 100_000

    with_server(SPEC, use, {"/": Stream(100_000, Framing.CHUNKED)})


def test_a_stream_may_end_by_close() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            await reader.readuntil(b"\r\n\r\n")
            assert len(await reader.read()) == 200_000

    with_server(SPEC, use, {"/": Stream(200_000, Framing.CLOSE)})


def test_a_body_without_end_waits_for_its_reader_and_leaves_others_their_turn() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/endless") as reader:
            await reader.readexactly(20_000_000)
            before = len(server.log)
            for _ in range(20):
                response: Response = await fetch(server.web, server.web.url(OWN, "/"))
                assert response.body == b"small"
            assert len(server.log) == before + 20

    server = with_server(SPEC, use, {"/endless": Stream(None, Framing.CLOSE), "/": Fixed(b"small")})
    assert (server.log[0].status, server.log[0].fault) == (200, UNFINISHED)


def test_a_slow_stream_drips() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            await reader.readuntil(b"\r\n\r\n")
            assert len(await reader.readexactly(300)) == 300

    server = with_server(SPEC, use, {"/": Stream(300, bytes_per_s=2_000)})
    assert seconds_taken(server) > 0.08


def test_bytes_may_come_one_at_a_time() -> None:
    data = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            assert await reader.read(100) == b"H"
            assert await reader.read() == data[1:]

    server = with_server(SPEC, use, {"/": Drip(data, interval_s=0.002)})
    assert [(request.status, request.whole) for request in server.log] == [(200, True)]
    assert seconds_taken(server) > 0.002 * len(data) * 0.8


@pytest.mark.parametrize("interval_s", [0.0, 0.001])
def test_what_is_endless_goes_on_until_the_client_leaves(interval_s: float) -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            start = await reader.readexactly(100)
            assert start == (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100)[:100]
            assert not server.log[0].ended_at
        await until(lambda: server.log[0].ended_at is not None)

    server = with_server(SPEC, use, {"/": Endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", interval_s)})
    assert (server.log[0].status, server.log[0].fault) == (200, UNFINISHED)


def test_what_is_endless_waits_for_its_reader_and_leaves_others_their_turn() -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, "/endless") as reader:
            await reader.readexactly(10_000_000)
            for _ in range(20):
                assert (await fetch(server.web, server.web.url(OWN, "/"))).body == b"small"

    with_server(SPEC, use, {"/endless": Endless(b"", b"again "), "/": Fixed(b"small")})


def test_a_request_under_way_is_in_the_log_and_ends_unfinished_when_the_client_leaves() -> None:
    async def use(server: SimServer) -> None:
        async with connected(server) as (_, writer):
            writer.write(request_for(OWN, "/"))
            await until(lambda: bool(server.log))
            assert server.log[0].ended_at is None
        await until(lambda: server.log[0].ended_at is not None)

    server = with_server(SPEC, use, {"/": Delayed(60, Fixed())})
    assert (server.log[0].status, server.log[0].fault) == (0, UNFINISHED)


def test_two_servers_in_one_process_do_not_know_each_other() -> None:
    async def use(server: SimServer) -> None:
        async with SimServer(SimWeb(SPEC)) as other:
            assert other.port != server.port
            await fetch(other.web, other.web.seeds()[0])
            assert (len(server.log), len(other.log)) == (0, 1)

    with_server(SPEC, use)


def test_the_server_runs_on_the_standard_loop_too() -> None:
    server = SimServer(SimWeb(SPEC, {(OWN, "/"): Stream(5_000_000)}))

    async def run() -> None:
        async with asyncio.timeout(15), server, connected(server):
            response = await fetch(server.web, server.web.url(OWN, "/"))
            assert len(response.body) == 5_000_000

    asyncio.run(run())
    assert [request.whole for request in server.log] == [True]


def test_the_log_tells_clients_apart_by_their_addresses() -> None:
    async def use(server: SimServer) -> None:
        for client in ("127.0.0.7", "127.0.0.8"):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(client, 0))
            writer.write(request_for(OWN, "/") * 2)
            assert [(await read_response(reader)).status for _ in range(2)] == [200, 200]
            writer.close()

    server = with_server(SPEC, use, {"/": Fixed()})
    assert [request.client for request in server.log] == ["127.0.0.7", "127.0.0.7", "127.0.0.8", "127.0.0.8"]
