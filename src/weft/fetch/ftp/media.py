"""What a file is. FTP does not say, so its name does, and where that says nothing, its first bytes."""

from __future__ import annotations

import re
from functools import cache
from mimetypes import MimeTypes
from typing import Final

FIRST_BYTES: Final = 1_024

# A compressed file is that, whatever is in it: no reader expects to unpack it on the way.
_PACKED: Final = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
    "compress": "application/x-compress",
    "br": "application/x-brotli",
}
_BY_FIRST_BYTES: Final = (
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)[\s>]", re.IGNORECASE), "text/html"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
    (re.compile(rb"PK\x03\x04"), "application/zip"),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml[\s?]"), "application/xml"),
)
_BINARY: Final = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def media_type_of(name: str, first_bytes: bytes) -> str:
    """The media type of a file with this name that begins so."""
    named, packing = _types().guess_type(name.replace("?", "_").replace("#", "_"), strict=False)
    if packing is not None:
        return _PACKED.get(packing, "application/octet-stream")
    if named is not None:
        return named
    for pattern, media_type in _BY_FIRST_BYTES:
        if pattern.match(first_bytes):
            return media_type
    return "application/octet-stream" if _BINARY.search(first_bytes) else "text/plain"


@cache
def _types() -> MimeTypes:
    """Python's own table, and nothing from this machine's files: a file is the same everywhere."""
    return MimeTypes()
