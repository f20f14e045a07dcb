"""The URL in a header."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote_from_bytes

_ASCII: Final = "".join(map(chr, range(128)))


def text_of_location(value: bytes) -> str:
    """What a Location says: UTF-8 where it is that; else bytes beyond ASCII are meant as they are, percent-encoded."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return quote_from_bytes(value, safe=_ASCII)
