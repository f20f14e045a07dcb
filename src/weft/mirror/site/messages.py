"""What a writer is told, and what it tells."""

from __future__ import annotations

import msgspec

EXAMPLES = 5


class Share(msgspec.Struct, frozen=True):
    """All files have their names: the writer may begin with those of its share."""

    root: str
    shard: int
    shards: int
    is_complete: bool
    version: str = ""  # the folder of what is replaced; empty: nobody keeps it


class Told(msgspec.Struct):
    """What a writer has done so far, or why it cannot go on."""

    files: int = 0
    written: int = 0  # of these: they were not there, or something else was
    kept_packed: int = 0  # of all: they unpack to more than they may, so the bytes are those that came
    for_example: list[str] = []  # URLs of these
    by_scripts: int = 0  # pages that scripts fill, or whose scripts are modules: a server shows more of them
    filled_for_example: list[str] = []  # URLs of those
    error: str = ""
    is_disk_full: bool = False


decode_share = msgspec.msgpack.Decoder(Share).decode
decode_told = msgspec.msgpack.Decoder(Told).decode
