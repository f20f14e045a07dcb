"""By whose rules a file's links are found, and in which charset it is."""

from __future__ import annotations

import re

from weft.mirror.rewrite import Medium, medium_of
from weft.parse import Medium as Read
from weft.parse import decode
from weft.parse import medium_of as read_as
from weft.parse.media import FIRST_BYTES
from weft.types import PageRow

# Of no other type is it worth to look at the bytes.
_SAYS_NOTHING = frozenset({"", "*/*", "unknown/unknown", "application/unknown"})
_MANIFESTS = (".webmanifest", "/manifest.json", "/site.webmanifest")
MAX_MANIFEST_BYTES = 256 * 1024  # of one that is only known by what is in it
_DRAWING = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s;,"']+)""", re.IGNORECASE)


def may_have_links(page: PageRow) -> bool:
    """Whether the body must be looked at; if not, it is saved as it came."""
    named = page.mime
    if medium_of(named) is not None or named in _SAYS_NOTHING or _is_xml(named):
        return True
    return _is_manifest(page) or _may_be_manifest(page)


def medium(page: PageRow, body: bytes) -> Medium | None:
    """What a file is; None when it has no links to change."""
    if (known := medium_of(page.mime)) is not None:
        return known
    if _is_manifest(page):
        return Medium.MANIFEST
    if _may_be_manifest(page):
        return Medium.MANIFEST if read_as(page.mime, body[:FIRST_BYTES]) is Read.MANIFEST else None
    if page.mime in _SAYS_NOTHING and page.url.partition("?")[0].endswith(".css"):
        return Medium.STYLE_SHEET
    if not (page.mime in _SAYS_NOTHING or _is_xml(page.mime)):
        return None
    first_bytes = body[:FIRST_BYTES]
    if read_as(page.mime, first_bytes) is not Read.PAGE:
        return None
    return Medium.XML if _is_xml(page.mime) or _DRAWING.search(first_bytes) else Medium.PAGE


def charset_of(page: PageRow, body: bytes, content_type: str | None) -> str:
    """What it is written in."""
    return page.charset or decode(body, content_type)[1]


def named_charset(content_type: str | None) -> str | None:
    """The label in a Content-Type."""
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def _is_xml(named: str) -> bool:
    return named.endswith(("/xml", "+xml"))


def _is_manifest(page: PageRow) -> bool:
    return page.mime in ("application/json", "") and page.url.partition("?")[0].endswith(_MANIFESTS)


def _may_be_manifest(page: PageRow) -> bool:
    return page.mime == "application/json" and page.body_bytes <= MAX_MANIFEST_BYTES
