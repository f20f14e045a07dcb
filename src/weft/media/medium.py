"""What a response is, as far as it may lead to others.

text/html, application/xhtml+xml    a page, unless it begins like a feed
image/svg+xml                       a page too: a drawing with links
text/css                            a style sheet
application/rss+xml, text/xml, …    by its root: a feed, a drawing, a page, or nothing to read
application/feed+json               a feed; application/json is one if it says so
application/manifest+json           a web app manifest; application/json is one if it looks so, or else data
text/javascript and its like        a script
none at all                         by its first bytes
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from weft.media.signatures import HTML_START
from weft.media.types import HTML_TYPES, NO_TYPES, is_xml, media_type
from weft.regex import regex

_JSON_TYPES = frozenset({"application/feed+json", "application/manifest+json", "application/json"})
SCRIPT_TYPES: Final = frozenset(
    {"text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript"}
    | {"application/ecmascript", "text/x-javascript", "text/jscript"}
)
_SCRIPTS_AND_STYLES: Final = SCRIPT_TYPES | {"text/css"}

FIRST_BYTES: Final = 2_048  # are enough to tell

# The root of an XML document: what comes before it may be a declaration, comments, a DOCTYPE with entities.
_XML_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?"
    rb"(?:\s++|<\?[^>]*+>|<!--(?>.*?-->)|<!(?!--)[^>\[]*+[>\[]|\]\s*+>)*"
    rb"<(?:[a-z][\w.\-]*+:)?(rss|feed|rdf|svg|html)(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
_JSON_FEED = regex(rb'"version"\s*+:\s*+"https?:(?:\\?/){2}jsonfeed\.org(?:\\?/)version')
_MANIFEST_ICONS = regex(rb'"icons"\s*+:\s*+\[\s*+\{[^{}\[\]]*?"src"\s*+:')


class Medium(Enum):
    """What a response is to the reader."""

    PAGE = auto()
    STYLE_SHEET = auto()
    FEED = auto()
    MANIFEST = auto()
    SCRIPT = auto()
    DATA = auto()  # JSON of any other kind


PAGE: Final = Medium.PAGE  # asked for each page: see `weft.members`


_BY_ROOT = {b"rss": Medium.FEED, b"feed": Medium.FEED, b"rdf": Medium.FEED, b"svg": Medium.PAGE, b"html": Medium.PAGE}


def is_html(content_type: str | None, first_bytes: bytes) -> bool:
    """Whether it is an HTML page. The server's word counts; without one, the first bytes decide."""
    named = media_type(content_type)
    if _says_nothing(named):
        return HTML_START.match(first_bytes) is not None
    return named in HTML_TYPES


@lru_cache(maxsize=256)  # the same few headers come again and again
def may_lead(content_type: str | None) -> bool:
    """Whether it is worth unpacking the body to look at its first bytes."""
    named = media_type(content_type)
    is_known = named in HTML_TYPES or named in _JSON_TYPES or named in _SCRIPTS_AND_STYLES or is_xml(named)
    return is_known or _says_nothing(named)


def medium_of(content_type: str | None, first_bytes: bytes) -> Medium | None:
    """What to read it as; None when it leads nowhere. `FIRST_BYTES` of the body are enough."""
    named = media_type(content_type)
    if named in HTML_TYPES:
        if first_bytes[:14].lower() == b"<!doctype html":  # nearly always
            return PAGE
        return Medium.FEED if _root_says(first_bytes) is Medium.FEED else Medium.PAGE
    if named == "text/css":
        return Medium.STYLE_SHEET
    if named in SCRIPT_TYPES:
        return Medium.SCRIPT
    if named in _JSON_TYPES:
        return _json_says(named, first_bytes)
    if is_xml(named):
        return _root_says(first_bytes)
    if _says_nothing(named):
        return Medium.PAGE if HTML_START.match(first_bytes) else _root_says(first_bytes)
    return None


def _root_says(first_bytes: bytes) -> Medium | None:
    return _BY_ROOT.get(xml_root(first_bytes))


def xml_root(first_bytes: bytes) -> bytes:
    """The root of an XML document, in lower case, if it is one of a few; else empty."""
    root = _XML_ROOT.match(first_bytes.replace(b"\0", b""))  # in UTF-16 every other byte is zero
    return root[1].lower() if root else b""


def _json_says(named: str, first_bytes: bytes) -> Medium | None:
    if named == "application/manifest+json":
        return Medium.MANIFEST
    if named == "application/feed+json" or _JSON_FEED.search(first_bytes):
        return Medium.FEED
    return Medium.MANIFEST if _MANIFEST_ICONS.search(first_bytes) else Medium.DATA


def _says_nothing(named: str) -> bool:
    return named in NO_TYPES or "/" not in named
