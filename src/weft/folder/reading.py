"""A crawl folder opened for reading: for the report, for exports and for programs. The crawl may run meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from weft.clock import Clock
from weft.errors import BadInput
from weft.folder.archived import Files, load_response, place_of
from weft.folder.databases import open_to_read
from weft.folder.items_parts import items_of
from weft.folder.layout import load_config
from weft.folder.page_rows import decode_page, pages_in, sides_in
from weft.folder.refused_list import Rows, left_out_in, lines_of
from weft.state import State
from weft.stats import Counters
from weft.stats.counters import load_counters
from weft.stats.figures import LeftOut
from weft.store import Archive
from weft.store.records import MAX_RECORD_BYTES
from weft.types import Fetched, PageRow, RecordPlace, SideRow

if TYPE_CHECKING:
    from weft.page import Page


class CrawlReader:
    """What is committed at the moment of opening. Close it, or use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self.config = load_config(path)
        self.state = open_to_read(path)  # for those who have rows of their own: a mirror
        self.database: Rows = self.state  # the same, or the rows of several folders
        archive = Archive(self.state, path / "archive", Clock())
        self._files: Files = archive
        self.items = sum(part.count for part in items_of(path, self.state))  # how many there are
        if not self.config.seeds:  # a node's: they are the cluster's
            self.config = msgspec.structs.replace(self.config, seeds=scope_seeds(self.state))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self.state.close()

    @cached_property
    def counters(self) -> Counters:
        """As of the last commit."""
        return load_counters(self.state)

    def rows(self) -> Iterator[PageRow]:
        """A row for each URL that was visited, in no particular order."""
        return pages_in(self.state)

    def row_of(self, url_id: bytes) -> PageRow | None:
        """The row of one URL; None if it was not visited."""
        row = self.state.get("page", url_id)
        return decode_page(row) if row is not None else None

    def sides(self) -> Iterator[tuple[int, int, SideRow]]:
        """DNS answers and robots.txt files in the archive: file, offset, row."""
        return sides_in(self.state)

    def refused(self) -> Iterator[bytes]:
        """The lines of `refused.jsonl`, as of now."""
        return lines_of(self.state, self.config.max_pages_per_host)

    def left_out(self) -> list[LeftOut]:
        """How many URLs each rule left out."""
        return left_out_in(self.state, self.config.max_pages_per_host)

    def pages(self) -> Iterator[Page]:
        """Every visited URL as a page; its body is read from the archive when it is asked for."""
        return (self.page(row) for row in self.rows())

    def page(self, row: PageRow) -> Page:
        """The page of a row."""
        from weft.page import Page  # it brings the HTML parser, which a crawl's engine and a report can do without

        return Page(row, lambda: self.response(row))

    def response(self, row: PageRow, most_bytes: int = MAX_RECORD_BYTES) -> Fetched:
        """The response of a row, as it came; of a larger one the beginning, and where all of it is."""
        return load_response(self._files, row, most_bytes)

    def place_of(self, row: PageRow) -> RecordPlace:
        """Where the record of a row lies now."""
        return place_of(self._files, row)

    def original_of(self, row: PageRow) -> RecordPlace | None:
        """Where its payload lies, if that was archived before."""
        return None if row.original is None else place_of(self._files, row.original)

    def path_of(self, file_id: int) -> Path:
        """Where a WARC file lies now."""
        return self._files.path_of(file_id)

    def file_name(self, file_id: int) -> str:
        """The final name of a WARC file."""
        return self._files.name_of(file_id)

    def files(self) -> list[tuple[Path, str, int]]:
        """The WARC files: where each is now, its final name, and up to which byte it is committed."""
        return self._files.files()

    def missing_files(self) -> list[str]:
        """The names of WARC files in folders that are not open here: a cluster has several."""
        return [name for file_id, name in self._files.names() if self._files.is_elsewhere(file_id)]

    def refuse_missing(self) -> None:
        """FolderError if the record of a page lies in one of these."""
        if self.missing_files():
            for row in self.rows():
                if row.file:
                    self.place_of(row)

    def refuse_without_archive(self) -> None:
        """BadInput if the crawl has kept no pages to read."""
        if self.config.archive == "none":
            raise BadInput(f"{self.path} has no archive that could be read: it was crawled with --archive none")

    def refuse_without_graph(self) -> None:
        """BadInput if the crawl has kept no links."""
        if next(self.database.scan("graph"), None) is None:
            raise BadInput(f"{self.path} has no link graph: `weft crawl --graph` keeps one")


def scope_seeds(state: State) -> tuple[str, ...]:
    """The seeds by which the scope is known, also those that redirects led to."""
    row = state.get("meta", b"scope-seeds")
    return msgspec.msgpack.decode(row, type=tuple[str, ...]) if row else ()
