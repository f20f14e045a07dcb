"""WACZ 1.1.1: the whole archive in one ZIP file, with its index and a list of pages, to replay anywhere.

archive/*.warc.gz         as they are, not packed again: a reader takes records out of the middle
indexes/index.cdx.gz      sorted CDXJ in blocks; index.idx leads to the blocks
pages/pages.jsonl         where a reader may begin
datapackage.json          all of these with their lengths and SHA-256
datapackage-digest.json   the SHA-256 of datapackage.json
"""

from __future__ import annotations

import hashlib
import tempfile
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Self

import msgspec

from weft._version import __version__
from weft.export.content import TEXT, Content, keeps_forms
from weft.export.format import Advance, Format, Source
from weft.export.page_places import ContentSetup
from weft.export.reading import read_pages
from weft.export.warc import committed_chunks
from weft.export.zipnum import blocks_of, index_head
from weft.folder.reading import CrawlReader
from weft.store import write_cdxj
from weft.types import Kind, PageRow
from weft.url import id_of

WACZ_VERSION = "1.1.1"
PAGES_FORMAT = "json-pages-1.0"
INDEX_NAME = "index.cdx.gz"

_encode = msgspec.json.Encoder().encode


class Resource(msgspec.Struct, frozen=True):
    """A file in the package, as datapackage.json lists it."""

    name: str
    path: str
    hash: str
    bytes: int


def write_wacz(source: Source, out: BinaryIO, advance: Advance) -> None:
    """Write the package."""
    reader = source.reader
    reader.refuse_missing()  # the index would lead nowhere
    with zipfile.ZipFile(out, "w") as package:
        contents = _Package(package)
        for path, name, committed_bytes in reader.files():
            with contents.entry(f"archive/{name}", size_bytes=committed_bytes) as entry:
                for chunk in committed_chunks(path, committed_bytes):
                    entry.write(chunk)
                    advance(len(chunk))
        _add_index(contents, reader, source.scratch)
        with contents.entry("pages/pages.jsonl", is_packed=True) as entry:
            for line in _page_lines(reader, source.content):
                entry.write(line)
        _add_description(contents, reader)


class _Package:
    """The ZIP file, which remembers what was put into it."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self._made_at = time.gmtime()[:6]
        self.resources: list[Resource] = []

    def entry(self, path: str, *, size_bytes: int | None = None, is_packed: bool = False) -> _Entry:
        """A new file in the package. One whose size is not known before may have any."""
        info = zipfile.ZipInfo(path, self._made_at)
        info.compress_type = zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        info.file_size = size_bytes or 0
        return _Entry(path, self._package.open(info, "w", force_zip64=size_bytes is None), self.resources)


class _Entry:
    """A file in the package while it is written."""

    def __init__(self, path: str, out: IO[bytes], resources: list[Resource]) -> None:
        self._path = path
        self._out = out
        self._resources = resources
        self._hash = hashlib.sha256()
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._out.close()
        if kind is None:
            name = self._path.rpartition("/")[2].lower()
            digest = f"sha256:{self._hash.hexdigest()}"
            self._resources.append(Resource(name, self._path, digest, self._bytes))

    def write(self, data: bytes) -> None:
        """Append to the file."""
        self._out.write(data)
        self._hash.update(data)
        self._bytes += len(data)


def _add_index(contents: _Package, reader: CrawlReader, scratch: Path | None) -> None:
    index_lines = [index_head(INDEX_NAME)]
    with tempfile.TemporaryDirectory(dir=scratch, prefix=".export-") as folder:
        cdxj = Path(folder) / "index.cdxj"
        write_cdxj(cdxj, pages=reader.rows(), sides=reader.sides(), file_name=reader.file_name)
        with cdxj.open("rb") as lines, contents.entry(f"indexes/{INDEX_NAME}") as entry:
            for block in blocks_of(lines):
                entry.write(block.data)
                index_lines.append(block.index_line)
    with contents.entry("indexes/index.idx", is_packed=True) as entry:
        entry.write(b"".join(index_lines))


def _page_lines(reader: CrawlReader, content: Content) -> Iterator[bytes]:
    """A line a page, behind a line that says what they are. A page that cannot be read has no text."""
    head: dict[str, object] = {"format": PAGES_FORMAT, "id": "pages", "title": "All pages"}
    yield _encode(head | ({"hasText": True} if content.forms else {})) + b"\n"
    rows = filter(is_page, reader.rows())
    if content.forms:
        setup = ContentSetup(content, keeps_forms(reader, content))
        pages = ((row, told.forms.get(TEXT, "")) for row, told in read_pages(reader, rows, setup))
    else:
        pages = ((row, "") for row in rows)
    for row, text in pages:
        yield _encode(_page_object(row, text)) + b"\n"


def is_page(row: PageRow) -> bool:
    """Whether someone may want to begin there: it is there, and no part of another page."""
    return 200 <= row.status < 300 and bool(row.file) and row.kind is not Kind.EMBED


def _page_object(row: PageRow, text: str) -> dict[str, object]:
    told: dict[str, object] = {
        "id": id_of(row).hex(),
        "url": row.url,
        "ts": _iso_date(row.fetched_at),
        "title": row.title or row.url,
        "mime": row.mime,
        "status": row.status,
        "depth": row.depth,
    }
    if row.kind is Kind.SEED:
        told["seed"] = True
    return told | ({"text": text} if text else {})


def _add_description(contents: _Package, reader: CrawlReader) -> None:
    described: dict[str, object] = {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "software": f"weft {__version__}",
        "created": _iso_date(time.time()),
        "title": reader.name,
    }
    if reader.config.seeds:
        described["mainPageUrl"] = reader.config.seeds[0]
    described["resources"] = list(contents.resources)
    package = msgspec.json.format(_encode(described), indent=2)
    digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(package).hexdigest()}"}
    with contents.entry("datapackage.json", is_packed=True) as entry:
        entry.write(package)
    with contents.entry("datapackage-digest.json", is_packed=True) as entry:
        entry.write(msgspec.json.format(_encode(digest), indent=2))


def _iso_date(wall_s: float) -> str:
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


WACZ = Format("wacz", "wacz", write_wacz, forms=frozenset({TEXT}), is_archive=True, needs_archive=True)
