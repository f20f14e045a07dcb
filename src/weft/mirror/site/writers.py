"""The writer processes: started by exec, each with a share of the URLs."""

from __future__ import annotations

import selectors
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from weft.errors import CrawlFolderError, DiskFull, WorkerFailed
from weft.mirror.site.messages import BEGIN, EXAMPLES, Told
from weft.workers.process import start_child

END_PATIENCE_S = 5.0

Progress = Callable[[int], None]  # files so far

_decode = msgspec.json.Decoder(Told).decode


class Writers:
    """Processes that load while names are still given to files, and begin when `write` tells them."""

    def __init__(self, root: Path, processes: int, *, is_complete: bool) -> None:
        self._processes = [_start(root, shard, processes, is_complete) for shard in range(processes)]

    def write(self, progress: Progress) -> Told:
        """Make all files; gives the sums. The first writer that cannot go on ends all."""
        for writer in self._processes:
            with suppress(BrokenPipeError):  # it has ended: what it said, or its exit code, tells why
                _input(writer).write(BEGIN)
        told = _listen(self._processes, progress)
        for writer in self._processes:
            if writer.wait():
                raise WorkerFailed(f"a process that writes the mirror's files ended with {writer.returncode}")
        return Told(
            sum(one.files for one in told),
            sum(one.written for one in told),
            sum(one.kept_packed for one in told),
            [url for one in told for url in one.for_example][:EXAMPLES],
        )

    def close(self) -> None:
        """End those that are still there."""
        for writer in self._processes:
            writer.terminate()
        for writer in self._processes:
            try:
                writer.wait(END_PATIENCE_S)
            except subprocess.TimeoutExpired:
                writer.kill()
                writer.wait()
            _input(writer).close()
            _output(writer).close()


def _listen(writers: list[subprocess.Popen[bytes]], progress: Progress) -> list[Told]:
    told = [Told() for _ in writers]
    with selectors.DefaultSelector() as selector:
        for number, writer in enumerate(writers):
            selector.register(_output(writer), selectors.EVENT_READ, number)
        while selector.get_map():
            for key, _ in selector.select():
                line = _output(writers[key.data]).readline()
                if not line:
                    selector.unregister(key.fileobj)
                    continue
                told[key.data] = news = _decode(line)
                if news.error:
                    raise DiskFull(news.error) if news.is_disk_full else CrawlFolderError(news.error)
                progress(sum(one.files for one in told))
    return told


def _input(writer: subprocess.Popen[bytes]) -> IO[bytes]:
    assert writer.stdin is not None
    return writer.stdin


def _output(writer: subprocess.Popen[bytes]) -> IO[bytes]:
    assert writer.stdout is not None
    return writer.stdout


def _start(root: Path, shard: int, shards: int, is_complete: bool) -> subprocess.Popen[bytes]:
    words = [str(root), str(shard), str(shards), "complete" if is_complete else "part"]
    return start_child("weft.mirror.site.writer", *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
