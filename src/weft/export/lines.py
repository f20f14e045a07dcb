"""Exports of one line a visited URL. They come in no particular order."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import msgspec

from weft.export.content import Content
from weft.export.selection import Selection
from weft.folder.reading import CrawlReader
from weft.store.index import page_object

_encode = msgspec.json.Encoder().encode


def write_urls(reader: CrawlReader, selection: Selection, out: BinaryIO, advance: Callable[[int], None]) -> None:
    """The URLs alone."""
    for row in reader.rows():
        if selection.takes(row):
            out.write(row.url.encode() + b"\n")
            advance(1)


def write_refused(reader: CrawlReader, out: BinaryIO, advance: Callable[[int], None]) -> None:
    """What refused.jsonl has at the end of a run."""
    for line in reader.refused():
        out.write(line + b"\n")
        advance(1)


def write_jsonl(
    reader: CrawlReader, selection: Selection, content: Content, out: BinaryIO, advance: Callable[[int], None]
) -> None:
    """Objects with the fields of pages.jsonl, and the content that is wanted."""
    for row in reader.rows():
        if selection.takes(row):
            told = page_object(row, reader.file_name)
            if content.is_wanted():
                told |= content.of(reader, row)
            out.write(_encode(told) + b"\n")
            advance(1)
