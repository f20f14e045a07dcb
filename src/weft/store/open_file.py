"""A WARC file that is being written: as a worker knows it, and as others find it."""

from __future__ import annotations

from typing import BinaryIO, Final

import msgspec

from weft.errors import FolderError

OPEN_SUFFIX: Final = ".open"  # of its name, until all of its records are safe


class OpenFile(msgspec.Struct, frozen=True, array_like=True):
    """What a worker needs to go on writing a file."""

    path: str
    id: int
    end: int


def open_archived(path: str) -> BinaryIO:
    """A WARC file, to be read. A running crawl may have given it its final name since the path was told."""
    for known_as in (path, path.removesuffix(OPEN_SUFFIX)):
        try:
            return open(known_as, "rb", buffering=0)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FolderError(f"cannot read {known_as}: {error.strerror}") from error
    raise FolderError(f"{path} is missing from the archive")
