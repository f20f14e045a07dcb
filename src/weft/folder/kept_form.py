"""The cleaned form of a page that `weft crawl --clean` kept beside it.

No row tells where it is, so a crawl without it has no longer rows: it stands in the file behind the page's response
and request, before the page's notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from isal import isal_zlib

from weft.errors import CrawlFolderError
from weft.folder.reading import CrawlReader
from weft.store.open_file import OPEN_SUFFIX
from weft.store.warc import GZIP_WBITS, RECORD_END
from weft.types import Conversion, PageRow

READ_BYTES = 64 * 1024
_END_OF_PAGE = ("metadata", "response", "revisit", "resource", "")


def kept_form(reader: CrawlReader, row: PageRow) -> Conversion | None:
    """What was kept of a page; None when it was not cleaned."""
    if not row.file:
        return None
    path = reader.file_path(row.file)
    try:
        file = path.open("rb")
    except FileNotFoundError:  # the file got its final name since the path was told
        file = path.with_name(path.name.removesuffix(OPEN_SUFFIX)).open("rb")
    except OSError as error:
        raise CrawlFolderError(f"cannot read {path}: {error.strerror}") from error
    with file:
        file.seek(row.offset + row.length)
        for fields, block in _records(file):
            kind = fields.get("WARC-Type", "")
            if kind == "conversion":
                return Conversion(
                    fields.get("Weft-Form", ""),
                    block.decode(),
                    fields.get("Weft-Title", ""),
                    fields.get("Weft-Language", ""),
                    fields.get("Weft-Charset", ""),
                )
            if kind in _END_OF_PAGE:
                break
    return None


def _records(file: BinaryIO) -> Iterator[tuple[dict[str, str], bytes]]:
    """The records from here on: header and block."""
    packed = b""
    while packed or (packed := file.read(READ_BYTES)):
        unpacker = isal_zlib.decompressobj(GZIP_WBITS)
        parts = [unpacker.decompress(packed)]
        while not unpacker.eof and (more := file.read(READ_BYTES)):
            parts.append(unpacker.decompress(more))
        packed = unpacker.unused_data
        head, _, block = b"".join(parts).partition(b"\r\n\r\n")
        pairs = (line.partition(": ") for line in head.decode().split("\r\n"))
        yield {name: value for name, _, value in pairs}, block.removesuffix(RECORD_END)
