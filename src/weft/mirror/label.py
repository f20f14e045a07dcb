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
from typing import Final

from weft.mirror.edits import Edit
from weft.mirror.syntax import Syntax
from weft.mirror.tags import ATTRIBUTES, SPACE
from weft.mirror.view import View
from weft.parse.charset.labels import charset_in_markup, whatwg_name
from weft.parse.charset.policy import BYTE_ORDER_MARKS
from weft.regex import regex
from weft.repeats import repeated

_MISC: Final = repeated(rf"[{SPACE}]++|<!--(?:-?>|.*?--!?>)")
_BEFORE_HTML = regex(rf"{_MISC}(?:<\?[^>]*+>{_MISC})?(?:<!doctype[^>]*+>)?", re.IGNORECASE | re.DOTALL)
_HTML_TAG, _HEAD_TAG = (
    regex(rf"{_MISC}<{name}(?=[{SPACE}/>]){ATTRIBUTES}[{SPACE}/]*+>", re.IGNORECASE | re.DOTALL)
    for name in ("html", "head")
)
_CHARSET_RULE = regex(r'@charset "([^"]*+)";')
_XML_DECLARATION = regex(
    r"""<\?xml\s++version\s*+=\s*+(?:"[^"]*+"|'[^']*+')(?P<place>)(?:\s++encoding\s*+=\s*+["'](?P<name>[^"'>]*+)["'])?"""
)


def label_edits(view: View, syntax: Syntax, charset: str, header_charset: str | None) -> list[Edit]:
    """What to put into a file so that it says itself that it is in `charset`, if only the header did."""
    if header_charset is None or whatwg_name(header_charset) != charset or view.body.startswith(BYTE_ORDER_MARKS):
        return []
    if charset.startswith("utf-16"):
        return [Edit(0, 0, "\ufeff")]
    if view.is_ascii:
        return []
    match syntax:
        case Syntax.HTML:
            return [] if charset_in_markup(view.body) == charset else [_meta(view.text, charset)]
        case Syntax.CSS:
            return _charset_rule(view.text, charset)
        case Syntax.XML:
            return _declaration(view.text, charset)
        case Syntax.MANIFEST | Syntax.SCRIPT:
            return []


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
