"""`python -m weft.engines.engine_process SOCKET PID`: one of a crawl's engines, but for the first.

It is a crawl like any other, in a part of the folder, with doors to the others (`part`). Whatever it would tell a
person goes to engine 0.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from weft.engines.addresses import Addresses
from weft.engines.channel import Channel
from weft.engines.cpu import cpu_now
from weft.engines.messages import Begin, Ended, Failed, Look, Said, Steer, Stop, ToEngine, Trouble
from weft.engines.number import MOST_ENGINES
from weft.engines.part import Part
from weft.engines.part_folder import PartFolder
from weft.engines.received import Received
from weft.errors import WeftError, in_words
from weft.folder.crawl_log import LogLine
from weft.live.sightings import Sightings
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import Doors
from weft.pipeline.engine import Ending
from weft.types import Kind
from weft.workers.garbage import leave_garbage_alone
from weft.workers.malloc import return_blocks
from weft.workers.nursery import open_nursery
from weft.workers.process import end_with

LOOK_EVERY_S: Final = 1.0
SAVED_EVERY_LOOKS: Final = 10
_FIRST_FDS: Final = 3  # the table of addresses, what was received, and the lock, which is only held


def main() -> None:
    """Serve engine 0 until it says that all is over, or dies."""
    open_nursery("weft.pipeline.worker")
    end_with(int(sys.argv[2]))
    control = socket.socket(fileno=int(sys.argv[1]))
    _, descriptors, _, _ = socket.recv_fds(control, 1, _FIRST_FDS + MOST_ENGINES)
    leave_garbage_alone()
    return_blocks()
    uvloop.run(_serve(control, descriptors))


async def _serve(control: socket.socket, descriptors: list[int]) -> None:
    channel = await Channel.open(control, ToEngine)
    messages = channel.messages()
    begin = await anext(messages, None)
    if not isinstance(begin, Begin):
        return
    _forward_log(channel)
    engine = _Engine(begin, channel, descriptors)
    obeying = asyncio.create_task(engine.obey(messages))
    try:
        channel.send(await engine.run())
    except WeftError as error:
        channel.send(Failed(type(error).__name__, str(error)))
    except (OSError, RuntimeError) as error:
        told = in_words(error)
        channel.send(Failed(type(told).__name__, str(told)) if told is not None else Failed("", repr(error)))
    finally:
        obeying.cancel()
        await channel.drain()
        channel.close()


class _Engine:
    """This process's engine."""

    def __init__(self, begin: Begin, channel: Channel, descriptors: list[int]) -> None:
        folder = Path(begin.folder)
        addresses, received, _, *ends = descriptors
        others = [number for number in range(begin.engines) if number != begin.number]
        sockets = {other: socket.socket(fileno=theirs) for other, theirs in zip(others, ends, strict=True)}
        self._channel = channel
        self._part = Part(
            begin.number,
            begin.engines,
            sockets,
            Addresses(addresses, begin.number, begin.engines),
            Received(received, begin.number, begin.engines),
            channel.send,
            has_page_limit=begin.config.max_pages is not None,
            settles=begin.settles,
        )
        self._sightings = Sightings(folder / "state" / f"hosts-{begin.number}.live")
        self._crawl = Crawl(PartFolder(folder, begin.number), begin.config, retry_failed=begin.retry_failed)
        self._crawl.on_failure = self._tell_trouble

    async def run(self) -> Ended:
        """Crawl to the end."""
        crawl = self._crawl
        ending = await crawl.run(open_doors=self._doors)
        with suppress(OSError):  # a picture is not worth a crawl
            self._sightings.save()
        return Ended(ending.value, crawl.parked.count, crawl.parked.reasons, crawl.pages_per_s, cpu_now())

    def _doors(self, context: Context) -> Doors:
        doors = self._part.doors(context)
        return msgspec.structs.replace(doors, witnesses=(self._sightings,), beside=(*doors.beside, self._look_on))

    async def obey(self, messages: AsyncIterator[ToEngine]) -> None:
        """What engine 0 says. When it is gone, so is this process: what is committed is whole."""
        async for message in messages:
            match message:
                case Stop(ending):
                    self._crawl.stop(Ending(ending))
                case Steer(name, arguments):
                    if (steering := self._crawl.steering) is not None:
                        getattr(steering, name)(**arguments)
                case Begin():
                    pass
                case _:
                    self._part.hear(message)
        os._exit(1)

    async def _look_on(self) -> None:
        looks = 0
        while True:
            self._tell_look()
            looks += 1
            if not looks % SAVED_EVERY_LOOKS:
                with suppress(OSError):
                    self._sightings.save()
            await asyncio.sleep(LOOK_EVERY_S)

    def _tell_look(self) -> None:
        if (progress := self._crawl.progress()) is not None:
            sights = self._sightings.sights(asyncio.get_running_loop().time())
            self._channel.send(Look(progress, sights, cpu_now(), self._crawl.items))

    def _tell_trouble(self, line: LogLine) -> None:
        """Of a seed, or on the way to one: nobody wants to hear of others."""
        if line.kind is Kind.SEED or not line.via:
            self._channel.send(Trouble(line))


class _Forwarding(logging.Handler):
    """What is logged here is logged by engine 0."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        self._channel.send(Said(record.name, record.levelno, record.getMessage()))


def _forward_log(channel: Channel) -> None:
    weft = logging.getLogger("weft")
    weft.setLevel(logging.INFO)
    weft.addHandler(_Forwarding(channel))
    weft.propagate = False


if __name__ == "__main__":
    main()
