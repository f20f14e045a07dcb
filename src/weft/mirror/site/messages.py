"""What a writer is told, and what it tells."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

EXAMPLES = 5


class Share(msgspec.Struct, frozen=True):
    """All files have their names: the writer may begin with those of its share."""

    root: str
    shard: int
    shards: int
    is_complete: bool
    version: str = ""  # the folder of what is replaced; empty: nobody keeps it


class Noted(msgspec.Struct):
    """Files of which a user is told at the end."""

    count: int = 0
    for_example: list[str] = []  # URLs of these

    def add(self, url: str) -> None:
        """One more."""
        self.count += 1
        self.for_example = [*self.for_example, url][:EXAMPLES]


def all_of(parts: Iterable[Noted]) -> Noted:
    """What several writers noted, in one."""
    several = list(parts)
    return Noted(sum(one.count for one in several), [url for one in several for url in one.for_example][:EXAMPLES])


class Told(msgspec.Struct):
    """What a writer has done so far, or why it cannot go on."""

    files: int = 0
    written: int = 0  # of these: they were not there, or something else was
    # Of all: they unpack to more than they may, so the bytes are those that came.
    kept_packed: Noted = msgspec.field(default_factory=Noted)
    # Pages that scripts fill, or whose scripts are modules: a server shows more of them.
    by_scripts: Noted = msgspec.field(default_factory=Noted)
    # Their links could not be made local, by a fault of weft's: they are what the server sent.
    not_rewritten: Noted = msgspec.field(default_factory=Noted)
    # Their records in the archive cannot be read: they were not written.
    damaged: Noted = msgspec.field(default_factory=Noted)
    # Ids of URLs, those since it told before: of such records; of files that were not as a run had left them.
    damaged_ids: list[bytes] = []
    mended_ids: list[bytes] = []
    error: str = ""
    is_disk_full: bool = False

    def forget_ids(self) -> None:
        """They were told."""
        self.damaged_ids, self.mended_ids = [], []

    def go_on_from(self, before: Told) -> None:
        """Have the ids that were told before, too."""
        before.damaged_ids.extend(self.damaged_ids)
        before.mended_ids.extend(self.mended_ids)
        self.damaged_ids, self.mended_ids = before.damaged_ids, before.mended_ids


decode_share = msgspec.msgpack.Decoder(Share).decode
decode_told = msgspec.msgpack.Decoder(Told).decode
