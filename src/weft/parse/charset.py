"""From bytes to text: which charset a page is written in.

    1. a byte order mark             the page cannot mean anything else
    2. charset= in the Content-Type  the server's word
    3. meta in the first 1,024 bytes the page's word
    4. the bytes themselves          valid UTF-8 is UTF-8; else what the frequencies of letters say
    5. windows-1252

Steps 3 to 5 are turbohtml's. Charsets go by their WHATWG names in lower case; `iso-8859-1` on the web means
windows-1252, `gb2312` means gbk. Bytes that do not fit become U+FFFD; a label nobody knows is passed over.
"""

from __future__ import annotations

import re
from functools import lru_cache

import turbohtml
from turbohtml.detect import detect  # importing it also registers the whatwg-* codecs

_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_CHARSET_PARAMETER = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s;,"']+))""", re.IGNORECASE)


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """The text of a body, and the charset it was written in."""
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _decode(body[len(mark) :], charset), charset
    charset = _charset_of_header(content_type) or (detect(body).encoding or "windows-1252").lower()
    return _decode(body, charset), charset


def _decode(body: bytes, charset: str) -> str:
    if charset == "utf-8":
        return body.decode("utf-8", "replace")
    return body.decode("whatwg-" + charset, "replace")


@lru_cache(maxsize=256)  # the same few headers come again and again
def _charset_of_header(content_type: str | None) -> str | None:
    found = _CHARSET_PARAMETER.search(content_type or "")
    return _whatwg_name(found[found.lastindex or 0]) if found else None


def _whatwg_name(label: str) -> str | None:
    if not label.isascii():
        return None
    try:
        name = turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None
    return name.lower() if name else None
