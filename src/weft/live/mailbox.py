"""Where commands lie until the crawl takes them: a file each in state/commands, by their time.

Whoever writes one needs no connection to the crawl; a file that is there when the crawl is killed is there when it is
resumed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from weft.errors import BadInput, FolderError, told_in_words
from weft.folder.belonging import belonging_of
from weft.folder.layout import load_config
from weft.live.commands import Command, Exclude, SetDelay, checked
from weft.pipeline.host_settings import excluding
from weft.whole_file import appearing_whole

FOLDER = "commands"
MOST_WAITING = 1_000
MOST_BYTES = 1 << 20

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Command).decode


class Letter(NamedTuple):
    """A command that waits."""

    id: str
    path: Path
    command: Command | None  # None: it cannot be read


def put_command(folder: Path, command: Command) -> str:
    """Tell the crawl in a folder something; returns the id under which its log will have it.

    BadInput for what no crawl could do. Where the crawl does not run now, it does so when it is resumed.
    """
    command = checked(command)
    if (node := belonging_of(folder)) is not None:
        raise FolderError(f"{folder} is a part of the crawl {node.crawl}: `weft cluster` steers that")
    _refuse_what_this_crawl_cannot_do(folder, command)
    text = _encode(command)
    if len(text) > MOST_BYTES:
        raise BadInput(f"a command has at most {MOST_BYTES:,} bytes, not {len(text):,}: give it in several")
    box = folder / "state" / FOLDER
    name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
    with told_in_words(box):
        box.mkdir(exist_ok=True)
        if sum(1 for _ in box.iterdir()) >= MOST_WAITING:
            raise BadInput(f"{MOST_WAITING:,} commands wait in {box} already: the crawl does not take them")
        with appearing_whole(box / f"{name}.json") as file:
            file.write(text)
    return name


def is_waiting(folder: Path, number: str) -> bool:
    """Whether the crawl has not taken a command yet."""
    return (folder / "state" / FOLDER / f"{number}.json").exists()


def waiting_commands(folder: Path) -> Iterator[Letter]:
    """In the order in which they were given."""
    for path in sorted((folder / "state" / FOLDER).glob("*.json")):
        if path.is_file():  # to read a pipe takes for ever
            yield Letter(path.stem, path, _read(path))


def _refuse_what_this_crawl_cannot_do(folder: Path, command: Command) -> None:
    """By its settings. A delay by which a host is left could not be taken back in this run."""
    config = load_config(folder)
    longest_s = config.max_host_wait_s
    match command:
        case SetDelay(host, seconds) if seconds is not None and seconds > longest_s:
            raise BadInput(
                f"with a delay above {longest_s:g} s (--max-host-wait) {host} is left for another run: block it"
            )
        case Exclude(pattern):
            excluding(config, pattern)


def _read(path: Path) -> Command | None:
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return checked(_decode(path.read_bytes()))
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError, BadInput):
        return None
