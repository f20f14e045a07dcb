"""What an output is by the ending of its name.

| ending      | while it grows                       | at the end               |
|-------------|--------------------------------------|--------------------------|
| `.warc.gz`  | a `conversion` record a page         | gets its name            |
| `.jsonl`    | an object a line                     | gets its name            |
| `.jsonl.gz` | the same, a gzip member a batch      | gets its name            |
| `.parquet`  | as `.jsonl.gz`                       | is written from that     |
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec
from isal import isal_zlib

from weft._version import __version__
from weft.clean import Cleaned, Form
from weft.clean.bulk.files.parquet import write_parquet
from weft.clean.bulk.files.progress import Origin
from weft.errors import BadInput
from weft.export.parquet import load_pyarrow
from weft.store.warc import COMPRESSION_LEVEL, GZIP_WBITS, RecordIds, warc_date, warcinfo
from weft.store.writer import conversion
from weft.types import Conversion

_encode = msgspec.json.Encoder().encode


class Kept(msgspec.Struct, frozen=True):
    """A cleaned page with what is told beside it."""

    url: str
    origin: Origin
    cleaned: Cleaned


class Shape(Protocol):
    """How cleaned pages are written."""

    def opening(self) -> bytes:
        """What stands before the first page."""

    def written(self, pages: Sequence[Kept]) -> bytes:
        """What is added for these pages."""

    def finish(self, part: Path, out: Path) -> None:
        """All pages are in `part`, safe on disk: make `out` of it. May be called again after a stop of any kind."""


def shape_of(out: Path, form: Form, settings: str) -> Shape:
    """The shape of an output by its name."""
    if out.name.endswith(".warc.gz"):
        return Conversions(form, out.name, settings)
    if out.name.endswith(".parquet"):
        return Rows()
    if out.name.endswith((".jsonl", ".jsonl.gz")):
        return Lines(is_packed=out.name.endswith(".gz"))
    raise BadInput(f"{out} is no output for a crawl: its name must end in .warc.gz, .jsonl, .jsonl.gz or .parquet")


class Conversions:
    """A WARC file of conversion records, each of which refers to the record that it was made from."""

    def __init__(self, form: Form, filename: str, settings: str) -> None:
        self._form = form
        self._filename = filename
        self._settings = settings
        self._ids = RecordIds()

    def opening(self) -> bytes:
        fields = {"software": f"weft/{__version__}", "format": "WARC File Format 1.1", "description": self._settings}
        return warcinfo(self._ids.next(), self._filename, time.time(), fields)

    def written(self, pages: Sequence[Kept]) -> bytes:
        return b"".join(map(self._record, pages))

    def finish(self, part: Path, out: Path) -> None:
        part.replace(out)

    def _record(self, page: Kept) -> bytes:
        # The date is that of the visit, as in Common Crawl's files: by it and the URL the two records are one page.
        about = f"WARC-Date: {warc_date(page.origin.fetched_at)}\r\nWARC-Target-URI: {page.url}\r\n"
        cleaned = page.cleaned
        made = Conversion(self._form, cleaned.content, cleaned.title, cleaned.language, cleaned.charset)
        return conversion(self._ids.next(), page.origin.record_id, about, made)


class Lines:
    """JSON objects, one a line; packed, each batch is a gzip member."""

    def __init__(self, *, is_packed: bool) -> None:
        self._is_packed = is_packed

    def opening(self) -> bytes:
        return b""

    def written(self, pages: Sequence[Kept]) -> bytes:
        lines = b"".join(_encode(told_of(page)) + b"\n" for page in pages)
        return isal_zlib.compress(lines, COMPRESSION_LEVEL, GZIP_WBITS) if lines and self._is_packed else lines

    def finish(self, part: Path, out: Path) -> None:
        part.replace(out)


class Rows(Lines):
    """A Parquet file, whose rows are packed lines until all are known: its index stands at its end."""

    def __init__(self) -> None:
        load_pyarrow()  # before pages are cleaned in vain
        super().__init__(is_packed=True)

    def finish(self, part: Path, out: Path) -> None:
        write_parquet(part, out)
        part.unlink()


def told_of(page: Kept) -> dict[str, object]:
    """What is told of a page: its line, or its columns in their order; `pages.jsonl` has the same times and places."""
    return {
        "url": page.url,
        "fetched_at": datetime.fromtimestamp(page.origin.fetched_at, UTC).isoformat(timespec="milliseconds"),
        "status": page.origin.status,
        "title": page.cleaned.title,
        "language": page.cleaned.language,
        "charset": page.cleaned.charset,
        "content": page.cleaned.content,
        "digest": page.origin.digest,
        "file": page.origin.file,
        "offset": page.origin.offset,
    }
