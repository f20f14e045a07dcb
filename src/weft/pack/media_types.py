"""The media type of a file by its extension. The table is ours, so that a pack is the same on every machine.

`weft mirror` gives files the extensions of this table. A type without a charset leaves it to the page itself.
"""

from __future__ import annotations

from typing import Final

_TYPES: Final = {
    "text/html": "html htm",
    "application/xhtml+xml": "xhtml xht",
    "text/css": "css",
    "text/javascript": "js mjs cjs",
    "application/json": "json map geojson topojson",
    "application/manifest+json": "webmanifest",
    "application/ld+json": "jsonld",
    "application/xml": "xml xsl xslt xsd opml kml gpx mml dtd rdf",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/wasm": "wasm",
    "text/cache-manifest": "appcache",
    "text/calendar": "ics",
    "text/csv": "csv",
    "text/markdown": "md markdown",
    "text/plain": "txt text log asc py c h cpp java rs go sh diff patch rst",
    "text/vcard": "vcf",
    "text/vtt": "vtt",
    "image/svg+xml": "svg svgz",
    "image/png": "png apng",
    "image/jpeg": "jpg jpeg jpe jfif",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/heic": "heic heif",
    "image/jxl": "jxl",
    "image/bmp": "bmp dib",
    "image/tiff": "tif tiff",
    "image/x-icon": "ico cur",
    "font/woff2": "woff2",
    "font/woff": "woff",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "font/collection": "ttc otc",
    "application/vnd.ms-fontobject": "eot",
    "audio/mpeg": "mp3 mpga mp2",
    "audio/mp4": "m4a m4b",
    "audio/aac": "aac",
    "audio/ogg": "ogg oga opus spx",
    "audio/flac": "flac",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "audio/midi": "mid midi",
    "video/mp4": "mp4 m4v mpg4",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "video/mpeg": "mpeg mpg mpe",
    "video/quicktime": "mov qt",
    "video/x-msvideo": "avi",
    "video/x-matroska": "mkv",
    "video/mp2t": "ts m2ts",
    "application/vnd.apple.mpegurl": "m3u8 m3u",
    "application/dash+xml": "mpd",
    "application/pdf": "pdf",
    "application/postscript": "ps eps ai",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls xlt",
    "application/vnd.ms-powerpoint": "ppt pps",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar",
    "application/x-xz": "xz txz",
    "application/x-bzip2": "bz2 tbz2",
    "application/zstd": "zst",
    "application/x-tar": "tar",
}
_BY_EXTENSION: Final = {ending: media_type for media_type, endings in _TYPES.items() for ending in endings.split()}

# Packed already; the second time takes time and gains nothing.
_DENSE_FAMILIES = ("audio/", "video/", "image/")
_DENSE_TYPES = frozenset(
    {"font/woff2", "font/woff", "application/epub+zip", "application/zip", "application/gzip", "application/zstd"}
    | {"application/x-7z-compressed", "application/vnd.rar", "application/x-xz", "application/x-bzip2"}
    | {media_type for media_type in _TYPES if "opendocument" in media_type or "openxml" in media_type}
)
_LOOSE_TYPES = frozenset({"image/svg+xml", "image/bmp", "image/tiff", "image/x-icon", "audio/wav", "audio/midi"})


def media_type_of(path: str) -> str:
    """The type of a file with this name; empty when it is not known."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _BY_EXTENSION.get(ending.lower(), "") if dot else ""


def is_worth_packing(media_type: str) -> bool:
    """Whether files of this type become smaller."""
    if media_type in _LOOSE_TYPES:
        return True
    return media_type not in _DENSE_TYPES and not media_type.startswith(_DENSE_FAMILIES)
