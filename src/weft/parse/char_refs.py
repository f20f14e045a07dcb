"""Character references, by the tokenizer's rules: `&amp;`, `&#233;`, `&copy` without its semicolon.

In an attribute, a reference without a semicolon does not count before = or a letter or digit, so that `?a=1&copy=2`
stays what it is.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Final

_REFERENCE: Final = re.compile(r"&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([a-zA-Z][a-zA-Z0-9]*)(;?)(=?))")
_MAX_NAME_CHARS: Final = max(map(len, html5))
_REPLACEMENT: Final = "\ufffd"
# What was meant by those who wrote windows-1252; where it has no character, the number counts.
_MEANT: Final = {
    number: bytes([number]).decode("cp1252", "replace").replace(_REPLACEMENT, chr(number)) for number in range(128, 160)
}


def attribute_value(raw: str) -> str:
    """The value of an attribute as it stands between its quotes."""
    return _REFERENCE.sub(_in_attribute, _plain(raw))


def text_content(raw: str) -> str:
    """The text of an element such as title, where references count but tags do not."""
    return _REFERENCE.sub(_in_text, _plain(raw))


def _plain(raw: str) -> str:
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return raw.replace("\x00", _REPLACEMENT)


def _in_attribute(found: re.Match[str]) -> str:
    name = found[3]
    if name is None:
        return _numbered(found)
    whole = html5.get(name + ";") if found[4] else None if found[5] else html5.get(name)
    return found[0] if whole is None else whole + found[5]


def _in_text(found: re.Match[str]) -> str:
    name = found[3]
    if name is None:
        return _numbered(found)
    if found[4] and (whole := html5.get(name + ";")):
        return whole + found[5]
    for size in range(min(len(name), _MAX_NAME_CHARS), 1, -1):
        if meant := html5.get(name[:size]):
            return meant + found[0][size + 1 :]
    return found[0]


def _numbered(found: re.Match[str]) -> str:
    digits, base = (found[1], 16) if found[1] else (found[2], 10)
    if len(digits) > 12 and len(digits.lstrip("0")) > 7:
        return _REPLACEMENT
    number = int(digits.lstrip("0") or "0", base)
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return _REPLACEMENT
    return _MEANT.get(number) or chr(number)
