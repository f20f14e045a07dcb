"""The pages of a crawl folder: HTML with a 2xx status, read back from the archive in its order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weft.clean.bulk.files.progress import Origin, Progress
from weft.clean.bulk.files.templates import TemplateFile, Templates
from weft.clean.bulk.ports import RawPage
from weft.errors import DamagedRecord
from weft.folder.archive_order import SortedRows, archive_order
from weft.folder.reading import CrawlReader
from weft.media import is_html
from weft.store import read_record
from weft.types import PageRow
from weft.url import host_of

READ_BYTES = 8 * 1024 * 1024  # of pages at once; a longer page comes alone
_LOOKS_LIKE_HTML = b"<html>"


class FolderSource:
    """What is committed in a crawl folder and not done yet; nothing, if the output only lacks its name."""

    def __init__(
        self,
        reader: CrawlReader,
        progress: Progress,
        scratch: Path,
        templates: TemplateFile | None = None,
        *,
        is_whole: bool = False,
    ) -> None:
        self._reader = reader
        self._progress = progress
        to_do = (row for row in reader.rows() if _may_be_page(row) and not progress.is_done(row, archive_order(row)))
        self._sorted = SortedRows(() if is_whole else to_do, scratch)
        self._remaining = self._sorted.count
        self._rows = iter(self._sorted)
        self._template_file = templates
        self._templates: Templates | None = None
        self._is_stopping = False

    def remaining(self) -> int:
        """How many pages are still to be read."""
        return self._remaining

    def stop(self) -> None:
        """Learn no more of templates."""
        self._is_stopping = True

    def read(self, rows: int) -> Sequence[RawPage]:
        """The next pages, fewer where they are large; none at the end."""
        if self._templates is None:
            self._templates = self._known_templates()
        if self._is_stopping:
            return []
        pages: list[RawPage] = []
        read_bytes = 0
        while len(pages) < rows and read_bytes < READ_BYTES:
            row = next(self._rows, None)
            if row is None:
                self._progress.end()
                break
            self._remaining -= 1
            if (page := self._load(row)) is not None:
                pages.append(page)
                read_bytes += len(page.content)
        return pages

    def close(self) -> None:
        """Let go of the folder."""
        self._sorted.close()
        self._reader.close()

    def _load(self, row: PageRow) -> RawPage | None:
        """The page of a row; None if it is no HTML, which only the archive knows where the server gave no type."""
        place = archive_order(row)
        try:
            page = self._reader.page(row)
            if not page.is_html:
                return None
            record_id = read_record(self._reader.place_of(row), most_bytes=0).fields["warc-record-id"]
        except DamagedRecord as error:
            self._give(row, place, "")
            return RawPage(row.url, b"", place=place, damage=str(error))
        self._give(row, place, record_id)
        template = (self._templates or {}).get(host_of(row.url), {})
        return RawPage(row.url, page.body, page.headers.get("content-type", ""), place, template=template)

    def _give(self, row: PageRow, place: int, record_id: str) -> None:
        name = self._reader.file_name(row.file)
        self._progress.give(place, Origin(record_id, row.fetched_at, row.status, row.digest, name, row.offset))

    def _known_templates(self) -> Templates:
        if self._template_file is None or not self._remaining:
            return {}
        return self._template_file.load_or_learn(self._reader, lambda: self._is_stopping)


def _may_be_page(row: PageRow) -> bool:
    """Whether it is HTML by the server's word, or may be because the server gave none."""
    return bool(row.file) and 200 <= row.status < 300 and is_html(row.mime, _LOOKS_LIKE_HTML)
