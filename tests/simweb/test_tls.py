from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import pytest

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Delayed, Fault, Fixed, Framing, Stream, TlsFault
from weft.simweb.requestlog import HANDSHAKE_FAILED, UNFINISHED

from .reference import fetch, read_response, request_for
from .serving import OWN, SPEC, seconds_taken, until, with_server

_BROKEN = [fault for fault in TlsFault if fault is not TlsFault.NO_CLOSE_NOTIFY]
QUICK = WebSpec(seed=3, hosts=12, pages=120, stall_s=0.05)


def trusting(server: SimServer) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(server.ca_file))


@asynccontextmanager
async def connected_tls(
    server: SimServer, name: str = OWN, context: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    address = server.web.address_of(name) or "127.0.0.1"
    # With room for a whole body: uvloop's TLS loses what it holds when the server closes while reading is paused.
    reader, writer = await asyncio.open_connection(
        address, server.https_port, ssl=context or trusting(server), server_hostname=name, limit=8_000_000
    )
    try:
        yield reader, writer
    finally:
        writer.close()


@asynccontextmanager
async def asked_tls(server: SimServer, *paths: str, name: str = OWN) -> AsyncIterator[asyncio.StreamReader]:
    """Requests sent at once on one connection; gives where the answers come."""
    async with connected_tls(server, name) as (reader, writer):
        writer.write(b"".join(request_for(name, path) for path in paths))
        yield reader


def test_https_gives_what_http_gives_on_connections_that_are_kept() -> None:
    custom: dict[str, Behaviour] = {
        "/a": Fixed(b"a"),
        "/late": Delayed(0.01, Fixed(b"late")),
        "/big": Stream(3_000_000),
        "/z": Fixed(b"z", keep_alive=False),
    }

    async def use(server: SimServer) -> None:
        async with asked_tls(server, *custom) as reader:
            bodies = [(await read_response(reader)).body for _ in custom]
            assert [len(body) for body in bodies] == [1, 4, 3_000_000, 1]
            assert await reader.read() == b""

    server = with_server(SPEC, use, custom, https=True)
    assert [(request.scheme, request.sni, request.host, request.status) for request in server.log] == [
        ("https", OWN, OWN, 200)
    ] * 4
    assert {request.connection for request in server.log} == {1}
    assert {request.address for request in server.log} == {server.web.address_of(OWN)}


def test_every_host_has_a_certificate_that_holds() -> None:
    spec = WebSpec(seed=3, hosts=12, pages=120, tls_share=1.0, www_share=0.4)

    async def use(server: SimServer) -> None:
        for host in server.web.hosts:
            async with asked_tls(server, "/", name=host.name) as reader:
                assert (await read_response(reader)).status == 200
            if host.bare_name:
                async with asked_tls(server, "/x", name=host.bare_name) as reader:
                    assert (await read_response(reader)).headers["location"] == server.web.url(host.name, "/x")

    server = with_server(spec, use)
    assert any(host.bare_name for host in server.web.hosts)


def test_http_on_an_https_host_only_redirects() -> None:
    async def use(server: SimServer) -> None:
        host = server.web.hosts[0]
        for path in ("/", "/robots.txt", "/no/such?page"):
            response = await fetch(server.web, server.web.url(host.name, path, "http"))
            assert response.status in (301, 308)
            assert response.headers["location"] == f"https://{host.name}:{server.https_port}{path}"

    with_server(WebSpec(hosts=2, pages=5, tls_share=1.0), use)


def test_a_host_without_https_has_nothing_there() -> None:
    async def use(server: SimServer) -> None:
        async with asked_tls(server, "/", name=server.web.hosts[0].name) as reader:
            assert (await read_response(reader)).status == 404

    with_server(SPEC, use, https=True)


def test_there_is_no_https_unless_needed() -> None:
    async def use(server: SimServer) -> None:
        assert (server.https_port, server.ca_file) == (None, None)

    with_server(SPEC, use)


def test_alpn_chooses_http_1_1() -> None:
    async def use(server: SimServer) -> None:
        context = trusting(server)
        context.set_alpn_protocols(["h2", "http/1.1"])
        async with connected_tls(server, context=context) as (_, writer):
            assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "http/1.1"

    with_server(SPEC, use, {"/": Fixed()}, https=True)


def test_an_address_has_a_certificate_too() -> None:
    async def use(server: SimServer) -> None:
        async with asked_tls(server, "/", name="127.0.0.1") as reader:
            assert (await read_response(reader)).status == 404

    server = with_server(SPEC, use, https=True)
    assert (server.log[0].host, server.log[0].sni) == ("127.0.0.1", "")


@pytest.mark.parametrize("fault", _BROKEN)
def test_no_handshake_succeeds_on_a_host_whose_tls_is_broken(fault: TlsFault) -> None:
    async def use(server: SimServer) -> None:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            async with connected_tls(server):
                raise AssertionError("the handshake succeeded")
        await until(lambda: len(server.log) == 1)
        async with asked_tls(server, "/", name="healthy.test") as reader:
            assert (await read_response(reader)).status == 404

    server = with_server(QUICK, use, tls_faults={OWN: fault})
    failed = server.log[0]
    assert (failed.host, failed.path, failed.scheme, failed.fault) == (OWN, "", "https", fault)
    assert failed.ended_at is not None
    assert not failed.whole
    assert list(server.log.requests_by_url(https_port=server.https_port or 0)) == [
        f"https://healthy.test:{server.https_port}/"
    ]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (TlsFault.CLOSE, ConnectionResetError),
        (TlsFault.RESET, ConnectionResetError),
        (TlsFault.GARBAGE, ssl.SSLError),
        (TlsFault.ALERT, ssl.SSLError),
        (TlsFault.OLD_PROTOCOL, ssl.SSLError),
        (TlsFault.EXPIRED, ssl.SSLCertVerificationError),
    ],
)
def test_a_broken_handshake_looks_as_it_should(fault: TlsFault, error: type[Exception]) -> None:
    async def use(server: SimServer) -> None:
        with pytest.raises(error):
            async with connected_tls(server):
                pass

    with_server(QUICK, use, tls_faults={OWN: fault})


def test_a_stalled_handshake_says_nothing_until_it_is_closed() -> None:
    async def use(server: SimServer) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        with pytest.raises(ssl.SSLWantReadError):
            trusting(server).wrap_bio(incoming, outgoing, server_hostname=OWN).do_handshake()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
        writer.write(outgoing.read())
        assert await reader.read() == b""
        writer.close()

    server = with_server(WebSpec(hosts=1, pages=1, stall_s=0.05), use, tls_faults={OWN: TlsFault.STALL})
    assert server.log[0].fault == TlsFault.STALL
    assert seconds_taken(server) > 0.04


def test_an_old_protocol_can_be_spoken_by_those_who_want_to() -> None:
    async def use(server: SimServer) -> None:
        context = trusting(server)
        context.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1"):
            context.minimum_version = ssl.TLSVersion.TLSv1
        async with connected_tls(server, context=context) as (reader, writer):
            writer.write(request_for(OWN, "/"))
            assert (await read_response(reader)).body == b"old"
            assert writer.get_extra_info("ssl_object").version() == "TLSv1.1"

    with_server(QUICK, use, {"/": Fixed(b"old")}, tls_faults={OWN: TlsFault.OLD_PROTOCOL})


def test_a_client_that_does_not_care_for_certificates_is_served() -> None:
    async def use(server: SimServer) -> None:
        careless = ssl.create_default_context()
        careless.check_hostname = False
        careless.verify_mode = ssl.CERT_NONE
        async with connected_tls(server, context=careless) as (reader, writer):
            writer.write(request_for(OWN, "/"))
            assert (await read_response(reader)).body == b"fine"

    server = with_server(QUICK, use, {"/": Fixed(b"fine")}, tls_faults={OWN: TlsFault.SELF_SIGNED})
    assert [(request.status, request.fault) for request in server.log] == [(200, "")]


@pytest.mark.parametrize("fault", [None, TlsFault.NO_CLOSE_NOTIFY])
def test_a_body_that_ends_by_close_ends_with_a_goodbye_unless_the_host_is_rude(fault: TlsFault | None) -> None:
    client = ssl.MemoryBIO(), ssl.MemoryBIO()

    async def use(server: SimServer) -> None:
        tls = trusting(server).wrap_bio(*client, server_hostname=OWN)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
        asked = False
        ending = ""
        while not ending:
            try:
                if not asked:
                    tls.do_handshake()
                    tls.write(request_for(OWN, "/"))
                    asked = True
                ending = "" if tls.read(1000) else "goodbye"
            except ssl.SSLZeroReturnError:
                ending = "goodbye"
            except ssl.SSLWantReadError:
                writer.write(client[1].read())
                data = await reader.read(65_536)
                client[0].write(data)
                ending = "" if data else "rude"
        writer.close()
        assert ending == ("rude" if fault else "goodbye")

    with_server(
        QUICK,
        use,
        {"/": Fixed(b"body", framing=Framing.CLOSE)},
        tls_faults={OWN: fault} if fault else None,
        https=True,
    )


@pytest.mark.parametrize("fault", [Fault.RESET_IN_BODY, Fault.RESET_BEFORE_HEAD])
def test_a_reset_is_one_over_tls_too(fault: Fault) -> None:
    async def use(server: SimServer) -> None:
        async with asked_tls(server, "/") as reader:
            with pytest.raises(ConnectionResetError):
                await reader.readexactly(2000)

    server = with_server(SPEC, use, {"/": Broken(fault, Fixed(b"x" * 2000))}, https=True)
    assert server.log[0].fault == fault


def test_a_body_without_end_waits_for_its_reader_over_tls_too() -> None:
    async def use(server: SimServer) -> None:
        async with asked_tls(server, "/endless") as reader:
            await reader.readexactly(5_000_000)
            async with asked_tls(server, "/") as other:
                assert (await read_response(other)).body == b"small"
        await until(lambda: server.log[0].ended_at is not None)

    custom: dict[str, Behaviour] = {"/endless": Stream(None, Framing.CHUNKED), "/": Fixed(b"small")}
    server = with_server(SPEC, use, custom, https=True)
    assert (server.log[0].status, server.log[0].fault) == (200, UNFINISHED)


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\nHost: own.test\r\n\r\n", b"\x16\x03\x01\x00\x05\x01"])
def test_noise_on_the_tls_port_is_noted_and_harms_nobody(noise: bytes) -> None:
    async def use(server: SimServer) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
        writer.write(noise)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await until(lambda: len(server.log) == 1)

    server = with_server(SPEC, use, https=True)
    assert [(request.host, request.fault) for request in server.log] == [("", HANDSHAKE_FAILED)]


def test_a_connection_on_which_nothing_is_said_is_not_noted() -> None:
    async def use(server: SimServer) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
        await until(lambda: server.connections_accepted == 1)
        writer.close()
        async with asked_tls(server, "/") as reader:
            await read_response(reader)

    server = with_server(SPEC, use, https=True)
    assert [request.connection for request in server.log] == [2]


def test_tls_works_on_the_standard_loop_too() -> None:
    server = SimServer(SimWeb(SPEC, {(OWN, "/"): Stream(2_000_000)}), https=True)

    async def run() -> None:
        async with asyncio.timeout(15), server, asked_tls(server, "/") as reader:
            assert len((await read_response(reader)).body) == 2_000_000

    asyncio.run(run())
    assert [request.whole for request in server.log] == [True]


def test_the_server_leaves_no_certificate_behind() -> None:
    async def use(server: SimServer) -> None:
        assert server.ca_file
        assert server.ca_file.read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")

    server = with_server(SPEC, use, https=True)
    assert server.ca_file
    assert not server.ca_file.parent.exists()


@pytest.mark.parametrize(("trusts", "fault"), [(True, ""), (False, HANDSHAKE_FAILED)])
def test_the_log_has_the_client_of_an_https_request_and_of_a_handshake_that_failed(trusts: bool, fault: str) -> None:
    async def use(server: SimServer) -> None:
        context = trusting(server) if trusts else ssl.create_default_context()
        with nullcontext() if trusts else pytest.raises(ssl.SSLCertVerificationError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", server.https_port, ssl=context, server_hostname=OWN, local_addr=("127.0.0.7", 0)
            )
            writer.write(request_for(OWN, "/"))
            assert (await read_response(reader)).status == 200
            writer.close()
        await until(lambda: len(server.log) == 1)

    server = with_server(SPEC, use, {"/": Fixed()}, https=True)
    assert [(request.client, request.fault) for request in server.log] == [("127.0.0.7", fault)]
