"""How an export is made: from a source, by a format, into a sink. `clean.bulk` has the same shape.

Source    the rows of a crawl that are wanted, and what is wanted of each page's content; it counts what is left out
Format    what is written of them; the table is in `formats`
sink      a file that appears once it is whole, a folder, or whatever is open for writing (`weft.whole_file`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, get_args

import msgspec

from weft.config import PageForm
from weft.errors import BadInput
from weft.export.content import Content, Told, keeps_forms, uses_templates
from weft.export.near_texts import NearTexts
from weft.export.page_places import ContentSetup
from weft.export.reading import read_pages
from weft.export.selection import Selection
from weft.export.shards import Outputs
from weft.export.site_templates import learn_templates
from weft.export.tally import NEAR_DUPLICATE, NOT_CHOSEN, Tally
from weft.folder.reading import CrawlReader
from weft.types import PageRow

CHOICE = frozenset({"match", "mime", "status"})  # the options of a format that is made from rows
# Those of one that is made from pages.
PAGES = CHOICE | {"language", "min_length", "max_length", "no_near_duplicates"}
WITH_FORMS = PAGES | {"no_templates"}  # and one that holds forms of them
FORMS: frozenset[str] = frozenset(get_args(PageForm))

Advance = Callable[[int], None]  # hears of rows, or of bytes of the archive, that were written since the last call


class Source(msgspec.Struct, frozen=True):
    """What is exported."""

    reader: CrawlReader
    selection: Selection = Selection()
    content: Content = Content()
    shard_bytes: int | None = None  # cut into files of this size
    tally: Tally = msgspec.field(default_factory=Tally)
    scratch: Path | None = None  # a folder for what must be sorted; by default the system's for temporary files

    def rows(self, *, archived: bool = False) -> Iterator[PageRow]:
        """The rows that are wanted by what the index says, in no particular order, which is always the same.

        With `archived` only those that gave a response.
        """
        for row in self.reader.rows():
            if self.selection.takes(row) and (row.file or not archived):
                yield row
            else:
                self.tally.left_out[NOT_CHOSEN] += 1

    def pages(self, *, archived: bool = False) -> Iterator[tuple[PageRow, Told | None]]:
        """Those of them whose text is wanted, too, with what is told of it; None if pages need not be read."""
        if not self.content.is_wanted:
            for row in self.rows(archived=archived):
                self.tally.pages += 1
                yield row, None
            return
        texts = NearTexts()
        tally = self.tally
        for row, told in read_pages(self.reader, self.rows(archived=archived), self._setup()):
            if not told.left_out and self.content.no_near_duplicates and not texts.is_new(told.simhash):
                told.left_out = NEAR_DUPLICATE
            if told.left_out:
                tally.leave_out(row.url, told.left_out)
            else:
                tally.pages += 1
                tally.languages[told.true_language] += 1
                yield row, told

    def _setup(self) -> ContentSetup:
        reader, content = self.reader, self.content
        templates = learn_templates(reader, self.selection) if uses_templates(reader, content) else {}
        return ContentSetup(content, keeps_forms(reader, content), templates)


class Format(msgspec.Struct, frozen=True):
    """A form in which a crawl can be written."""

    name: str
    ending: str  # of the file that it is written to by default
    write: Callable[[Source, BinaryIO, Advance], None]
    options: frozenset[str] = frozenset()  # those that have a meaning for it
    forms: frozenset[str] = frozenset()  # of pages, that can be in it
    statuses: tuple[str, ...] = ()  # of the rows that are written unless others are asked for
    is_stream: bool = False  # nothing is sought in it, so it can go to standard output
    is_archive: bool = False  # its progress is told in bytes of the archive, not in rows
    needs_archive: bool = False  # it holds records, or says where they are
    # A file by its name: the ending says what is written, and there may be another one beside it.
    write_named: Callable[[Source, Path, Advance, bool], None] | None = None
    write_shards: Callable[[Source, Outputs, Advance], None] | None = None  # files of some size
    write_files: Callable[[Source, Path, Advance, bool], None] | None = None  # several, into a folder

    def refuse_others(self, options: Mapping[str, object]) -> None:
        """Raise BadInput for an option that has a value, and no meaning."""
        for name, value in options.items():
            if value and name not in self.options:
                raise BadInput(f"--{name.replace('_', '-')} has no meaning for --to {self.name}")

    def refuse_forms(self, forms: Iterable[str]) -> None:
        """Raise BadInput for a form of pages that cannot be in it."""
        for form in forms:
            if form not in self.forms:
                raise BadInput(f"--with {form} has no meaning for --to {self.name}")
