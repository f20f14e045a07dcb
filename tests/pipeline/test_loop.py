"""What begins first when something has changed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest
import uvloop

from weft.pipeline.loop import Loop

NewLoop = Callable[[], asyncio.AbstractEventLoop]
each_loop = pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])


@each_loop
def test_requests_leave_before_the_answers_that_made_room_for_them_are_processed(new_loop: NewLoop) -> None:
    async def main() -> list[bytes]:
        """What has left for each server when the first answer is processed."""
        loop = Loop()
        free: list[asyncio.Transport] = []
        left: list[bytes] = []
        pairs = [socket.socketpair() for _ in range(3)]
        for ours, server in pairs:
            server.setblocking(False)
            free.append((await asyncio.get_running_loop().create_unix_connection(asyncio.Protocol, sock=ours))[0])

        async def ask(transport: asyncio.Transport) -> None:
            transport.write(b"request")

        def pump() -> None:
            while free:
                loop.spawn(ask(free.pop()))

        async def take_answer() -> None:
            await loop.once_asked()
            if not left:
                left.extend(server.recv(100) for _, server in pairs)

        transports = tuple(free)
        async with asyncio.TaskGroup() as tasks:
            loop.begin(pump, tasks)
            for _ in pairs:
                loop.spawn(take_answer())
        loop.end()
        for transport, (_, server) in zip(transports, pairs, strict=True):
            transport.abort()
            server.close()
        return left

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(main()) == [b"request"] * 3


def test_who_waits_for_requests_goes_on_where_none_began() -> None:
    async def main() -> None:
        loop = Loop()
        async with asyncio.TaskGroup() as tasks:
            loop.begin(lambda: None, tasks)
            await loop.once_asked()

    asyncio.run(main())


def test_one_who_is_cancelled_while_waiting_leaves_the_others_whole() -> None:
    async def main() -> int:
        loop, pumps = Loop(), 0

        def pump() -> None:
            nonlocal pumps
            pumps += 1

        async def take_answer() -> None:
            await loop.once_asked()

        async with asyncio.TaskGroup() as tasks:
            loop.begin(pump, tasks)
            waiting = loop.spawn(take_answer())
            await asyncio.sleep(0)  # it has begun to wait
            waiting.cancel()
            await asyncio.wait([waiting])
            await loop.once_asked()
        return pumps

    assert asyncio.run(main()) >= 2
