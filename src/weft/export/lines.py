"""Exports of one line a URL. They come in no particular order, but always in the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec

from weft.export.format import FORMS, PAGES, WITH_FORMS, Advance, Format, Source
from weft.export.selection import SUCCESS
from weft.export.shards import OneFile, Outputs
from weft.store.index import page_object

_encode = msgspec.json.Encoder().encode


def write_urls(source: Source, out: BinaryIO, advance: Advance) -> None:
    """The URLs alone."""
    _write((row.url.encode() for row, _ in source.pages()), OneFile(out), advance)


def write_refused(source: Source, out: BinaryIO, advance: Advance) -> None:
    """What refused.jsonl has at the end of a run."""
    _write(source.reader.refused(), OneFile(out), advance)


def write_jsonl(source: Source, out: BinaryIO, advance: Advance) -> None:
    """Objects with the fields of pages.jsonl, and the content that is wanted."""
    _write(_objects(source), OneFile(out), advance)


def write_jsonl_shards(source: Source, outputs: Outputs, advance: Advance) -> None:
    """The same in files of some size."""
    _write(_objects(source), outputs, advance)


def _objects(source: Source) -> Iterator[bytes]:
    for row, told in source.pages():
        known = page_object(row, source.reader.file_name)
        if told is not None:
            languages = {"language": told.language, "detected_language": told.detected_language}
            known |= languages | told.metadata | told.forms
        yield _encode(known)


def _write(lines: Iterable[bytes], outputs: Outputs, advance: Advance) -> None:
    out, most_bytes, written_bytes = outputs.open(), outputs.size_bytes, 0
    for line in lines:
        if most_bytes is not None and written_bytes and written_bytes + len(line) + 1 > most_bytes:
            out, written_bytes = outputs.open(), 0
        out.write(line + b"\n")
        written_bytes += len(line) + 1
        advance(1)


URLS = Format("urls", "txt", write_urls, PAGES | {"all"}, statuses=(SUCCESS,), is_stream=True)
JSONL = Format(
    "jsonl",
    "jsonl",
    write_jsonl,
    WITH_FORMS | {"all", "shard_size"},
    FORMS,
    (SUCCESS,),
    is_stream=True,
    write_shards=write_jsonl_shards,
)
REFUSED = Format("refused", "refused.jsonl", write_refused, is_stream=True)
