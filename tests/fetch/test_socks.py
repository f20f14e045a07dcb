"""Through a SOCKS5 proxy: what it is told, and what its failures are called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from weft.errors import BadInput
from weft.fetch.socks import SocksProxy
from weft.types import Outcome

from .rig import ADDRESS, Rig, Script, Visitor, deaf_listener, rigged, run, serve_pages, serving, until

OPENED = b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
OTHER_ADDRESS = "127.0.0.2"


class SmallSocks:
    """A proxy that takes every place for the one server that there is, and remembers what it was asked for."""

    def __init__(self, *replies: int, piece_bytes: int = 1000) -> None:
        self.asked: list[bytes] = []
        self.server_port = 0
        self._replies = list(replies)  # to the first requests; then all is well
        self._piece_bytes = piece_bytes

    async def __call__(self, visitor: Visitor) -> None:
        assert await visitor.receive() == b"\x05\x01\x00"
        await self._send(visitor, b"\x05\x00")
        self.asked.append(await visitor.receive())
        reply = self._replies.pop(0) if self._replies else 0
        await self._send(visitor, OPENED[:1] + bytes((reply,)) + OPENED[2:])
        if not reply:
            await visitor.relay(self.server_port)

    async def _send(self, visitor: Visitor, data: bytes) -> None:
        for start in range(0, len(data), self._piece_bytes):
            await visitor.send(data[start : start + self._piece_bytes])
            await asyncio.sleep(0)


@asynccontextmanager
async def proxied(
    folder: Path, proxy: Script, *, scheme: str = "socks5", user: str = "", **settings: Any
) -> AsyncIterator[Rig]:
    """A fetcher, a proxy and, behind it, a server."""
    async with (
        serving(proxy) as proxy_server,
        rigged(folder, serve_pages, proxy=f"{scheme}://{user}{ADDRESS}:{proxy_server.port}", **settings) as rig,
    ):
        if isinstance(proxy, SmallSocks):
            proxy.server_port = rig.server.port
        yield rig


def by_number(address: str, port: int) -> bytes:
    number = ip_address(address)
    return b"\x05\x01\x00" + (b"\x01" if number.version == 4 else b"\x04") + number.packed + port.to_bytes(2, "big")


@pytest.mark.parametrize("address", [ADDRESS, "2001:db8::1"])
def test_socks5_is_told_the_vetted_address_and_that_is_who_answers(address: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallSocks()
        async with proxied(tmp_path, proxy) as rig:
            fetched = await rig.fetch(addresses=(address,))
            assert proxy.asked == [by_number(address, rig.server.port)]
            assert (fetched.status, fetched.address) == (200, address)

    run(scenario())


def test_socks5h_is_told_the_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallSocks()
        async with proxied(tmp_path, proxy, scheme="socks5h") as rig:
            await rig.fetch(addresses=(), host="site.test")
            assert proxy.asked == [b"\x05\x01\x00\x03\x09site.test" + rig.server.port.to_bytes(2, "big")]

    run(scenario())


def test_an_answer_may_come_byte_by_byte(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, SmallSocks(piece_bytes=1)) as rig:
            assert (await rig.fetch()).status == 200

    run(scenario())


def test_a_connection_is_kept_for_its_server_as_long_as_its_address_is_allowed(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallSocks()
        async with proxied(tmp_path, proxy) as rig:
            await rig.fetch()
            await rig.fetch()
            assert len(proxy.asked) == 1
            await rig.fetch(host="other.test")
            await rig.fetch(addresses=(OTHER_ADDRESS,))
            assert len(proxy.asked) == 3

    run(scenario())


def test_the_next_address_is_tried_when_one_is_dead(tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallSocks(4, 5)
        async with proxied(tmp_path, proxy) as rig:
            fetched = await rig.fetch(addresses=("127.0.0.3", "127.0.0.4", OTHER_ADDRESS))
            assert fetched.address == OTHER_ADDRESS
            assert len(proxy.asked) == 3

    run(scenario())


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (1, Outcome.PROXY_FAILED),
        (2, Outcome.PROXY_FAILED),
        (3, Outcome.UNREACHABLE),
        (4, Outcome.UNREACHABLE),
        (5, Outcome.CONNECT_REFUSED),
        (6, Outcome.CONNECT_TIMEOUT),
        (7, Outcome.PROXY_FAILED),
        (8, Outcome.PROXY_FAILED),
        (99, Outcome.PROXY_FAILED),
    ],
)
def test_what_the_proxy_says_of_the_server_is_the_servers_fault_and_the_rest_its_own(
    reply: int, outcome: Outcome, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, SmallSocks(reply)) as rig:
            assert (await rig.fetch_error()).outcome is outcome
            await until(lambda: rig.fetcher.statistics().open == 0)

    run(scenario())


def says(*answers: bytes, holds: bool = False) -> Script:
    """A proxy with these answers, whatever it is asked."""

    async def script(visitor: Visitor) -> None:
        for answer in answers:
            await visitor.receive()
            await visitor.send(answer)
        if holds:
            await visitor.hold()

    return script


@pytest.mark.parametrize(
    "answers",
    [
        (),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n",),
        (b"\x04\x00",),
        (b"\x05",),
        (b"\x05\xff",),
        (b"\x05\x02",),
        (b"\x05\x01",),
        (b"\x05\x00", b"\x05\x00"),
        (b"\x05\x00", b"\x04\x00\x00\x01"),
        (b"\x05\x00", b"\x05\x00\x00\x09"),
        (b"\x05\x00", b"\x05\x00\x00\x03\xffshort"),
    ],
)
def test_a_proxy_that_makes_no_sense_has_failed(answers: tuple[bytes, ...], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, says(*answers)) as rig:
            assert (await rig.fetch_error()).outcome is Outcome.PROXY_FAILED

    run(scenario())


@pytest.mark.parametrize(
    ("answers", "outcome"), [((), Outcome.PROXY_FAILED), ((b"\x05\x00",), Outcome.CONNECT_TIMEOUT)]
)
def test_silence_is_the_proxys_until_it_has_let_us_in(
    answers: tuple[bytes, ...], outcome: Outcome, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with proxied(tmp_path, says(*answers, holds=True), connect_timeout_s=0.2) as rig:
            assert (await rig.fetch_error()).outcome is outcome

    run(scenario())


def test_a_proxy_that_cannot_be_reached_has_failed(tmp_path: Path) -> None:
    async def scenario() -> None:
        with deaf_listener() as port:
            proxy = f"socks5://{ADDRESS}:{port}"
            async with rigged(tmp_path, serve_pages, proxy=proxy, connect_timeout_s=0.1) as rig:
                assert (await rig.fetch_error()).outcome is Outcome.PROXY_FAILED

    run(scenario())


def test_the_password_is_sent_only_to_a_proxy_that_asks_for_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        heard: list[bytes] = []

        async def asks(visitor: Visitor) -> None:
            heard.append(await visitor.receive())
            await visitor.send(b"\x05\x02")
            heard.append(await visitor.receive())
            await visitor.send(b"\x01\x01")

        async with proxied(tmp_path, asks, user="me:se%3Acret@") as rig:
            error = await rig.fetch_error()
            assert heard == [b"\x05\x02\x00\x02", b"\x01\x02me\x07se:cret"]
            assert error.outcome is Outcome.PROXY_FAILED
            assert "cret" not in str(error)
        heard.clear()
        async with proxied(tmp_path, asks) as rig:
            assert (await rig.fetch_error()).outcome is Outcome.PROXY_FAILED
            assert heard[0] == b"\x05\x01\x00"
            assert b"".join(heard[1:]) == b""

    run(scenario())


def test_a_cancelled_handshake_closes_its_connection(tmp_path: Path) -> None:
    async def scenario() -> None:
        gone = asyncio.Event()

        async def holds(visitor: Visitor) -> None:
            await visitor.hold()
            gone.set()

        async with proxied(tmp_path, holds) as rig:
            task = asyncio.create_task(rig.fetch())
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await gone.wait()

    run(scenario())


@pytest.mark.parametrize(
    "url",
    [
        "socks4://proxy.test:1080",
        "socks://proxy.test:1080",
        "socks5://",
        "socks5://proxy.test:99999",
        "socks5://proxy.test/path",
        "socks5h://a b",
        "socks5:proxy.test",
    ],
)
def test_proxy_that_is_none_is_bad_input_and_no_password_is_repeated(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        SocksProxy(url.replace("//", "//me:secret@"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("user", [":secret", "me", "me:" + "x" * 256])
def test_credentials_that_socks_cannot_carry_are_bad_input(user: str) -> None:
    with pytest.raises(BadInput, match="1 to 255"):
        SocksProxy(f"socks5://{user}@proxy.test")
