"""The type of a body by its first bytes, as `content_mime_detected` of Common Crawl's index has it: never empty.

a signature      a picture, a PDF, an archive …; a ZIP by what lies in it first: docx, odt, epub, jar
markup           HTML; XML by its root: a feed, a drawing, XHTML
a text           JSON, calendars, subtitles by how they begin; else what the server says it is, if that is a text
anything else    application/octet-stream
"""

from __future__ import annotations

import re
from typing import Final

from weft.media.endings import usual_name
from weft.media.medium import FIRST_BYTES, xml_root
from weft.media.signatures import has_binary_byte, type_by_markup, type_by_signature
from weft.media.types import is_text, media_type
from weft.regex import regex

_BYTES: Final = "application/octet-stream"
_TEXT: Final = "text/plain"
_ZIP: Final = "application/zip"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_XML_TYPES: Final = {
    b"rss": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"rdf": "application/rdf+xml",
    b"svg": "image/svg+xml",
    b"html": "application/xhtml+xml",
}
# Of the first file of a ZIP: its name, and that of the next ones as far as the first bytes go.
_ZIP_TYPE: Final = regex(rb"PK\x03\x04.{26}mimetype(application/[a-z.+\-]{3,80}?)(?=PK|\0|$)", re.DOTALL)
_IN_ZIP: Final = (
    (regex(rb"word/|docProps/.*word"), _OFFICE + "wordprocessingml.document"),
    (regex(rb"xl/"), _OFFICE + "spreadsheetml.sheet"),
    (regex(rb"ppt/"), _OFFICE + "presentationml.presentation"),
    (regex(rb"META-INF/"), "application/java-archive"),
    (regex(rb"AndroidManifest\.xml|classes\.dex"), "application/vnd.android.package-archive"),
)
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_HTML_WITHIN: Final = regex(rb"<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_TEXTS: Final = (
    (
        regex(rb"\{\s*(?:\"(?:[^\"\\]|\\.){0,200}\"\s*:|\})|\[\s*(?:[\[\]{\"\d-]|true|false|null)"),
        "application/json",
    ),
    (regex(rb"\{\\rtf"), "application/rtf"),
    (regex(rb"BEGIN:VCALENDAR"), "text/calendar"),
    (regex(rb"BEGIN:VCARD"), "text/vcard"),
    (regex(rb"WEBVTT"), "text/vtt"),
    (regex(rb"#EXTM3U"), "application/vnd.apple.mpegurl"),
)


def detected_type(first_bytes: bytes, content_type: str | None = None) -> str:
    """The type of a body that begins so. Only which kind of text it is, the server may say better."""
    shown = first_bytes[:FIRST_BYTES]
    if found := type_by_signature(shown):
        return _in_zip(shown) if found == _ZIP else found
    if shown[257:262] == b"ustar":
        return "application/x-tar"
    if shown[:2] in _UTF16:
        shown = shown.replace(b"\0", b"")[2:]
    shown = shown.removeprefix(b"\xef\xbb\xbf").lstrip(b"\t\n\f\r ")
    said = usual_name(media_type(content_type))
    if shown.startswith(b"<") and (found := _by_markup(shown)):
        return found
    if not shown or has_binary_byte(shown, FIRST_BYTES):
        return _BYTES
    if _HTML_WITHIN.search(shown) and said in ("", "text/html", "application/xhtml+xml"):
        return "text/html"
    for beginning, named in _TEXTS:
        if beginning.match(shown):
            return said if named == "application/json" and said.endswith("json") else named
    return said if is_text(said) and said != "text/html" and not said.endswith(("xml", "json")) else _TEXT


def _in_zip(shown: bytes) -> str:
    if named := _ZIP_TYPE.match(shown):
        return named[1].decode()
    return next((named for pattern, named in _IN_ZIP if pattern.search(shown)), _ZIP)


def _by_markup(shown: bytes) -> str:
    root = xml_root(shown)
    if root == b"html":
        return "application/xhtml+xml" if shown.startswith(b"<?xml") else "text/html"
    return _XML_TYPES.get(root) or type_by_markup(shown)
