"""A WARC file that is being written, as a worker knows it."""

from __future__ import annotations

from typing import Final

import msgspec

OPEN_SUFFIX: Final = ".open"  # of its name, until all of its records are safe


class OpenFile(msgspec.Struct, frozen=True, array_like=True):
    """What a worker needs to go on writing a file."""

    path: str
    id: int
    end: int
