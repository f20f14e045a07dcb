"""FTP servers that talk without being asked, or instead of answering: nobody waits for them, and nothing piles up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from weft.types import Outcome

from .rig import Visitor, rigged, run, serving, until
from .test_ftp_talk import FILE, Talk, fail, get, sends


def test_a_server_that_puts_us_off_again_and_again_has_the_time_for_one_reply(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def puts_off(visitor: Visitor) -> None:
            for _ in range(100):
                await visitor.send(b"120 Soon\r\n")
                await asyncio.sleep(0.05)
            visitor.close()

        async with rigged(tmp_path, puts_off, scheme="ftp", head_timeout_s=0.2) as rig:
            assert (await fail(rig)).outcome is Outcome.RESPONSE_TIMEOUT

    run(scenario())


@pytest.mark.parametrize("word", [b"200 So\r\n", b"That is no reply\r\n", b"200-No end\r\n"])
def test_a_server_that_talks_on_during_a_transfer_is_not_listened_to(word: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk(**{"after RETR": word * 10_000})
        closed = asyncio.Event()

        async def control(visitor: Visitor) -> None:
            try:
                await talk(visitor)
            finally:
                closed.set()

        async def data(visitor: Visitor) -> None:
            await until(lambda: rig.fetcher.statistics().active == 1)  # the 150 has come
            talk.sent.set()
            await closed.wait()
            await visitor.send(FILE)
            visitor.close()

        async with serving(data) as data_server, rigged(tmp_path, control, scheme="ftp") as rig:
            talk.data_port = data_server.port
            assert (await get(rig)).body == FILE

    run(scenario())


@pytest.mark.parametrize("word", [b"421 You are so quiet\r\n", b"200 By the way\r\n", b"2"])
def test_a_session_that_is_spoken_to_while_idle_is_closed_and_opened_again(word: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk()
        visitors: list[Visitor] = []

        async def remembered(visitor: Visitor) -> None:
            visitors.append(visitor)
            await talk(visitor)

        async with serving(sends(FILE, talk)) as data_server, rigged(tmp_path, remembered, scheme="ftp") as rig:
            talk.data_port = data_server.port
            assert (await get(rig)).body == FILE
            await visitors[0].send(word)
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert (await get(rig)).body == FILE
            assert len(visitors) == 2

    run(scenario())
