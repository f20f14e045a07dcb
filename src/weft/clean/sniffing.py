"""Is it a page at all? The server's word counts, unless the bytes are plainly something else.

| said to be           | is cleaned                                                              |
|----------------------|-------------------------------------------------------------------------|
| HTML or XHTML        | unless it begins like an image, a PDF and the like, or like a feed      |
| XML                  | if its root is `html`                                                   |
| something else       | never                                                                   |
| nothing (a table has no types) | if it begins like HTML; else if it is text in which there is a tag |
"""

from __future__ import annotations

import re
from typing import Final

from weft.clean.not_cleanable import NotCleanable
from weft.media import FIRST_BYTES, Medium, media_type, medium_of
from weft.media.signatures import has_binary_byte, type_by_signature
from weft.parse import decode
from weft.parse.charset.labels import charset_in_markup, charset_of_header
from weft.regex import regex

_TWO_BYTES_A_CHARACTER: Final = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_TAG: Final = regex(r"<[a-z!/?]", re.IGNORECASE)
_MAX_REASON_CHARS: Final = 80


def html_of(content: bytes | str, content_type: str) -> tuple[str, str]:
    """A page's text, and the charset that it is written in or says that it is. Raises NotCleanable if it is no page."""
    first = content[:FIRST_BYTES]
    first_bytes = first if isinstance(first, bytes) else first.encode(errors="replace")
    if not first or content.isspace():
        raise NotCleanable("it is empty")
    is_sure = _is_surely_html(first_bytes, content_type)
    if isinstance(content, str):
        text = _writable(content)
        charset = charset_of_header(content_type) or charset_in_markup(first_bytes) or ""
    else:
        if type_by_signature(first_bytes) or not (is_sure or _is_text(first_bytes)):
            raise NotCleanable("it is binary")
        text, charset = decode(content, content_type or None)
    if not is_sure and not _TAG.search(text):
        raise NotCleanable("it has no tags")
    return text, charset


def _is_surely_html(first_bytes: bytes, content_type: str) -> bool:
    """Whether it is said to be, or begins like a page; raises NotCleanable if it is something else."""
    named = media_type(content_type)
    medium = medium_of(content_type, first_bytes)
    if medium is Medium.FEED:
        raise NotCleanable("it is a feed")
    if "/" in named and (medium is not Medium.PAGE or named == "image/svg+xml"):
        raise NotCleanable(f"it is {named[:_MAX_REASON_CHARS]}")
    return medium is Medium.PAGE


def _is_text(first_bytes: bytes) -> bool:
    if first_bytes.startswith(_TWO_BYTES_A_CHARACTER):
        first_bytes = first_bytes.replace(b"\0", b"")
    return not has_binary_byte(first_bytes)


def _writable(text: str) -> str:
    """The text without lone surrogates, which a str may hold and no file can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
