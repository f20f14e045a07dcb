"""How a saved file must end, so that a browser that opens it from the disk takes it for what the server said it was.

A server tells a browser the type of what it sends; a disk has only the extension. So it follows the type, and the first
bytes where browsers believe these more, or where the type says nothing:

| the server says                    | the bytes are              | the file is              |
|------------------------------------|----------------------------|--------------------------|
| a type of the table                | of no known signature      | that type                |
| an image, a font                   | another image, font        | what the bytes are       |
| some kind of text                  | an image, sound, font, PDF | what the bytes are       |
| text/plain, text of no known kind  | text                       | as it is named (1)       |
| nothing, octet-stream              | of a known signature       | what the bytes are (2)   |
| another type                       |                            | as it is named           |

(1) Servers say so of all that they do not know. (2) But an extension that the table does not have is kept: data.bin.

The table is ours and not the system's, so that a file has the same name on every machine.
"""

from __future__ import annotations

import re
from typing import Final

SIGNATURE_BYTES: Final = 512  # of the unpacked body are enough to tell

_SAYS_NOTHING = frozenset({
    "", "*/*", "unknown/unknown", "application/unknown", "application/octet-stream", "binary/octet-stream",
    "application/x-octet-stream", "application/download", "application/x-download", "application/force-download",
})  # fmt: skip

# The first extension is given, the others are left as they are.
_EXTENSIONS: Final[dict[str, tuple[str, ...]]] = {
    "text/html": ("html", "htm"),  # not xhtml: from disk that would be read as XML, and end at the first slip
    "application/xhtml+xml": ("xhtml", "xht"),
    "application/vnd.wap.xhtml+xml": ("xhtml", "xht"),
    "text/css": ("css",),
    "text/javascript": ("js", "mjs", "cjs"),
    "application/json": ("json", "webmanifest", "map", "geojson", "jsonld", "topojson"),
    "application/manifest+json": ("webmanifest", "json"),
    "application/ld+json": ("jsonld", "json"),
    "application/xml": (
        "xml", "rss", "atom", "rdf", "xsl", "xslt", "xsd", "opml", "kml", "gpx", "svg", "xhtml", "xht", "mml", "dtd",
    ),
    "application/rss+xml": ("xml", "rss", "rdf"),
    "application/atom+xml": ("xml", "atom"),
    "application/rdf+xml": ("rdf", "xml", "rss", "owl"),
    "text/cache-manifest": ("appcache", "manifest"),
    "text/calendar": ("ics",),
    "text/csv": ("csv",),
    "text/markdown": ("md", "markdown"),
    "text/vcard": ("vcf",),
    "text/vtt": ("vtt",),
    "image/svg+xml": ("svg", "svgz"),
    "image/png": ("png", "apng"),
    "image/apng": ("png", "apng"),
    "image/jpeg": ("jpg", "jpeg", "jpe", "jfif"),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
    "image/avif": ("avif",),
    "image/heic": ("heic", "heif"),
    "image/jxl": ("jxl",),
    "image/bmp": ("bmp", "dib"),
    "image/tiff": ("tif", "tiff"),
    "image/x-icon": ("ico", "cur"),
    "font/woff2": ("woff2",),
    "font/woff": ("woff",),
    "font/ttf": ("ttf",),
    "font/otf": ("otf",),
    "font/collection": ("ttc", "otc"),
    "application/vnd.ms-fontobject": ("eot",),
    "audio/mpeg": ("mp3", "mpga", "mp2"),
    "audio/mp4": ("m4a", "mp4", "m4b"),
    "audio/aac": ("aac",),
    "audio/ogg": ("ogg", "oga", "opus", "spx"),
    "audio/opus": ("opus", "ogg"),
    "audio/flac": ("flac",),
    "audio/wav": ("wav",),
    "audio/webm": ("weba", "webm"),
    "audio/midi": ("mid", "midi"),
    "video/mp4": ("mp4", "m4v", "mpg4"),
    "video/webm": ("webm",),
    "video/ogg": ("ogv", "ogg"),
    "application/ogg": ("ogg", "ogv", "oga", "ogx", "opus"),
    "video/mpeg": ("mpeg", "mpg", "mpe"),
    "video/quicktime": ("mov", "qt"),
    "video/x-msvideo": ("avi",),
    "video/x-matroska": ("mkv", "webm"),
    "video/mp2t": ("ts", "m2ts"),
    "application/vnd.apple.mpegurl": ("m3u8", "m3u"),
    "application/dash+xml": ("mpd",),
    "application/pdf": ("pdf", "ai"),
    "application/postscript": ("ps", "eps", "ai"),
    "application/rtf": ("rtf",),
    "application/epub+zip": ("epub",),
    "application/msword": ("doc", "dot"),
    "application/vnd.ms-excel": ("xls", "xlt", "csv"),
    "application/vnd.ms-powerpoint": ("ppt", "pps"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("docx",),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("xlsx",),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ("pptx",),
    "application/vnd.oasis.opendocument.text": ("odt",),
    "application/vnd.oasis.opendocument.spreadsheet": ("ods",),
    "application/vnd.oasis.opendocument.presentation": ("odp",),
    "application/wasm": ("wasm",),
}  # fmt: skip
_SAME_AS = {
    "text/xml": "application/xml",
    "application/javascript": "text/javascript",
    "application/x-javascript": "text/javascript",
    "application/ecmascript": "text/javascript",
    "text/ecmascript": "text/javascript",
    "text/x-javascript": "text/javascript",
    "text/json": "application/json",
    "text/x-markdown": "text/markdown",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/svg": "image/svg+xml",
    "image/heif": "image/heic",
    "image/x-ms-bmp": "image/bmp",
    "image/vnd.microsoft.icon": "image/x-icon",
    "application/font-woff": "font/woff",
    "application/x-font-woff": "font/woff",
    "application/font-woff2": "font/woff2",
    "application/x-font-ttf": "font/ttf",
    "application/x-font-truetype": "font/ttf",
    "application/font-sfnt": "font/ttf",
    "font/sfnt": "font/ttf",
    "application/x-font-otf": "font/otf",
    "application/x-font-opentype": "font/otf",
    "audio/mp3": "audio/mpeg",
    "audio/x-m4a": "audio/mp4",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-flac": "audio/flac",
    "video/x-m4v": "video/mp4",
    "application/x-mpegurl": "application/vnd.apple.mpegurl",
    "audio/mpegurl": "application/vnd.apple.mpegurl",
    "application/x-pdf": "application/pdf",
    "text/rtf": "application/rtf",
}
_ARCHIVES = frozenset({"zip", "gz", "7z", "rar", "xz", "bz2", "zst"})
_KNOWN: Final = frozenset(ending for endings in _EXTENSIONS.values() for ending in endings) | _ARCHIVES
# These name what makes a page on the server, not what the page is.
_SERVER_SIDE = frozenset(
    {"php", "php3", "php4", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "cgi", "cfm", "do"}
)
_ACTIVE = frozenset({"html", "htm", "xhtml", "xht"})  # a server that sends these as plain text wants their source shown

_SIGNATURES: Final[tuple[tuple[re.Pattern[bytes], str], ...]] = tuple(
    (re.compile(pattern, re.DOTALL), media_type)
    for pattern, media_type in (
        (rb"\x89PNG\r\n\x1a\n", "image/png"),
        (rb"\xff\xd8\xff", "image/jpeg"),
        (rb"GIF8[79]a", "image/gif"),
        (rb"RIFF....WEBPVP", "image/webp"),
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
        (rb"%PDF-", "application/pdf"),
        (rb"%!PS-Adobe-", "application/postscript"),
        (rb"\0asm", "application/wasm"),
    )
)
# What lies in these is told by the name: docx, jar, tgz. They decide only where there is no extension.
_ARCHIVE_TYPES: Final = {
    "application/zip": "zip",
    "application/x-zip-compressed": "zip",
    "application/gzip": "gz",
    "application/x-gzip": "gz",
    "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar",
    "application/x-xz": "xz",
    "application/x-bzip2": "bz2",
    "application/zstd": "zst",
    "application/x-tar": "tar",
}
_ARCHIVE_SIGNATURES: Final = (
    (b"PK\3\4", "zip"),
    (b"\x1f\x8b\x08", "gz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
_BINARY_BYTE = re.compile(rb"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*"
    rb"<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s/>])",
    re.IGNORECASE,
)
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(\?xml|svg|rss|feed)[\s/>]")


def extension_for(media_type: str, first_bytes: bytes, own: str) -> str:
    """The extension that a file must have: `own`, in lower case and without its dot, where it is right, or another.

    `media_type` is the server's word, parameters or not; `first_bytes` are of the body without its content coding.
    Empty when there is none and none is known.
    """
    declared = media_type.partition(";")[0].strip().lower()
    actual = _actual_type(_SAME_AS.get(declared, declared), first_bytes)
    fitting = _EXTENSIONS.get(actual) or _by_family(actual)
    if not fitting:
        return _kept_or_filled(actual, first_bytes, own)
    if own in fitting:
        return own
    if declared in _SAYS_NOTHING and own and own not in _KNOWN and own not in _SERVER_SIDE:
        return own
    return fitting[0]


def _kept_or_filled(media_type: str, first_bytes: bytes, own: str) -> str:
    """The extension of a type that fits any: its own, unless that says nothing of the file."""
    if media_type.startswith("text/"):
        return "txt" if not own or own in _SERVER_SIDE or own in _ACTIVE else own
    if own and own not in _SERVER_SIDE:
        return own
    return _ARCHIVE_TYPES.get(media_type) or _archive_extension(first_bytes) or own


def _by_family(media_type: str) -> tuple[str, ...]:
    """Extensions for a type that the table does not have, as far as its family tells."""
    if media_type.endswith("+json"):
        return _EXTENSIONS["application/json"]
    if media_type.endswith("+xml"):
        return _EXTENSIONS["application/xml"]
    return ()


def _actual_type(declared: str, first_bytes: bytes) -> str:
    says_nothing = declared in _SAYS_NOTHING
    found = _by_signature(first_bytes)
    if found:
        family = declared.partition("/")[0]
        if says_nothing or (family in ("image", "font") and found.startswith(family) and declared != "image/svg+xml"):
            return found
        if _is_text(declared) and (found == "application/pdf" or _BINARY_BYTE.search(first_bytes, 0, 64)):
            return found
    elif says_nothing and declared not in ("application/octet-stream", "binary/octet-stream"):
        return _by_markup(first_bytes) or declared
    return declared


def _by_signature(first_bytes: bytes) -> str:
    if not first_bytes or first_bytes[0] in b"<\n\r {/":  # how most texts begin, and no signature
        return ""
    for pattern, media_type in _SIGNATURES:
        if pattern.match(first_bytes):
            return media_type
    return ""


def _by_markup(first_bytes: bytes) -> str:
    if _HTML_START.match(first_bytes):
        return "text/html"
    root = _XML_START.match(first_bytes)
    if root is None:
        return ""
    is_drawing = root[1] == b"svg" or re.search(rb"<svg[\s>]", first_bytes[:SIGNATURE_BYTES])
    return "image/svg+xml" if is_drawing else "application/xml"


def _archive_extension(first_bytes: bytes) -> str:
    return next((ending for start, ending in _ARCHIVE_SIGNATURES if first_bytes.startswith(start)), "")


def _is_text(media_type: str) -> bool:
    is_markup = media_type.endswith(("+xml", "/xml", "+json", "/json"))
    return media_type.startswith("text/") or is_markup
