"""The archive itself: the committed bytes of its files, whatever the crawl adds to them meanwhile.

A WARC file is a row of gzip members, a record each, so files can simply stand one behind the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from weft.errors import CrawlFolderError
from weft.export.destination import appears_whole, refuse_to_replace
from weft.folder.reading import CrawlReader
from weft.stats.verdict import counted
from weft.store.open_file import open_archived

CHUNK_BYTES = 1024 * 1024


def write_warc(reader: CrawlReader, out: BinaryIO, advance: Callable[[int], None]) -> None:
    """All records of all files, one file behind the other."""
    for path, _, committed_bytes in reader.files():
        for chunk in committed_chunks(path, committed_bytes):
            out.write(chunk)
            advance(len(chunk))


def copy_files(reader: CrawlReader, folder: Path, advance: Callable[[int], None], *, replaces: bool = False) -> None:
    """Each file by itself, under its final name."""
    for _, name, _ in reader.files():
        refuse_to_replace(folder / name, replaces=replaces)
    for path, name, committed_bytes in reader.files():
        with appears_whole(folder / name, replaces=replaces) as out:
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
                raise CrawlFolderError(f"{path} is shorter than its crawl says, by {counted(left_bytes, 'byte')}")
            left_bytes -= len(chunk)
            yield chunk
