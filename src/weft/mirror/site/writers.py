"""The writer processes: started by exec, each with a share of the URLs."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from socket import socket

from weft.errors import DiskFull, FolderError, WorkerFailed
from weft.mirror.site.messages import Share, Told, all_of, decode_told
from weft.workers.frames import frame, received
from weft.workers.process import end, start_child

Progress = Callable[[int], None]  # files so far
News = Iterator[tuple[memoryview, bool]]  # what a writer tells

PAGES_PER_WRITER = 500  # a process loads for as long as it takes to make this many files
SOON_S, LONG_S = 2.0, 30.0


def writers_for(pages: int, most: int) -> int:
    """How many processes are worth their start."""
    return max(1, min(most, pages // PAGES_PER_WRITER))


def are_wanted_soon(pages: int, queued: int, pages_per_s: float, workers: int) -> bool:
    """Whether they should load while the crawl goes on: it has little left to do, and leaves CPU and memory to them.

    A crawl with one worker waits for its servers. With more, writers beside them would take more memory than ever.
    """
    return pages >= PAGES_PER_WRITER and queued <= SOON_S * pages_per_s and workers == 1


def go_on_for_long(queued: int, pages_per_s: float) -> bool:
    """Whether the crawl has found so much more to do that nobody should wait for its end."""
    return queued > LONG_S * pages_per_s


class Writers:
    """Processes that load while the crawl ends and files get their names; `begin` lets them begin."""

    def __init__(self, root: Path, processes: int) -> None:
        self._root = root
        self._processes = processes
        self._start()

    def _start(self) -> None:
        self._have_ended = False
        self._children = [start_child("weft.mirror.site.writer") for _ in range(self._processes)]
        self._news = [received(connection) for _, connection in self._children]

    def begin(self, *, is_complete: bool, version: str = "") -> None:
        """All files have their names: let them be made. What is replaced is kept in the folder `version`, if any.

        After an `end` others begin in their place.
        """
        if self._have_ended:
            self.close()
            self._start()
        for shard, (_, connection) in enumerate(self._children):
            share = Share(str(self._root), shard, len(self._children), is_complete, version)
            with suppress(BrokenPipeError):  # it has ended: what it said, or its exit code, tells why
                connection.sendall(frame(share))

    def end(self, progress: Progress) -> Told:
        """Wait for all files; returns the sums. The first writer that cannot go on ends all."""
        told = _listen([connection for _, connection in self._children], self._news, progress)
        self._have_ended = True
        for process, _ in self._children:
            if code := process.wait():
                raise WorkerFailed(f"a process that writes the mirror's files ended with {code}")
        return Told(
            sum(one.files for one in told),
            sum(one.written for one in told),
            all_of(one.kept_packed for one in told),
            all_of(one.by_scripts for one in told),
            all_of(one.not_rewritten for one in told),
            all_of(one.damaged for one in told),
            [id_ for one in told for id_ in one.damaged_ids],
            [id_ for one in told for id_ in one.mended_ids],
        )

    def close(self) -> None:
        """End those that are still there."""
        for process, _ in self._children:
            process.terminate()
        for process, connection in self._children:
            connection.close()  # one that is still starting does not hear of the signal
            end(process)


def _listen(connections: list[socket], news: list[News], progress: Progress) -> list[Told]:
    told = [Told() for _ in connections]
    with selectors.DefaultSelector() as selector:
        for number, connection in enumerate(connections):
            selector.register(connection, selectors.EVENT_READ, number)
        while selector.get_map():
            for key, _ in selector.select():
                number = key.data
                has_more = True
                while has_more:
                    body, has_more = next(news[number], (None, False))
                    if body is None:
                        selector.unregister(key.fileobj)
                        continue
                    heard = _heard(body)
                    heard.go_on_from(told[number])
                    told[number] = heard
                    progress(sum(one.files for one in told))
    return told


def _heard(body: memoryview) -> Told:
    news = decode_told(body)
    if news.error:
        raise DiskFull(news.error) if news.is_disk_full else FolderError(news.error)
    return news
