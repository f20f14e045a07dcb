"""Through an HTTP proxy: what it is sent, what the archive keeps, and what its failures are called."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from weft.errors import BadInput
from weft.fetch.proxy import HttpProxy
from weft.types import Outcome
from weft.url import Target

from . import certificates
from .rig import ADDRESS, PAGE, Rig, Script, Visitor, deaf_listener, rigged, run, serve_pages, serving, until

NOWHERE: tuple[str, ...] = ()


class SmallProxy:
    """A proxy that takes every host for the one server that there is; it keeps the heads that it was sent."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.server_port = 0
        self.password = b""

    async def __call__(self, visitor: Visitor) -> None:
        while True:
            head = await visitor.request()
            self.heads.append(head)
            if self.password and b"Proxy-Authorization: Basic " + b64encode(self.password) not in head:
                await visitor.send(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 5\r\n\r\nwho??")
            elif head.startswith(b"CONNECT "):
                await visitor.send(b"HTTP/1.0 200 Connection established\r\n\r\n")
                await visitor.relay(self.server_port)
                return
            else:
                await visitor.send(PAGE)


@asynccontextmanager
async def proxied(
    folder: Path, proxy: Script, *, user: str = "", tls: bool = False, **settings: Any
) -> AsyncIterator[Rig]:
    """A fetcher, a proxy and, behind it, a server."""
    context = certificates.server_context() if tls else None
    async with (
        serving(proxy) as proxy_server,
        rigged(
            folder,
            serve_pages,
            tls=context,
            proxy=f"http://{user}{ADDRESS}:{proxy_server.port}",
            ca_file=certificates.ca_file() if tls else "",
            **settings,
        ) as rig,
    ):
        if isinstance(proxy, SmallProxy):
            proxy.server_port = rig.server.port
        yield rig


def test_http_is_asked_of_the_proxy_in_absolute_form_and_archived_in_origin_form(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallProxy()
        async with proxied(tmp_path, proxy, user="me:se%3Acret@") as rig:
            fetched = await rig.fetch("/a?b", addresses=NOWHERE)
            host = b"site.test:%d" % rig.server.port
            assert proxy.heads[0].startswith(b"GET http://%b/a?b HTTP/1.1\r\nProxy-Authorization: Basic " % host)
            assert b64encode(b"me:se:cret") in proxy.heads[0]
            assert b"\r\nHost: %b\r\n" % host in proxy.heads[0]
            assert fetched.request.startswith(b"GET /a?b HTTP/1.1\r\nHost: %b\r\n" % host)
            assert b"Proxy-Authorization" not in fetched.request
            assert fetched.address == ADDRESS
            assert fetched.body == b"hello"
            assert rig.server.connections == 0  # this proxy answers by itself

    run(scenario())


def test_all_plain_hosts_share_the_connections_to_the_proxy(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, SmallProxy()) as rig:
            for host in ("a.test", "b.test", "c.test"):
                await rig.fetch(host=host, addresses=NOWHERE)
            assert rig.fetcher.statistics()[3:] == (1, 2, 0)

    run(scenario())


def test_limit_of_idle_connections_per_host_does_not_count_for_the_proxy(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, SmallProxy(), max_idle_connections_per_host=1) as rig:
            await asyncio.gather(*(rig.fetch(host=f"h{number}.test", addresses=NOWHERE) for number in range(5)))
            assert rig.fetcher.statistics().idle == 5

    run(scenario())


def test_https_goes_through_a_tunnel_and_is_secure_to_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallProxy()
        proxy.password = b"me:secret"
        async with proxied(tmp_path, proxy, user="me:secret@", tls=True) as rig:
            for _ in range(2):
                fetched = await rig.fetch("/a", addresses=NOWHERE)
                assert fetched.body == b"hello"
                assert fetched.address == ADDRESS
                assert fetched.request.startswith(b"GET /a HTTP/1.1\r\n")
                assert b"Proxy" not in fetched.request
            place = b"site.test:%d" % rig.server.port
            assert [head.split(b"\r\n")[:2] for head in proxy.heads] == [
                [b"CONNECT %b HTTP/1.1" % place, b"Host: %b" % place]
            ]
            assert rig.fetcher.statistics()[3:] == (1, 1, 0)
            error = await rig.fetch_error(host="other.test", addresses=NOWHERE)
            assert error.outcome is Outcome.TLS_CERTIFICATE

    run(scenario())


async def refuse(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 403 Not for you\r\nContent-Length: 0\r\n\r\n")
    await visitor.hold()


async def want_a_password(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 407 Who?\r\nContent-Length: 3\r\n\r\nwho")
    await visitor.hold()


async def answer_garbage(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"SOCKS?\r\n\r\n")
    await visitor.hold()


async def answer_without_end(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await visitor.send(b"X: y\r\n" * 1000)


async def close_without_an_answer(visitor: Visitor) -> None:
    await visitor.request()
    visitor.close()


async def never_answer(visitor: Visitor) -> None:
    await visitor.hold()


CONNECT_FAILURES: list[tuple[Script, str]] = [
    (refuse, "403 Not for you"),
    (want_a_password, "407 Who?"),
    (answer_garbage, "not HTTP"),
    (answer_without_end, "more than"),
    (close_without_an_answer, "closed"),
    (never_answer, "no answer to CONNECT in time"),
]


@pytest.mark.parametrize(("proxy", "words"), CONNECT_FAILURES, ids=[row[0].__name__ for row in CONNECT_FAILURES])
def test_tunnel_that_does_not_open_is_proxy_failed(proxy: Script, words: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        timeout_s = 0.2 if proxy is never_answer else 10
        async with proxied(tmp_path, proxy, tls=True, connect_timeout_s=timeout_s) as rig:
            error = await rig.fetch_error(addresses=NOWHERE)
            assert error.outcome is Outcome.PROXY_FAILED
            assert words in error.detail
            assert rig.fetcher.statistics() == (0, 0, 0, 0, 0, 0)

    run(scenario())


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (502, Outcome.UNREACHABLE),
        (503, Outcome.UNREACHABLE),
        (504, Outcome.CONNECT_TIMEOUT),
        (500, Outcome.PROXY_FAILED),
    ],
)
def test_what_the_proxy_says_of_the_server_is_not_the_proxys_failure(
    status: int, outcome: Outcome, tmp_path: Path
) -> None:
    async def proxy(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(b"HTTP/1.1 %d So\r\n\r\n" % status)

    async def scenario() -> None:
        async with proxied(tmp_path, proxy, tls=True) as rig:
            error = await rig.fetch_error(addresses=NOWHERE)
            assert error.outcome is outcome
            assert str(status) in error.detail

    run(scenario())


async def open_and_stall(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n\r\n")
    await visitor.hold()


async def open_and_close(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n\r\n")
    visitor.close()


@pytest.mark.parametrize(
    ("proxy", "outcome"), [(open_and_stall, Outcome.CONNECT_TIMEOUT), (open_and_close, Outcome.TLS_FAILED)]
)
def test_handshake_that_fails_behind_the_proxy_is_not_blamed_on_it(
    proxy: Script, outcome: Outcome, tmp_path: Path
) -> None:
    async def scenario() -> None:
        timeout_s = 0.2 if outcome is Outcome.CONNECT_TIMEOUT else 10
        async with proxied(tmp_path, proxy, tls=True, connect_timeout_s=timeout_s) as rig:
            assert (await rig.fetch_error(addresses=NOWHERE)).outcome is outcome

    run(scenario())


def test_plain_request_that_the_proxy_wants_a_password_for_is_proxy_failed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, want_a_password) as rig:
            error = await rig.fetch_error(addresses=NOWHERE)
            assert error.outcome is Outcome.PROXY_FAILED
            assert "407" in error.detail
            assert rig.budget.used_bytes == 0

    run(scenario())


def test_407_from_within_a_tunnel_is_the_server_s_own(tmp_path: Path) -> None:
    route = HttpProxy("http://127.0.0.1:1")
    assert route.fault(Target("https", "a.test", 443, "/"), 407) is None
    assert route.fault(Target("http", "a.test", 80, "/"), 404) is None


def test_refusal_of_a_plain_request_is_a_response(tmp_path: Path) -> None:
    """Whether it is the server's or the proxy's cannot be told."""

    async def scenario() -> None:
        async with proxied(tmp_path, refuse) as rig:
            assert (await rig.fetch(addresses=NOWHERE)).status == 403

    run(scenario())


def test_proxy_that_is_not_there_is_proxy_failed(tmp_path: Path) -> None:
    async def scenario(proxy: str, words: str, timeout_s: float) -> None:
        async with rigged(tmp_path, serve_pages, proxy=proxy, connect_timeout_s=timeout_s) as rig:
            error = await rig.fetch_error(addresses=NOWHERE)
            assert error.outcome is Outcome.PROXY_FAILED
            assert words in error.detail

    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))
        run(scenario(f"http://{ADDRESS}:{taken.getsockname()[1]}", "connect-refused", 10))
    with deaf_listener() as port:
        run(scenario(f"http://{ADDRESS}:{port}", "connect-timeout", 0.1))


def test_proxy_is_looked_up_by_its_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallProxy()
        async with (
            serving(proxy) as proxy_server,
            rigged(tmp_path, serve_pages, proxy=f"http://localhost:{proxy_server.port}/") as rig,
        ):
            fetched = await rig.fetch(addresses=NOWHERE)
            assert fetched.address == ADDRESS
            assert len(proxy.heads) == 1

    run(scenario())


def test_fetch_that_is_cancelled_while_the_tunnel_opens_leaves_nothing_open(tmp_path: Path) -> None:
    async def scenario() -> None:
        asked = asyncio.Event()

        async def proxy(visitor: Visitor) -> None:
            await visitor.request()
            asked.set()
            await visitor.hold()
            asked.clear()

        async with proxied(tmp_path, proxy, tls=True) as rig:
            task = asyncio.create_task(rig.fetch(addresses=NOWHERE))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: not asked.is_set())  # the proxy sees that we have gone

    run(scenario())


@pytest.mark.parametrize(
    "url",
    [
        "proxy.test:3128",
        "https://proxy.test:3128",
        "socks5://proxy.test:1080",
        "http://",
        "http://proxy.test:port",
        "http://proxy.test:99999",
        "http://proxy.test:3128/path",
        "http://a b:3128",
        "http://[::1",
    ],
)
def test_proxy_that_is_none_is_bad_input_and_no_password_is_repeated(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        HttpProxy(url.replace("//", "//me:secret@"))
    assert "secret" not in str(caught.value)
