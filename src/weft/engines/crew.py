"""The processes of all engines but the first, and what they are told and tell.

Each is started by exec and dies with the command's process. It gets, over its socket: the memory that
all share, the folder's lock, which it holds for as long as it lives, and its end of a socket to each other engine.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from weft.config import CrawlConfig
from weft.engines.channel import Channel
from weft.engines.messages import Begin, Ended, Failed, FromEngine, ToEngine
from weft.engines.number import share_of
from weft.engines.silence import Silence
from weft.errors import BadInput, DiskFull, EngineDied, FolderError, WeftError, WorkerFailed
from weft.folder.layout import CrawlFolder
from weft.in_thread import in_thread
from weft.workers.frames import frame
from weft.workers.process import Child, end, start_child

MODULE = "weft.engines.engine_process"
ERRORS: dict[str, type[WeftError]] = {
    kind.__name__: kind for kind in (BadInput, DiskFull, FolderError, WorkerFailed, WeftError)
}


class Crew:
    """Engines 1, 2, 3 …; engine 0 is whoever has it."""

    def __init__(self, folder: Path, engines: int, hear: Callable[[int, FromEngine], None], patience_s: float) -> None:
        self._folder = folder  # for words
        self._engines = engines
        self._hear = hear
        self._processes: dict[int, Child] = {}
        self._controls: dict[int, socket.socket] = {}
        self._channels: dict[int, Channel] = {}
        self.sockets: dict[int, socket.socket] = {}  # of engine 0, to each of the others
        self.ended: dict[int, Ended] = {}
        self._silence = Silence(patience_s)

    @property
    def pids(self) -> list[int]:
        """Their processes."""
        return [process.pid for process in self._processes.values()]

    async def start(
        self,
        folder: CrawlFolder,
        config: CrawlConfig,
        shared: Sequence[int],
        *,
        retry_failed: bool,
        settles: bool,
    ) -> None:
        """Start the processes, with the memory that all share; each takes some milliseconds of an event loop."""
        ends: dict[int, dict[int, socket.socket]] = {number: {} for number in range(self._engines)}
        for one, other in combinations(range(self._engines), 2):
            ends[one][other], ends[other][one] = socket.socketpair()
        self.sockets = ends.pop(0)
        try:
            for number, peers in ends.items():
                self._processes[number], control = start_child(MODULE)
                self._controls[number] = control
                descriptors = [*shared, folder.lock_fd(), *(peers[other].fileno() for other in sorted(peers))]
                socket.send_fds(control, [b"\0"], descriptors)
                share = share_of(config, number, self._engines)
                begin = Begin(str(folder.path), number, self._engines, share, retry_failed, settles)
                control.sendall(frame(begin))
        finally:
            for peers in ends.values():
                for theirs in peers.values():
                    theirs.close()
        for number, control in self._controls.items():
            self._channels[number] = await Channel.open(control, FromEngine)

    async def listen(self) -> None:
        """Hear all of them until each has ended. WeftError when one dies, or fails."""
        self._silence.begin(self._channels, asyncio.get_running_loop().time())
        async with asyncio.TaskGroup() as tasks:
            for number in self._channels:
                tasks.create_task(self._listen_to(number))

    async def _listen_to(self, number: int) -> None:
        loop = asyncio.get_running_loop()
        async for message in self._channels[number].messages():
            self._silence.hear(number, loop.time())
            match message:
                case Failed(error, words):
                    raise ERRORS.get(error, WeftError)(words)
                case Ended():
                    self.ended[number] = message
                case _:
                    self._hear(number, message)
        self._silence.end(number)
        code = await in_thread(end, self._processes[number])
        if number not in self.ended:
            why = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            raise self._died(number, f"ended {why}")

    async def outlast(self, listening: asyncio.Task[None]) -> None:
        """Wait for those that still work. EngineDied if one hangs, or somebody has stopped its process."""
        loop = asyncio.get_running_loop()
        self._silence.count_from(loop.time())
        while not listening.done():
            if (number := self._silence.late(loop.time())) is not None:
                raise self._died(number, "does not end")
            await asyncio.wait([listening], timeout=self._silence.left_s(loop.time()))

    def _died(self, number: int, how: str) -> EngineDied:
        return EngineDied(
            f"engine {number} of {self._engines} {how}; what was finished is kept, "
            f"and `weft resume {self._folder}` goes on"
        )

    def send(self, engine: int, message: ToEngine) -> None:
        """Tell one of them something; who has ended does not hear it."""
        if engine in self._channels:
            self._channels[engine].send(message)

    def tell_all(self, message: ToEngine) -> None:
        """Tell all of them."""
        for engine in self._channels:
            self.send(engine, message)

    async def close(self) -> None:
        """Whoever has not ended ends now: its socket is closed."""
        for channel in self._channels.values():
            channel.close()
        for ours in (*self._controls.values(), *self.sockets.values()):
            ours.close()
        for number, process in self._processes.items():
            if number not in self.ended:
                process.kill()
            await in_thread(end, process)
