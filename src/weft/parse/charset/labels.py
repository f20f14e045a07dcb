"""What others say about a page's charset: the Content-Type header, a meta element, an XML declaration.

Labels are read as browsers read them (WHATWG Encoding and HTML, "prescan a byte stream"), so `iso-8859-1` means
windows-1252 and `gb2312` means gbk. Charsets go by their WHATWG names in lower case. Some labels mean something else
than they say, because a page whose label can be read at all is written in ASCII and more:

    utf-16, utf-16be …         utf-8; real UTF-16 shows in its zero bytes, before any label is read
    x-user-defined             windows-1252
    iso-2022-kr, hz-gb-2312 …  nothing: browsers refuse such pages ("replacement") for fear of scripts in them. A
                               crawler runs no scripts, and wants the links, which are ASCII.
    utf-7, no-such-charset     nothing
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import turbohtml

from weft.regex import regex
from weft.repeats import repeated

# Browsers look at the first 1,024 bytes, and read the page again when a meta element comes later.
_PRESCAN_BYTES: Final = 1024
_LATER_BYTES: Final = 4096

_MEANT: Final = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252", "replacement": None}

# One parameter of a Content-Type. Quotes may hold a semicolon; what is written without them ends at a space or comma.
_QUOTED: Final = repeated(r"""[^"\\]++|\\.""")
_PARAMETER = re.compile(
    rf""";\s*+([^\s;="']*+)\s*+(?>(?:=\s*+(?:"({_QUOTED})"?+|'([^']*+)'?+|([^\s;,"']*+)))?)[^;]*+""", re.DOTALL
)
_ESCAPED = regex(r"\\(.)", re.DOTALL)

# All of these read bytes in lower case.
_VALUE: Final = rb"""(?:"([^"]*+)"|'([^']*+)'|(?=>)|([^\t\n\f\r >"'][^\t\n\f\r >]*+))"""
_NAME: Final = rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)[\t\n\f\r ]*+"
_ATTRIBUTE = re.compile(_NAME + rb"(?:=[\t\n\f\r ]*+" + _VALUE + rb"|(?!=))")
_ANY_ATTRIBUTE: Final = re.sub(rb"\((?!\?)", rb"(?:", _ATTRIBUTE.pattern)  # nothing of it is captured
_REST_OF_TAG: Final = repeated(_ANY_ATTRIBUTE.decode()).encode() + rb"[\t\n\f\r /]*+>"
_MARKUP = re.compile(
    rb"<(?:!--(?:-?>|.*?-->)"  # the dashes of <!-- may be those of -->
    rb"|meta(?=[\t\n\f\r /])(" + _REST_OF_TAG + rb")"
    rb"|(?!meta[\t\n\f\r /])/?[a-z][^\t\n\f\r >]*+" + _REST_OF_TAG + rb"|(?!!--|/[a-z])[!/?][^>]*+>"
    rb"|(/?[a-z]|[!/?]))",  # what does not end here
    re.DOTALL,
)
_IN_CONTENT = re.compile(
    rb"""charset[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*+)|(["']))"""
)
_SIGNS: Final = b"<>\"'"  # all that begins or ends something
_XML_DECLARATION = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*(?:"([^">]*)"|'([^'>]*)')""")


@lru_cache(maxsize=256)  # the web has some 230 labels, and uses a dozen
def whatwg_name(label: str) -> str | None:
    """The charset that a label stands for; None for a label that nobody knows."""
    if not label.isascii():
        return None
    try:
        name = turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None
    return name.lower() if name else None


@lru_cache(maxsize=256)  # the same few headers come again and again
def label_of_header(content_type: str | None) -> str | None:
    """The charset that a Content-Type names, as it is written there."""
    for name, double, single, bare in _PARAMETER.findall(content_type or ""):
        if name.lower() == "charset" and (label := _ESCAPED.sub(r"\1", double) or single or bare):
            return str(label)
    return None


@lru_cache(maxsize=256)
def charset_of_header(content_type: str | None) -> str | None:
    """The charset that a Content-Type names, or rather means."""
    label = label_of_header(content_type)
    return _charset_meant(label) if label is not None else None


def charset_in_markup(body: bytes) -> str | None:
    """The charset that the page itself names in its first bytes: by a meta element, or else as XML does."""
    head = body[:_PRESCAN_BYTES]
    if (at := head.find(b"charset")) < 0:  # seldom, and to have all of it in lower case takes its time
        head = head.lower()
        at = head.find(b"charset")
    # Up to the first tag that may name one, pages of a site often begin alike; what ends there ends so in the whole.
    if at >= 0:
        beginning = _without_title(head[: head.find(b">", at) + 1].lower())
        if charset := _charset_in_beginning(beginning):
            return charset
        head = head.lower()
    if charset := _charset_in_meta(head):
        return charset
    if len(body) > len(head) and (charset := _charset_in_meta(body[:_LATER_BYTES].lower())):
        return charset
    declaration = _XML_DECLARATION.match(head)
    return _charset_meant(_captured(declaration).decode("latin-1")) if declaration else None


def _without_title(beginning: bytes) -> bytes:
    """The same without the text of its title, by which the pages of a site differ, unless that could end anything."""
    before, tag, rest = beginning.partition(b"<title>")
    text, end, after = rest.partition(b"</title>")
    return before + tag + end + after if end and text == text.translate(None, _SIGNS) else beginning


def _charset_in_meta(head: bytes) -> str | None:
    """The charset of the first meta element that names one; by the letter of the standard, whose prescan this is."""
    if b"charset" not in head:
        return None
    for found in _MARKUP.finditer(head):
        meta, endless = found.groups()
        if endless:
            return None
        if meta and b"charset" in meta and (charset := _charset_of_meta(meta)):
            return charset
    return None


_charset_in_beginning = lru_cache(maxsize=64)(_charset_in_meta)


@lru_cache(maxsize=256)
def _charset_of_meta(attributes: bytes) -> str | None:
    values: dict[bytes, bytes] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        values.setdefault(found[1], _captured(found, first=2))
    if b"charset" in values:
        return _charset_meant(values[b"charset"].decode("latin-1"))
    if values.get(b"http-equiv") == b"content-type" and (named := _IN_CONTENT.search(values.get(b"content", b""))):
        return None if named[4] else _charset_meant(_captured(named).decode("latin-1"))
    return None


def _captured(found: re.Match[bytes], first: int = 1) -> bytes:
    return next((group for group in found.groups()[first - 1 :] if group is not None), b"")


def _charset_meant(label: str) -> str | None:
    charset = whatwg_name(label)
    return _MEANT.get(charset, charset) if charset else None
