"""JSON as it is published: what a strict reader refuses hides no link."""

from __future__ import annotations

import json
from typing import Any

import msgspec

# Half a surrogate pair, as of a text that was cut in the middle of an emoji; line breaks within strings.
_LENIENT = json.JSONDecoder(strict=False)


def read_json(text: str) -> Any:
    """What a text says; None if it is no JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _LENIENT.decode(text)
    except (ValueError, RecursionError):
        return None
