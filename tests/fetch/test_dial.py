"""Several addresses of one host: who is asked, in which order, and which error is told."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from weft.errors import FetchError
from weft.fetch.connection import Connection
from weft.fetch.dial import MAX_AT_ONCE, dial
from weft.types import Outcome

from . import certificates
from .rig import deaf_listener, open_sockets, open_sockets_before, rigged, run, serve_pages, serving, until

GOOD = "127.0.0.1"
OTHER = "127.0.0.2"
REFUSING = "127.0.0.3"  # nobody listens there
SILENT = "127.0.0.4"
UNREACHABLE = "127.255.255.255"  # the broadcast address of loopback: TCP knows no way to it


def test_first_address_is_taken_when_it_answers(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig, serving(serve_pages, address=OTHER, port=rig.server.port) as b:
            fetched = await rig.fetch(addresses=(GOOD, OTHER))
            assert fetched.address == GOOD
            assert b.connections == 0

    run(scenario())


@pytest.mark.parametrize("bad", [REFUSING, UNREACHABLE])
def test_address_that_fails_is_followed_by_the_next_at_once(bad: str) -> None:
    async def scenario() -> None:
        lost = asyncio.Event()
        async with serving(serve_pages) as server:
            deadline_s = asyncio.get_running_loop().time() + 10
            connection = await dial(
                (bad, GOOD),
                server.port,
                lambda address: Connection(address, lambda _: lost.set()),
                deadline_s,
                stagger_s=60,
            )
            assert connection.address == GOOD
            connection.abort()
            await lost.wait()

    run(scenario())


def test_silent_address_is_followed_by_the_next_and_closed_when_that_wins(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            with deaf_listener(SILENT, rig.server.port):
                sockets_before = open_sockets_before()
                fetched = await rig.fetch(addresses=(SILENT, GOOD))
                assert fetched.address == GOOD
                await until(lambda: open_sockets() == sockets_before + 2)  # both ends of the winner

    run(scenario())


@pytest.mark.parametrize(("listening", "address"), [("::1", "::1"), ("127.0.0.1", "127.0.0.1")])
def test_host_with_ipv6_and_ipv4_is_reached_by_whichever_works(listening: str, address: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, address=listening) as rig:
            assert (await rig.fetch(addresses=("::1", "127.0.0.1"))).address == address
            assert (await rig.fetch(addresses=("127.0.0.1", "::1"))).address == address

    run(scenario())


def test_winner_of_the_race_is_secured(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            fetched = await rig.fetch(addresses=(REFUSING, GOOD))
            assert (fetched.address, fetched.body) == (GOOD, b"hello")

    run(scenario())


async def dial_error(addresses: tuple[str, ...], port: int, timeout_s: float, stagger_s: float = 0.01) -> FetchError:
    deadline_s = asyncio.get_running_loop().time() + timeout_s
    with pytest.raises(FetchError) as caught:
        await dial(
            addresses,
            port,
            lambda address: Connection(address, lambda _: None),
            deadline_s,
            stagger_s,
        )
    return caught.value


@pytest.mark.parametrize(
    ("addresses", "outcome", "blamed"),
    [
        ((REFUSING, OTHER), Outcome.CONNECT_REFUSED, REFUSING),
        ((UNREACHABLE, REFUSING), Outcome.CONNECT_REFUSED, REFUSING),
        ((SILENT, REFUSING), Outcome.CONNECT_REFUSED, REFUSING),
        ((UNREACHABLE, SILENT), Outcome.CONNECT_TIMEOUT, SILENT),
        ((UNREACHABLE, UNREACHABLE), Outcome.UNREACHABLE, UNREACHABLE),
        ((UNREACHABLE,), Outcome.UNREACHABLE, UNREACHABLE),
    ],
)
def test_when_all_fail_the_most_telling_error_is_told(
    addresses: tuple[str, ...], outcome: Outcome, blamed: str
) -> None:
    with deaf_listener(SILENT) as port:
        error = run(dial_error(addresses, port, timeout_s=0.5 if SILENT in addresses else 10))
    assert error.outcome is outcome
    assert blamed in error.detail


def test_name_with_many_dead_addresses_is_not_worth_many_sockets() -> None:
    silent = [f"127.0.0.{number}" for number in range(10, 20)]

    async def scenario(port: int) -> None:
        sockets_before = open_sockets_before()
        task = asyncio.create_task(dial_error(tuple(silent), port, timeout_s=0.5))
        most = 0
        while not task.done():
            most = max(most, open_sockets() - sockets_before)
            await asyncio.sleep(0.01)
        assert (await task).outcome is Outcome.CONNECT_TIMEOUT
        assert most == MAX_AT_ONCE
        await until(lambda: open_sockets() <= sockets_before)

    with ExitStack() as stack:
        port = stack.enter_context(deaf_listener(silent[0]))
        for address in silent[1:]:
            stack.enter_context(deaf_listener(address, port))
        run(scenario(port))


def test_cancelled_race_leaves_nothing_open() -> None:
    async def scenario(port: int) -> None:
        sockets_before = open_sockets_before()
        task = asyncio.create_task(dial_error((SILENT, SILENT), port, timeout_s=5))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: open_sockets() <= sockets_before)

    with deaf_listener(SILENT) as port:
        run(scenario(port))


@pytest.mark.parametrize("addresses", [("localhost",), (GOOD, "site.test"), ("",), ("127.1",), ("[::1]",), ()])
def test_name_instead_of_an_address_is_a_programming_error(addresses: tuple[str, ...], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            with pytest.raises(ValueError, match="address"):
                await rig.fetch(addresses=addresses)
            assert rig.server.connections == 0

    run(scenario())


def test_address_that_is_no_longer_given_is_not_used_again(tmp_path: Path) -> None:
    """A name that moves after it was vetted: the idle connection to its old place is closed, not used."""

    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig, serving(serve_pages, address=OTHER, port=rig.server.port):
            assert (await rig.fetch(addresses=(GOOD,))).address == GOOD
            assert (await rig.fetch(addresses=(OTHER,))).address == OTHER
            await until(lambda: rig.fetcher.statistics().open == 1)
            assert rig.fetcher.statistics()[3:] == (2, 0, 0)

    run(scenario())


def test_idle_connection_is_used_whichever_address_won(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            await rig.fetch(addresses=(REFUSING, GOOD))
            assert (await rig.fetch(addresses=(OTHER, GOOD))).address == GOOD
            assert rig.fetcher.statistics()[3:] == (1, 1, 0)

    run(scenario())


def test_one_bare_address_is_not_taken_for_a_list_of_letters(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            with pytest.raises(ValueError, match="not a list"):
                await rig.fetch(addresses="127.0.0.11")  # in which "127.0.0.1" can be found

    run(scenario())
