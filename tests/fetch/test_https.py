"""What a secure connection carries, and how it ends: as a plain one would."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from weft.fetch import release
from weft.types import Outcome

from . import certificates
from .framings import OK
from .rig import PAGE, Visitor, rigged, run, serve_pages, until


def test_secure_connection_is_used_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            first = await rig.fetch()
            for _ in range(4):
                fetched = await rig.fetch()
                assert fetched.timing.connect_s == 0 < first.timing.connect_s
            assert rig.fetcher.statistics() == (0, 1, 1, 1, 4, 0)

    run(scenario())


def test_secure_and_plain_connections_to_a_place_are_not_confused(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            await rig.fetch()
            rig.scheme = "http"
            assert (await rig.fetch_error()).outcome in (Outcome.CLOSED, Outcome.BAD_RESPONSE, Outcome.RESET)
            assert rig.fetcher.statistics().reused == 0

    run(scenario())


@pytest.mark.parametrize("without_notice", [False, True])
def test_body_until_close_is_whole_however_the_server_closes(without_notice: bool, tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(OK + b"\r\nhello")
        visitor.close_without_notice() if without_notice else visitor.close()
        await visitor.hold()

    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, script, tls=context, ca_file=certificates.ca_file()) as rig:
            fetched = await rig.fetch()
            assert fetched.body == b"hello"
            assert fetched.truncated is None
            await until(lambda: rig.fetcher.statistics().open == 0)

    run(scenario())


def test_idle_secure_connection_that_the_server_closes_is_forgotten(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(PAGE)
        visitor.close()

    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, script, tls=context, ca_file=certificates.ca_file()) as rig:
            await rig.fetch()
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert (await rig.fetch()).body == b"hello"
            assert rig.fetcher.statistics().stale == 0

    run(scenario())


def test_reset_in_a_secure_body_is_reset_and_keeps_what_came(tmp_path: Path) -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(OK + b"Content-Length: 100\r\n\r\nhello")
        await asyncio.sleep(0.05)
        visitor.reset()

    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, script, tls=context, ca_file=certificates.ca_file()) as rig:
            error = await rig.fetch_error()
            assert error.outcome is Outcome.RESET
            assert error.partial is not None
            assert error.partial.body == b"hello"

    run(scenario())


def test_long_secure_body_is_spooled_whole(tmp_path: Path) -> None:
    body = os.urandom(3_000_000)

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await visitor.hold()

    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, script, tls=context, ca_file=certificates.ca_file()) as rig:
            fetched = await rig.fetch()
            assert fetched.spool is not None
            assert Path(fetched.spool).read_bytes() == body
            release(fetched, rig.budget)
            assert rig.spooled() == []

    run(scenario())


def test_request_longer_than_a_record_is_sent_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            path = "/" + "x" * 40_000
            assert (await rig.fetch(path)).body == b"hello"

    run(scenario())


def test_plain_asyncio_loop_speaks_tls_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            for _ in range(3):
                assert (await rig.fetch()).body == b"hello"
            assert rig.server.connections == 1
            assert (await rig.fetch_error(host="other.test")).outcome is Outcome.TLS_CERTIFICATE

    asyncio.run(asyncio.wait_for(scenario(), 60))
