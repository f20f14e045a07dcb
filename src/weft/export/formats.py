"""The forms that there are: a line each, and whoever exports knows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from weft.export.content import Content
from weft.export.lines import write_jsonl, write_refused, write_urls
from weft.export.parquet import write_parquet
from weft.export.selection import Selection
from weft.export.wacz import write_wacz
from weft.export.warc import write_warc
from weft.folder.reading import CrawlReader


class Wish(msgspec.Struct, frozen=True):
    """What is to be written, and where to."""

    reader: CrawlReader
    selection: Selection
    content: Content
    out: BinaryIO
    scratch: Path  # a folder for what is needed meanwhile
    advance: Callable[[int], None]  # hears of rows, or of bytes of the archive, that are done


class Format(msgspec.Struct, frozen=True):
    """One form."""

    ending: str  # of its file
    write: Callable[[Wish], None]
    options: frozenset[str] = frozenset()  # that mean something to it
    is_lines: bool = False  # so that it can go to a pipe
    has_rows: bool = True  # not bytes of the archive, copied


_CHOICE: Final = frozenset(("match", "mime", "status"))

# fmt: off
FORMATS: Final[dict[str, Format]] = {
    "urls": Format("txt", lambda to: write_urls(to.reader, to.selection, to.out, to.advance),
                   _CHOICE | {"all"}, is_lines=True),
    "jsonl": Format("jsonl", lambda to: write_jsonl(to.reader, to.selection, to.content, to.out, to.advance),
                    _CHOICE | {"all", "text", "markdown", "cleaned", "html"}, is_lines=True),
    "refused": Format("refused.jsonl", lambda to: write_refused(to.reader, to.out, to.advance), is_lines=True),
    "parquet": Format(
        "parquet",
        lambda to: write_parquet(to.reader, to.selection, to.out, to.advance, with_text=to.content.text),
        _CHOICE | {"text"}),
    "wacz": Format(
        "wacz", lambda to: write_wacz(to.reader, to.out, to.scratch, to.advance, with_text=to.content.text),
        frozenset(("text",)), has_rows=False),
    "warc": Format("warc.gz", lambda to: write_warc(to.reader, to.out, to.advance), has_rows=False),
}
# fmt: on
