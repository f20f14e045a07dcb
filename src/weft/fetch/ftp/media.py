"""What a file is. FTP does not say, so its name does, and where that says nothing, its first bytes."""

from __future__ import annotations

from functools import cache
from mimetypes import MimeTypes
from typing import Final

from weft.media.endings import type_by_name
from weft.media.signatures import has_binary_byte, type_by_markup, type_by_signature

# A compressed file is that, whatever is in it: no reader expects to unpack it on the way.
_PACKED: Final = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
    "compress": "application/x-compress",
    "br": "application/x-brotli",
}


def media_type_of(name: str, first_bytes: bytes) -> str:
    """The media type of a file with this name that begins so."""
    named, packing = _types().guess_type(name.replace("?", "_").replace("#", "_"), strict=False)
    if packing is not None:
        return _PACKED.get(packing, "application/octet-stream")
    known = type_by_name(name) or named or type_by_signature(first_bytes) or type_by_markup(first_bytes)
    return known or ("application/octet-stream" if has_binary_byte(first_bytes) else "text/plain")


@cache
def _types() -> MimeTypes:
    """Python's own table for what ours does not have, and nothing from this machine's files."""
    return MimeTypes()
