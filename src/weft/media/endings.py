"""Media types and the endings of files.

A server tells a browser the type of what it sends; a disk has only the ending of a name.
"""

from __future__ import annotations

from typing import Final

# Of each type, how its files end: the first is what a file gets that ends otherwise. One with a star says by itself
# that a file is of another type, but fits too.
_MUST_END: Final = {
    "text/html": "html htm",  # not xhtml: from disk that would be read as XML, and end at the first slip
    "application/xhtml+xml": "xhtml xht",
    "application/vnd.wap.xhtml+xml": "xhtml* xht*",
    "text/css": "css",
    "text/javascript": "js mjs cjs",
    "application/json": "json webmanifest* map geojson jsonld* topojson",
    "application/manifest+json": "webmanifest json*",
    "application/ld+json": "jsonld json*",
    "application/xml": "xml rss* atom* rdf xsl xslt xsd opml kml gpx svg* xhtml* xht* mml dtd",
    "application/rss+xml": "xml* rss rdf*",
    "application/atom+xml": "xml* atom",
    "application/rdf+xml": "rdf* xml* rss* owl*",
    "text/cache-manifest": "appcache manifest*",
    "text/calendar": "ics",
    "text/csv": "csv",
    "text/markdown": "md markdown",
    "text/vcard": "vcf",
    "text/vtt": "vtt",
    "image/svg+xml": "svg svgz",
    "image/png": "png apng",
    "image/apng": "png* apng*",
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
    "audio/mp4": "m4a mp4* m4b",
    "audio/aac": "aac",
    "audio/ogg": "ogg oga opus spx",
    "audio/opus": "opus* ogg*",
    "audio/flac": "flac",
    "audio/wav": "wav",
    "audio/webm": "weba webm*",
    "audio/midi": "mid midi",
    "video/mp4": "mp4 m4v mpg4",
    "video/webm": "webm",
    "video/ogg": "ogv ogg*",
    "application/ogg": "ogg* ogv* oga* ogx* opus*",
    "video/mpeg": "mpeg mpg mpe",
    "video/quicktime": "mov qt",
    "video/x-msvideo": "avi",
    "video/x-matroska": "mkv webm*",
    "video/mp2t": "ts m2ts",
    "application/vnd.apple.mpegurl": "m3u8 m3u",
    "application/dash+xml": "mpd",
    "application/pdf": "pdf ai*",
    "application/postscript": "ps eps ai",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls xlt csv*",
    "application/vnd.ms-powerpoint": "ppt pps",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/wasm": "wasm",
}
# These may end in any way: what lies in an archive is told by its name (docx, jar), and servers call all sorts plain.
_MAY_END: Final = {
    "text/plain": "txt text log asc py c h cpp java rs go sh diff patch rst",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar",
    "application/x-xz": "xz txz",
    "application/x-bzip2": "bz2 tbz2",
    "application/zstd": "zst",
    "application/x-tar": "tar",
}
_OTHER_NAMES: Final = {
    "application/xml": "text/xml",
    "text/javascript": "application/javascript application/x-javascript application/ecmascript"
    " text/ecmascript text/x-javascript",
    "application/json": "text/json",
    "text/markdown": "text/x-markdown",
    "image/jpeg": "image/jpg image/pjpeg",
    "image/png": "image/x-png",
    "image/svg+xml": "image/svg",
    "image/heic": "image/heif",
    "image/bmp": "image/x-ms-bmp",
    "image/x-icon": "image/vnd.microsoft.icon",
    "font/woff": "application/font-woff application/x-font-woff",
    "font/woff2": "application/font-woff2",
    "font/ttf": "application/x-font-ttf application/x-font-truetype application/font-sfnt font/sfnt",
    "font/otf": "application/x-font-otf application/x-font-opentype",
    "audio/mpeg": "audio/mp3",
    "audio/mp4": "audio/x-m4a",
    "audio/wav": "audio/x-wav audio/wave",
    "audio/flac": "audio/x-flac",
    "video/mp4": "video/x-m4v",
    "application/vnd.apple.mpegurl": "application/x-mpegurl audio/mpegurl",
    "application/pdf": "application/x-pdf",
    "application/rtf": "text/rtf",
    "application/zip": "application/x-zip-compressed",
    "application/gzip": "application/x-gzip",
}

_SAME_AS: Final = {other: named for named, others in _OTHER_NAMES.items() for other in others.split()}
_FITTING: Final = {named: tuple(endings.replace("*", "").split()) for named, endings in _MUST_END.items()}
_BY_ENDING: Final = {
    ending: named
    for named, endings in (_MUST_END | _MAY_END).items()
    for ending in endings.split()
    if not ending.endswith("*")
}
DEMANDED: Final = frozenset(ending for endings in _FITTING.values() for ending in endings)  # by some type


def usual_name(named: str) -> str:
    """A type by the name that these tables have: `text/javascript` for `application/x-javascript`."""
    return _SAME_AS.get(named, named)


def type_by_name(path: str) -> str:
    """The type of a file with this name; empty when it is not known."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _BY_ENDING.get(ending.lower(), "") if dot else ""


def fitting_endings(named: str) -> tuple[str, ...]:
    """How a file of this type must end, the best first; empty where any ending fits, or none is known."""
    if named in _FITTING:
        return _FITTING[named]
    if named.endswith("+json"):
        return _FITTING["application/json"]
    return _FITTING["application/xml"] if named.endswith("+xml") else ()


def ending_for_nameless(named: str) -> str:
    """What a file gets that has no ending, if its type allows any."""
    return _MAY_END.get(named, "").partition(" ")[0]
