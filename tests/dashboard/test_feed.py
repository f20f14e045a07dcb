"""One reading for all viewers, however many and slow they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from weft.clock import FakeClock
from weft.dashboard.feed import Feed, Full
from weft.dashboard.source import Trouble


class Figures:
    """A source whose status is a number that the test sets."""

    kind = "crawl"
    name = "x"
    every_s = 1.0

    def __init__(self) -> None:
        self.now: int | None = 1
        self.readings = 0

    async def status(self) -> bytes:
        self.readings += 1
        if self.now is None:
            raise Trouble("gone")
        return str(self.now).encode()

    async def history(self) -> bytes:
        self.readings += 1
        return b"[]"

    async def metrics(self) -> str:
        return ""

    async def obey(self, body: bytes) -> str:
        return ""

    async def close(self) -> None:
        pass


class Rig:
    def __init__(self, most: int = 3) -> None:
        self.source = Figures()
        self.clock = FakeClock()
        self.feed = Feed(self.source, self.clock, most=most)

    async def turn(self, now: int | None) -> None:
        """A second passes, and the feed reads."""
        self.source.now = now
        self.clock.advance(1.0)
        await self.feed.refresh()


def run(test: Callable[[Rig], Coroutine[Any, Any, None]]) -> None:
    async def inside() -> None:
        async with asyncio.timeout(60):
            await test(Rig())

    asyncio.run(inside())


async def frame_of(frames: AsyncIterator[bytes]) -> Any:
    """The next frame that is more than a sign of life."""
    async for frame in frames:
        if frame.startswith(b"data: "):
            assert frame.endswith(b"\n\n")
            return json.loads(frame[6:])
    return None


def test_all_viewers_see_one_reading() -> None:
    async def test(rig: Rig) -> None:
        viewers = [rig.feed.frames() for _ in range(3)]
        await rig.turn(7)
        frames = [await frame_of(viewer) for viewer in viewers]
        assert [frame["status"] for frame in frames] == [7, 7, 7]
        assert rig.source.readings == 1

    run(test)


def test_who_asks_often_reads_no_more_often() -> None:
    async def test(rig: Rig) -> None:
        await asyncio.gather(*(rig.feed.status() for _ in range(100)))
        for _ in range(100):
            await rig.feed.status()
        assert rig.source.readings == 1
        rig.clock.advance(1.0)
        await rig.feed.status()
        assert rig.source.readings == 2

    run(test)


def test_a_slow_viewer_misses_frames_and_gets_the_newest() -> None:
    async def test(rig: Rig) -> None:
        viewer = rig.feed.frames()
        await rig.turn(1)
        assert (await frame_of(viewer))["status"] == 1
        for number in range(2, 50):
            await rig.turn(number)
        assert (await frame_of(viewer))["status"] == 49

    run(test)


def test_nothing_is_sent_when_nothing_has_changed() -> None:
    async def test(rig: Rig) -> None:
        viewer = rig.feed.frames()
        await rig.turn(1)
        await frame_of(viewer)
        waiting = asyncio.ensure_future(frame_of(viewer))
        await rig.turn(1)
        await asyncio.sleep(0)
        assert not waiting.done()
        await rig.turn(2)
        assert (await waiting)["status"] == 2

    run(test)


def test_there_are_at_most_so_many_viewers_and_a_place_is_free_again() -> None:
    async def test(rig: Rig) -> None:
        with rig.feed.place(), rig.feed.place():
            with rig.feed.place(), pytest.raises(Full), rig.feed.place():
                pass
            with rig.feed.place():
                assert rig.feed.viewers == 3
        assert rig.feed.viewers == 0

    run(test)


def test_nothing_is_read_while_nobody_looks() -> None:
    async def test(rig: Rig) -> None:
        task = asyncio.create_task(rig.feed.run())
        for _ in range(20):
            await asyncio.sleep(0)
        assert rig.source.readings == 0
        with rig.feed.place():
            assert (await frame_of(rig.feed.frames()))["status"] == 1
        task.cancel()

    run(test)


def test_a_crawl_that_cannot_be_read_is_told_and_read_again() -> None:
    async def test(rig: Rig) -> None:
        viewer = rig.feed.frames()
        await rig.turn(None)
        frame = await frame_of(viewer)
        assert (frame["status"], frame["trouble"]) == (None, "gone")
        with pytest.raises(Trouble):
            await rig.feed.status()
        await rig.turn(5)
        assert (await frame_of(viewer))["status"] == 5

    run(test)


def test_the_end_lets_viewers_go_after_the_last_frame() -> None:
    async def test(rig: Rig) -> None:
        viewer = rig.feed.frames()
        await rig.turn(8)
        rig.feed.end()
        assert (await frame_of(viewer))["status"] == 8
        assert await frame_of(viewer) is None

    run(test)
