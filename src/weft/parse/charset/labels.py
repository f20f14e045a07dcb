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
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import turbohtml

# Browsers look at the first 1,024 bytes, and read the page again when a meta element comes later.
_PRESCAN_BYTES: Final = 1024
_LATER_BYTES: Final = 4096

_MEANT: Final = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252", "replacement": None}

_HEADER_PARAMETER = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s;,"']+))""", re.IGNORECASE)

# All of these read bytes in lower case.
_COMMENT_OR_META = re.compile(
    rb"""<(?:!--(?:-?>|.*?(?:-->|\Z))|(meta[\s/][^>"']*+(?:(?:"[^"]*"|'[^']*')[^>"']*+)*))""", re.DOTALL
)
_ATTRIBUTE = re.compile(rb"""([^\s/>="'][^\s/>=]*)\s*(?:=\s*(?:"([^"]*)|'([^']*)|([^\s>]+)))?""")
_IN_CONTENT = re.compile(rb"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""")
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
def charset_of_header(content_type: str | None) -> str | None:
    """The charset that a Content-Type names, or rather means."""
    found = _HEADER_PARAMETER.search(content_type or "")
    return _charset_meant(found[found.lastindex or 0]) if found else None


def charset_in_markup(body: bytes) -> str | None:
    """The charset that the page itself names in its first bytes: by a meta element, or else as XML does."""
    head = body[:_PRESCAN_BYTES].lower()
    if charset := _charset_in_meta(head):
        return charset
    if len(body) > len(head) and (charset := _charset_in_meta(body[:_LATER_BYTES].lower())):
        return charset
    declaration = _XML_DECLARATION.match(head)
    return _charset_meant(_captured(declaration).decode("latin-1")) if declaration else None


def _charset_in_meta(head: bytes) -> str | None:
    at = head.find(b"charset")
    if at < 0:
        return None
    # Without a comment before it, the first element that can matter is the one around it.
    start = 0 if head.find(b"<!--", 0, at) >= 0 else max(head.rfind(b"<meta", 0, at), 0)
    for found in _COMMENT_OR_META.finditer(head, start):
        meta = found[1]
        if meta and b"charset" in meta and (charset := _charset_of_meta(meta)):
            return charset
    return None


@lru_cache(maxsize=256)
def _charset_of_meta(meta: bytes) -> str | None:
    attributes: dict[bytes, bytes] = {}
    for name, value in _attributes(meta[len(b"meta") :]):
        attributes.setdefault(name, value)
    if b"charset" in attributes:
        return _charset_meant(attributes[b"charset"].decode("latin-1"))
    if attributes.get(b"http-equiv", b"").strip() == b"content-type":
        found = _IN_CONTENT.search(attributes.get(b"content", b""))
        return _charset_meant(_captured(found).decode("latin-1")) if found else None
    return None


def _attributes(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    return ((found[1], _captured(found, first=2)) for found in _ATTRIBUTE.finditer(text))


def _captured(found: re.Match[bytes], first: int = 1) -> bytes:
    return next((group for group in found.groups()[first - 1 :] if group is not None), b"")


def _charset_meant(label: str) -> str | None:
    charset = whatwg_name(label)
    return _MEANT.get(charset, charset) if charset else None
