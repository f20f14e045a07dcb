"""What the engine and its workers say to each other: Setup, Files, then a Stretch after another; an answer to each."""

from __future__ import annotations

import msgspec


class Setup(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is to do, and where its items go."""

    functions: tuple[str, ...]  # by import path
    part: str  # a path that its files begin with
    time_s: float  # that a call may take
    memory_bytes: int  # by which functions may let the worker grow
    files: dict[int, str] = {}  # as in `Files`, for who is started later


class Files(msgspec.Struct, frozen=True, array_like=True, tag="files"):
    """Where each WARC file lies: known when the workers have been started. It is not answered."""

    paths: dict[int, str]


class Stretch(msgspec.Struct, frozen=True, array_like=True, tag="stretch"):
    """Pages to be done, one after the other."""

    serial: int  # tells it from others in the mark
    rows: list[bytes]  # as `folder.archive_order` encodes them


class Done(msgspec.Struct, frozen=True, array_like=True, tag="done"):
    """Pages of a stretch are done, and what came of them lies in the worker's part."""

    pages: int  # the first ones: not all, if the worker has grown and makes room for another
    items_start: int
    items_end: int
    failed_start: int
    failed_end: int
    items: int
    failed: int  # calls of functions
    unreadable: int  # pages whose records are damaged
    requests: int  # that functions asked for, in vain
    took_s: float


class Beat(msgspec.Struct, frozen=True, array_like=True, tag="beat"):
    """A stretch takes its time; its next page may take so much longer than others."""

    extra_s: float = 0.0


class Trouble(msgspec.Struct, frozen=True, array_like=True, tag="trouble"):
    """Nobody could go on: the functions cannot be loaded, the archive cannot be read, or nothing can be written."""

    sentence: str
    is_full: bool = False  # the disk
    is_bad_input: bool = False  # the functions cannot be found


Reply = Done | Beat | Trouble

decode_setup = msgspec.msgpack.Decoder(Setup).decode
decode_order = msgspec.msgpack.Decoder(Files | Stretch).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode
