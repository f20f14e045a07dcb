"""Exports of one line a URL. They come in no particular order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from weft.export.format import CHOICE, Advance, Format, Source
from weft.export.selection import SUCCESS
from weft.store.index import page_object
from weft.types import PageRow

_encode = msgspec.json.Encoder().encode


def write_urls(source: Source, out: BinaryIO, advance: Advance) -> None:
    """The URLs alone."""
    _write((row.url.encode() for row in source.rows()), out, advance)


def write_refused(source: Source, out: BinaryIO, advance: Advance) -> None:
    """What refused.jsonl has at the end of a run."""
    _write(source.reader.refused(), out, advance)


def write_jsonl(source: Source, out: BinaryIO, advance: Advance) -> None:
    """Objects with the fields of pages.jsonl, and the content that is wanted."""

    def told(row: PageRow) -> dict[str, object]:
        known = page_object(row, source.reader.file_name)
        return known | source.content.of(source.reader, row) if source.content.is_wanted() else known

    _write((_encode(told(row)) for row in source.rows()), out, advance)


def _write(lines: Iterable[bytes], out: BinaryIO, advance: Advance) -> None:
    for line in lines:
        out.write(line + b"\n")
        advance(1)


_CONTENT = {"text", "markdown", "html", "cleaned"}

URLS = Format("urls", "txt", write_urls, CHOICE | {"all"}, (SUCCESS,), is_stream=True)
JSONL = Format("jsonl", "jsonl", write_jsonl, CHOICE | {"all"} | _CONTENT, (SUCCESS,), is_stream=True)
REFUSED = Format("refused", "refused.jsonl", write_refused, is_stream=True)
