"""A note of the charset in a file that only the server's header told, for then a browser would guess when it reads the
file from the disk.

    page           <meta charset=…> where the head begins, ahead of any other: browsers believe the first
    style sheet    @charset "…"; at its start
    XML            the encoding of its declaration
    UTF-16         a byte order mark: nothing else would be believed

Nothing is noted in a file that is all ASCII, that says the same itself, or that is in another charset than the header
said: then the header is wrong, and the file is left to say what it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import turbohtml

from weft.mirror.edits import Edit
from weft.mirror.markup import ATTRIBUTE, ATTRIBUTES, SPACE, Tag, markup
from weft.mirror.medium import Medium

# Browsers look for a meta element in the first 1,024 bytes, and read the page again when one comes later.
_PRESCAN_CHARS: Final = 4_096
_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_MISC: Final = rf"(?:[{SPACE}]++|<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+--!?>))*+"
_BEFORE_HTML = re.compile(rf"{_MISC}(?:<\?[^>]*+>{_MISC})?+(?:<!doctype[^>]*+>)?+", re.IGNORECASE)
_HTML_TAG, _HEAD_TAG = (
    re.compile(rf"{_MISC}<{name}(?=[{SPACE}/>]){ATTRIBUTES}[{SPACE}/]*+>", re.IGNORECASE) for name in ("html", "head")
)
_IN_CONTENT = re.compile(r"""charset\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s;"']++))""", re.IGNORECASE)
_CHARSET_RULE = re.compile(r'@charset "([^"]*+)";')
_XML_DECLARATION = re.compile(
    r"""<\?xml\s++version\s*+=\s*+(?:"[^"]*+"|'[^']*+')(?P<place>)(?:\s++encoding\s*+=\s*+["'](?P<name>[^"'>]*+)["'])?+"""
)


def label_edits(body: bytes, text: str, medium: Medium, charset: str, header_charset: str | None) -> list[Edit]:
    """What to put into a file so that it says itself that it is in `charset`, if only the header did."""
    if header_charset is None or whatwg_name(header_charset) != charset or body.startswith(_BYTE_ORDER_MARKS):
        return []
    if charset.startswith("utf-16"):
        return [Edit(0, 0, "\ufeff")]
    if text.isascii():
        return []
    match medium:
        case Medium.PAGE:
            return [] if _named_in_meta(text) == charset else [_meta(text, charset)]
        case Medium.STYLE_SHEET:
            return _charset_rule(text, charset)
        case Medium.XML:
            return _declaration(text, charset)
        case Medium.MANIFEST:
            return []


@lru_cache(maxsize=256)  # the web has some 230 labels, and uses a dozen
def whatwg_name(label: str) -> str | None:
    """The charset that a label stands for, in lower case; None for a label that nobody knows."""
    if not label.isascii():
        return None
    try:
        name = turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None
    return name.lower() if name else None


def _named_in_meta(text: str) -> str | None:
    for tag in markup(text[:_PRESCAN_CHARS], ("meta",)):
        if isinstance(tag, Tag) and tag.name == "meta" and (label := _label_of(text, tag)):
            charset = whatwg_name(label)
            return "utf-8" if charset in ("utf-16le", "utf-16be") else charset
    return None


def _label_of(text: str, meta: Tag) -> str | None:
    values: dict[str, str] = {}
    for found in ATTRIBUTE.finditer(text, meta.start, meta.end):
        values.setdefault(found[1].lower(), found[2] or found[3] or found[4] or "")
    if "charset" in values:
        return values["charset"]
    if values.get("http-equiv", "").strip().lower() != "content-type":
        return None
    found_name = _IN_CONTENT.search(values.get("content", ""))
    return found_name[found_name.lastindex or 0] if found_name else None


def _meta(text: str, charset: str) -> Edit:
    at = 0
    for opening in (_BEFORE_HTML, _HTML_TAG, _HEAD_TAG):
        if found := opening.match(text, at):
            at = found.end()
    return Edit(at, at, f'<meta charset="{charset}">')


def _charset_rule(text: str, charset: str) -> list[Edit]:
    rule = _CHARSET_RULE.match(text)
    if rule is None:
        return [Edit(0, 0, f'@charset "{charset}";')]
    return [] if whatwg_name(rule[1]) == charset else [Edit(*rule.span(1), charset)]


def _declaration(text: str, charset: str) -> list[Edit]:
    declaration = _XML_DECLARATION.match(text)
    named = declaration["name"] if declaration else None
    if whatwg_name(named or "utf-8") == charset:
        return []
    if declaration is None:
        return [Edit(0, 0, f'<?xml version="1.0" encoding="{charset}"?>')]
    if named is None:
        return [Edit(*declaration.span("place"), f' encoding="{charset}"')]
    return [Edit(*declaration.span("name"), charset)]
