"""Where a page's figures come from, and where its commands go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from weft.dashboard.metrics import metrics_text
from weft.errors import BadInput, WeftError
from weft.in_thread import in_thread
from weft.live.commands import Command, Stop, in_words
from weft.live.mailbox import put_command
from weft.live.reader import read_history, read_status
from weft.live.status import State, Status

C = TypeVar("C")

MOST_FILE_BYTES: Final = 4 << 20  # report.json has some ten kilobytes, the history some hundred


class Trouble(WeftError):
    """There is nothing to show, and this is why."""


class Source(Protocol):
    """A crawl or a cluster, as JSON."""

    @property
    def kind(self) -> str:
        """What the page shows: crawl or cluster."""

    @property
    def name(self) -> str:
        """For the page's title."""

    @property
    def every_s(self) -> float:
        """How often it is worth reading."""

    async def status(self) -> bytes:
        """How it stands; raises Trouble."""

    async def history(self) -> bytes:
        """The points of its curves; raises Trouble."""

    async def metrics(self) -> str:
        """How it stands, as Prometheus reads it; raises Trouble."""

    async def obey(self, body: bytes) -> str:
        """Pass a command on; what is wrong with it is BadInput. Returns a sentence."""

    async def close(self) -> None:
        """Nobody will ask again."""


class FolderSource:
    """A crawl, by its folder. The files are small and in the page cache, so they are read on the loop."""

    kind = "crawl"
    every_s = 1.0  # as it is written

    def __init__(self, folder: Path, name: str = "") -> None:
        self._folder = folder
        self.name = name or folder.absolute().name
        self._commands = msgspec.json.Decoder(Command)

    async def status(self) -> bytes:
        return msgspec.json.encode(self._status())

    async def history(self) -> bytes:
        path = self._folder / "state" / "history.jsonl"
        with _told(path):
            return msgspec.json.encode(read_history(self._folder))

    async def metrics(self) -> str:
        return metrics_text(self._status())

    async def obey(self, body: bytes) -> str:
        command = read_command(body, self._commands)
        with _told(self._folder):
            found = read_status(self._folder)
            does_run = found is not None and found.state not in (State.ENDED, State.KILLED)
            if isinstance(command, Stop) and not does_run:
                raise BadInput("the crawl does not run now")
            await in_thread(put_command, self._folder, command)  # it waits for the disk
        return f"Told: {in_words(command)}" + ("." if does_run else ", from when the crawl is resumed.")

    async def close(self) -> None:
        pass

    def _status(self) -> Status:
        with _told(self._folder / "report.json"):
            found = read_status(self._folder)
        if found is None:
            raise Trouble("the crawl has not said yet how it stands")
        return found


def read_command(body: bytes, decoder: msgspec.json.Decoder[C]) -> C:
    """The command that was posted."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"this is no command: {error}") from error


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """A file is read in this block: one that cannot be, or should not, is told as Trouble."""
    try:
        if path.exists() and not path.is_dir():
            if not path.is_file():
                raise Trouble(f"{path.name} is not a file")
            if path.stat().st_size > MOST_FILE_BYTES:
                raise Trouble(f"{path.name} is larger than weft writes it")
        yield
    except OSError as error:
        raise Trouble(f"cannot read {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Trouble(f"{path.name} is not as weft writes it: {error}") from error
