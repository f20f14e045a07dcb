"""How an export is made: from a source, by a format, into a sink. `clean.bulk` has the same shape.

Source    the rows of a crawl that are wanted, and what is wanted of each page's content
Format    what is written of them; the table is in `formats`
sink      a file that appears once it is whole, a folder, or whatever is open for writing (`weft.whole_file`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from weft.errors import BadInput
from weft.export.content import Content
from weft.export.selection import Selection
from weft.folder.reading import CrawlReader
from weft.types import PageRow

CHOICE = frozenset({"match", "mime", "status"})  # the options of a format that is made from rows

Advance = Callable[[int], None]  # hears of rows, or of bytes of the archive, that were written since the last call


class Source(msgspec.Struct, frozen=True):
    """What is exported."""

    reader: CrawlReader
    selection: Selection = Selection()
    content: Content = Content()
    scratch: Path | None = None  # a folder for what must be sorted; by default the system's for temporary files

    def rows(self) -> Iterator[PageRow]:
        """The rows that are wanted, in no particular order."""
        return filter(self.selection.takes, self.reader.rows())


class Format(msgspec.Struct, frozen=True):
    """A form in which a crawl can be written."""

    name: str
    ending: str  # of the file that it is written to by default
    write: Callable[[Source, BinaryIO, Advance], None]
    options: frozenset[str] = frozenset()  # those that have a meaning for it
    statuses: tuple[str, ...] = ()  # of the rows that are written unless others are asked for
    is_stream: bool = False  # nothing is sought in it, so it can go to standard output
    is_archive: bool = False  # its progress is told in bytes of the archive, not in rows
    # A file by its name: the ending says what is written, and there may be another one beside it.
    write_named: Callable[[Source, Path, Advance, bool], None] | None = None
    write_files: Callable[[Source, Path, Advance, bool], None] | None = None  # several, into a folder

    def refuse_others(self, options: Mapping[str, object]) -> None:
        """Raise BadInput for an option that has a value, and no meaning."""
        for name, value in options.items():
            if value and name not in self.options:
                raise BadInput(f"--{name} has no meaning for --to {self.name}")
