"""Whoever may forbid requests is obeyed: nothing is sent once it says no, and what comes after that is thrown away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from math import inf
from pathlib import Path

import pytest

from weft.errors import FetchError
from weft.fetch import release
from weft.types import Fetched, Outcome
from weft.url import Target

from .rig import ADDRESS, PAGE, Rig, Visitor, deaf_listener, rigged, run, serve_pages, serving, until
from .test_ftp_talk import FILE, Talk, get, sends, talking

LARGE = b"x" * 200_000
LARGE_PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(LARGE) + LARGE


class Permission:
    """Yes, for so many times that it is asked, or until it is withdrawn."""

    def __init__(self, times: float = inf) -> None:
        self.times = times

    def __call__(self) -> bool:
        self.times -= 1
        return self.times >= 0

    def withdraw(self) -> None:
        self.times = 0

    def give(self) -> None:
        self.times = inf


async def forbidden(rig: Rig) -> FetchError:
    """The error of a fetch that was not permitted, or no longer: as if it had never been made."""
    error = await rig.fetch_error()
    assert (error.outcome, error.on_kept, error.partial) == (Outcome.CLOSED, True, None)
    assert rig.budget.used_bytes == 0
    assert rig.spooled() == []
    return error


async def is_forbidden(fetching: Awaitable[Fetched]) -> bool:
    """Whether a fetch ends as one that was never made."""
    try:
        await fetching
    except FetchError as error:
        return error.on_kept
    return False


def permitted(rig: Rig, permission: Callable[[], bool]) -> Rig:
    rig.fetcher.may_send = permission
    return rig


# ── nothing is sent ────────────────────────────────────────────────────────────────────────────────────


def test_without_permission_no_connection_is_made(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages) as rig:
            await forbidden(permitted(rig, lambda: False))
            assert rig.server.connections == 0
            assert rig.fetcher.statistics().new == 0

    run(scenario())


def test_without_permission_nothing_is_sent_on_a_kept_connection(tmp_path: Path) -> None:
    requests: list[bytes] = []

    async def script(visitor: Visitor) -> None:
        while True:
            requests.append(await visitor.request())
            await visitor.send(PAGE)

    async def scenario() -> None:
        permission = Permission()
        async with rigged(tmp_path, script) as rig:
            release(await permitted(rig, permission).fetch(), rig.budget)
            permission.withdraw()
            await forbidden(rig)
            assert len(requests) == 1
            permission.give()
            await rig.fetch()
            assert len(requests) == 2

    run(scenario())


@pytest.mark.parametrize("is_kept", [False, True], ids=["new connection", "kept connection"])
def test_a_request_is_sent_only_if_that_is_permitted_right_before(tmp_path: Path, is_kept: bool) -> None:
    """Permission is withdrawn after one look at it, two, three, until they suffice."""
    requests: list[bytes] = []

    async def script(visitor: Visitor) -> None:
        while True:
            requests.append(await visitor.request())
            await visitor.send(PAGE)

    async def scenario() -> None:
        for looks in count():
            permission = Permission()
            async with rigged(tmp_path, script) as rig:
                permitted(rig, permission)
                if is_kept:
                    await rig.fetch()
                requests.clear()
                permission.times = looks
                if not await is_forbidden(rig.fetch()):
                    break
                # One look before all of it, one before what is sent, and one when the answer has come.
                assert len(requests) <= max(0, looks - 1)
        assert looks >= 3

    run(scenario())


# ── FTP ────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_ftp_command_is_sent_only_if_that_is_permitted(tmp_path: Path) -> None:
    async def scenario() -> None:
        most = 0
        for looks in count():
            talk = Talk()
            async with talking(tmp_path, talk) as rig:
                if not await is_forbidden(get(permitted(rig, Permission(looks)))):
                    break
            assert len(talk.commands) < max(1, looks)
            most = max(most, len(talk.commands))
        assert most == len(talk.commands)

    run(scenario())


def test_no_data_connection_is_made_without_permission(tmp_path: Path) -> None:
    async def scenario() -> None:
        permission = Permission()
        connections = 0

        async def data(visitor: Visitor) -> None:
            nonlocal connections
            connections += 1
            await sends(FILE, talk)(visitor)

        class Withdrawing(Talk):
            async def _say(self, visitor: Visitor, reply: bytes | None) -> None:
                if (reply or b"").startswith(b"229"):
                    permission.withdraw()
                await super()._say(visitor, reply)

        talk = Withdrawing()
        async with talking(tmp_path, talk, data) as rig:
            with pytest.raises(FetchError) as raised:
                await get(permitted(rig, permission))
            assert raised.value.on_kept
        assert talk.commands[-1] == b"EPSV"
        assert connections == 0

    run(scenario())


def test_a_kept_ftp_session_says_nothing_without_permission(tmp_path: Path) -> None:
    async def scenario() -> None:
        permission = Permission()
        talk = Talk()
        async with talking(tmp_path, talk) as rig:
            await get(permitted(rig, permission))
            said = len(talk.commands)
            permission.withdraw()
            with pytest.raises(FetchError) as raised:
                await get(rig)
            assert raised.value.on_kept
            assert len(talk.commands) == said

    run(scenario())


# ── what comes too late ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("memory_bytes", [1_000_000, 0], ids=["in memory", "in a file"])
@pytest.mark.parametrize("sent", [LARGE_PAGE, LARGE_PAGE[:150_000], LARGE_PAGE[:10], b""])
def test_an_answer_that_comes_after_permission_has_ended_is_thrown_away(
    tmp_path: Path, sent: bytes, memory_bytes: int
) -> None:
    permission = Permission()

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        permission.withdraw()
        await visitor.send(sent)
        visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script, spool_over_bytes=memory_bytes) as rig:
            await forbidden(permitted(rig, permission))

    run(scenario())


def test_an_error_while_all_is_permitted_is_told_as_it_is(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(LARGE_PAGE[:1_000])
        visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            error = await permitted(rig, lambda: True).fetch_error()
            assert not error.on_kept
            assert error.partial is not None

    run(scenario())


# ── what is under way ──────────────────────────────────────────────────────────────────────────────────


def test_what_is_under_way_ends_when_all_is_abandoned(tmp_path: Path) -> None:
    async def scenario() -> None:
        permission, asked = Permission(), asyncio.Event()

        async def script(visitor: Visitor) -> None:
            if visitor.number == 1:
                await visitor.request()
                asked.set()
                await visitor.hold()
            await serve_pages(visitor)

        async with rigged(tmp_path, script) as rig:
            release(await permitted(rig, permission).fetch(host="kept.test"), rig.budget)
            waiting = asyncio.create_task(forbidden(rig))
            await asked.wait()
            permission.withdraw()
            rig.fetcher.abandon()
            await waiting
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert rig.fetcher.statistics().idle == 0
            permission.give()
            await rig.fetch(host="kept.test")

    run(scenario())


def test_a_connection_that_is_being_made_is_given_up_when_all_is_abandoned(tmp_path: Path) -> None:
    async def scenario() -> None:
        permission = Permission()
        async with rigged(tmp_path, serve_pages, connect_timeout_s=600.0) as rig:
            permitted(rig, permission)
            with deaf_listener() as port:
                target = Target("http", "deaf.test", port, "/")
                fetching = asyncio.create_task(rig.fetcher.fetch(f"http://deaf.test:{port}/", target, (ADDRESS,)))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                permission.withdraw()
                rig.fetcher.abandon()
                rig.fetcher.abandon()
                with pytest.raises(FetchError) as raised:
                    await fetching
            assert raised.value.on_kept
            permission.give()
            await rig.fetch()

    run(scenario())


def test_a_handshake_that_stalls_is_given_up_when_all_is_abandoned(tmp_path: Path) -> None:
    async def scenario() -> None:
        permission = Permission()
        shaking = asyncio.Event()

        async def stall(visitor: Visitor) -> None:
            await visitor.receive()
            shaking.set()
            await visitor.hold()

        async with serving(stall) as server, rigged(tmp_path, serve_pages, connect_timeout_s=600.0) as rig:
            permitted(rig, permission)
            target = Target("https", "site.test", server.port, "/")
            url = f"https://site.test:{server.port}/"
            fetching = asyncio.create_task(rig.fetcher.fetch(url, target, (ADDRESS,)))
            await shaking.wait()
            permission.withdraw()
            rig.fetcher.abandon()
            with pytest.raises(FetchError) as raised:
                await fetching
            assert raised.value.on_kept

    run(scenario())
