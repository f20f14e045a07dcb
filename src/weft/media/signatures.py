"""What the first bytes of a file show."""

from __future__ import annotations

import re
from typing import Final

from weft.regex import regex

SIGNATURE_BYTES: Final = 512  # of the unpacked body are enough to tell

_BYTES: Final = "application/octet-stream"  # none of a type that anybody asks for
_SIGNATURES: Final = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
    (rb"RIFF....WAVE", "audio/wav"),
    (rb"RIFF....AVI ", "video/x-msvideo"),
    (rb"....ftypavi[fs]", "image/avif"),
    (rb"....ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)", "image/heic"),
    (rb"....ftypM4A ", "audio/mp4"),
    (rb"....ftypqt  ", "video/quicktime"),
    (rb"....ftyp", "video/mp4"),
    (rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"),
    (rb"BM.{4}\0\0\0\0", "image/bmp"),
    (rb"II\*\0|MM\0\*", "image/tiff"),
    (rb"\x00\x00[\x01\x02]\x00.\x00", "image/x-icon"),
    (rb"wOF2", "font/woff2"),
    (rb"wOFF", "font/woff"),
    (rb"\x00\x01\x00\x00\x00[\x04-\x40]|true\x00", "font/ttf"),
    (rb"OTTO\0", "font/otf"),
    (rb"ttcf\0", "font/collection"),
    (rb"ID3[\x02-\x04]", "audio/mpeg"),
    (rb"fLaC\0", "audio/flac"),
    (rb"OggS\0", "application/ogg"),
    (rb"MThd\0", "audio/midi"),
    (rb"\x1aE\xdf\xa3.{0,60}webm", "video/webm"),
    (rb"\x1aE\xdf\xa3", "video/x-matroska"),
    (rb"FLV\x01", "video/x-flv"),
    (rb"[CF]WS[\x01-\x20]", "application/x-shockwave-flash"),
    (rb"%PDF-", "application/pdf"),
    (rb"%!PS-Adobe-", "application/postscript"),
    (rb"\0asm", "application/wasm"),
    (rb"PK(?:\x03\x04|\x05\x06)", "application/zip"),
    (rb"\x1f\x8b\x08", "application/gzip"),
    (rb"7z\xbc\xaf", "application/x-7z-compressed"),
    (rb"Rar!\x1a", "application/vnd.rar"),
    (rb"\xfd7zXZ\0", "application/x-xz"),
    (rb"BZh[1-9]", "application/x-bzip2"),
    (rb"\x28\xb5\x2f\xfd", "application/zstd"),
    (rb"\xd0\xcf\x11\xe0|\x7fELF|MZ\x90\x00|\xca\xfe\xba\xbe|SQLite format 3\0", _BYTES),
)
_SIGNATURE: Final = regex(b"|".join(b"(%b)" % pattern for pattern, _ in _SIGNATURES), re.DOTALL)
_TYPES: Final = ("", *(named for _, named in _SIGNATURES))  # by the number of the group

# How HTML begins, by the table of the WHATWG MIME sniffing standard.
HTML_START: Final = regex(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*"
    rb"<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s/>])",
    re.IGNORECASE,
)
_XML_START: Final = regex(rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(\?xml|svg|rss|feed)[\s/>]")
_DRAWING: Final = regex(rb"<svg[\s>]", re.IGNORECASE)
_BINARY_BYTE: Final = regex(rb"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]")  # the WHATWG's "binary data byte"


def type_by_signature(first_bytes: bytes) -> str:
    """The type of a file that is no text; empty when it may be text, or nobody knows."""
    if not first_bytes or first_bytes[0] in b"<\n\r {/":  # how most texts begin, and no signature
        return ""
    found = _SIGNATURE.match(first_bytes)
    return _TYPES[found.lastindex or 0] if found else ""


def type_by_markup(first_bytes: bytes) -> str:
    """The type of what begins like HTML or XML; empty for all else."""
    if HTML_START.match(first_bytes):
        return "text/html"
    root = _XML_START.match(first_bytes)
    if root is None:
        return ""
    return "image/svg+xml" if root[1] == b"svg" or has_drawing(first_bytes[:SIGNATURE_BYTES]) else "application/xml"


def has_drawing(first_bytes: bytes) -> bool:
    """Whether the tag of an SVG drawing is in it."""
    return _DRAWING.search(first_bytes) is not None


def has_binary_byte(first_bytes: bytes, within: int = SIGNATURE_BYTES) -> bool:
    """Whether one of these bytes is one that no text has."""
    return _BINARY_BYTE.search(first_bytes, 0, within) is not None
