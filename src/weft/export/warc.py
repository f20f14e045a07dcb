"""The archive itself: the committed bytes of its files, whatever the crawl adds to them meanwhile.

A WARC file is a row of gzip members, a record each, so files can simply stand one behind the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from weft.errors import FolderError
from weft.export.format import Advance, Format, Source
from weft.stats.verdict import counted
from weft.store.open_file import open_archived
from weft.whole_file import appears_whole, refuse_to_replace

CHUNK_BYTES = 1024 * 1024


def write_warc(source: Source, out: BinaryIO, advance: Advance) -> None:
    """All records of all files, one file behind the other."""
    for path, _, committed_bytes in source.reader.files():
        _copy(path, committed_bytes, out, advance)


def copy_files(source: Source, folder: Path, advance: Advance, replaces: bool = False) -> None:
    """Each file by itself, under its final name."""
    for _, name, _ in source.reader.files():
        refuse_to_replace(folder / name, replaces=replaces)
    for path, name, committed_bytes in source.reader.files():
        with appears_whole(folder / name, replaces=replaces) as out:
            _copy(path, committed_bytes, out, advance)


def _copy(path: Path, committed_bytes: int, out: BinaryIO, advance: Advance) -> None:
    for chunk in committed_chunks(path, committed_bytes):
        out.write(chunk)
        advance(len(chunk))


def committed_chunks(path: Path, committed_bytes: int) -> Iterator[bytes]:
    """The bytes of a WARC file that belong to the archive."""
    with open_archived(str(path)) as file:
        left_bytes = committed_bytes
        while left_bytes:
            chunk = file.read(min(CHUNK_BYTES, left_bytes))
            if not chunk:
                raise FolderError(f"{path} is shorter than its crawl says, by {counted(left_bytes, 'byte')}")
            left_bytes -= len(chunk)
            yield chunk


WARC = Format("warc", "warc.gz", write_warc, is_archive=True, needs_archive=True, write_files=copy_files)
