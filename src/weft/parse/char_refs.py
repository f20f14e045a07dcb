"""Character references, by the tokenizer's rules: `&amp;`, `&#233;`, `&copy` without its semicolon.

In an attribute, a reference without a semicolon does not count before = or a letter or digit, so that `?a=1&copy=2`
stays what it is. In XML none does, and entities that a file declares are left alone: they are the dangerous part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5
from typing import Final

REFERENCE: Final = re.compile(r"&(?:#[xX]([0-9a-fA-F]++);?|#([0-9]++);?|([a-zA-Z][a-zA-Z0-9]*+);?(?=(=?)))")
_MAX_NAME_CHARS: Final = max(map(len, html5))
_REPLACEMENT: Final = "\ufffd"
# What was meant by those who wrote windows-1252; where it has no character, the number counts.
_MEANT: Final = {
    number: bytes([number]).decode("cp1252", "replace").replace(_REPLACEMENT, chr(number)) for number in range(128, 160)
}

# Of a match of REFERENCE: what is meant, and by how many of its characters; None when it is no reference.
Reading = Callable[[re.Match[str]], tuple[str, int] | None]


def attribute_value(raw: str) -> str:
    """The value of an attribute as it stands between its quotes."""
    return REFERENCE.sub(_ATTRIBUTE, _plain(raw))


def text_content(raw: str) -> str:
    """The text of an element such as title, where references count but tags do not."""
    return REFERENCE.sub(_TEXT, _plain(raw))


def without_references(text: str) -> str:
    """Replace `&amp;`, `&#38;` and HTML's names in XML; what is no reference stays, as in `?a=1&copy=2`."""
    return REFERENCE.sub(_XML, text)


def in_attribute(found: re.Match[str]) -> tuple[str, int] | None:
    """A reference in an attribute of HTML."""
    whole, name, equals = found.group(0, 3, 4)
    if name is None:
        return _numbered(found) or _REPLACEMENT, len(whole)
    chars = html5.get(name + ";") if whole[-1] == ";" else None if equals else html5.get(name)
    return (chars, len(whole)) if chars else None


def in_text(found: re.Match[str]) -> tuple[str, int] | None:
    """A reference between tags of HTML: the longest name that it begins with counts."""
    name, whole = found[3], found[0]
    if name is None or (whole[-1] == ";" and name + ";" in html5):
        return in_attribute(found)
    for size in range(min(len(name), _MAX_NAME_CHARS), 1, -1):
        if chars := html5.get(name[:size]):
            return chars, size + 1
    return None


def in_xml(found: re.Match[str]) -> tuple[str, int] | None:
    """A reference in XML, by HTML's names."""
    name, whole = found[3], found[0]
    if whole[-1] != ";":
        return None
    chars = _numbered(found, by_standard=True) if name is None else html5.get(name + ";")
    return (chars, len(whole)) if chars else None


def _replacing(reading: Reading) -> Callable[[re.Match[str]], str]:
    def replace(found: re.Match[str]) -> str:
        whole = found[0]
        if whole == "&amp;":  # nearly always
            return "&"
        meant = reading(found)
        return whole if meant is None else meant[0] + whole[meant[1] :]

    return replace


_ATTRIBUTE, _TEXT, _XML = map(_replacing, (in_attribute, in_text, in_xml))


def _plain(raw: str) -> str:
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return raw.replace("\x00", _REPLACEMENT)


def _numbered(found: re.Match[str], *, by_standard: bool = False) -> str:
    """The character with this number; empty when there is none."""
    digits, base = (found[1], 16) if found[1] else (found[2], 10)
    digits = digits.lstrip("0")
    number = int(digits, base) if 0 < len(digits) <= 7 else 0
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return ""
    return chr(number) if by_standard else _MEANT.get(number) or chr(number)
