"""The name by which robots.txt, meta robots and X-Robots-Tag address a crawler.

Owners copy it from the User-Agent in their logs, where it stands in one of two places:

    mybot/1.0 (+https://example.org/bot)                            the first word
    Mozilla/5.0 (compatible; mybot/1.0; +https://example.org/bot)   the word after "compatible;"

RFC 9309 lets a token have letters, `_` and `-` only, and real crawlers are called 360Spider and bot5. So names are
compared whole, and where the RFC would cut one of two names to the other (`cut`), both readings are obeyed.
"""

from __future__ import annotations

import re
from typing import Final

from weft.regex import regex

_NAME: Final = regex(r"[A-Za-z0-9_.-]+")
_COMPATIBLE: Final = regex(r"\bcompatible\s*[;,]\s*([A-Za-z0-9_.-]+)", re.IGNORECASE)
_RFC_TOKEN: Final = regex(r"[A-Za-z_-]*")
_ANY_BROWSER: Final = frozenset(("mozilla", "msie"))  # what all of them say, so nobody's name


def is_name(text: str) -> bool:
    """Whether a crawler can be addressed so."""
    return _NAME.fullmatch(text) is not None


def name_in(user_agent: str) -> str | None:
    """The name in a User-Agent; None if it has none that would mean this crawler alone."""
    found = _COMPATIBLE.search(user_agent)
    name = found.group(1) if found else _first_word(user_agent)
    return None if not name or name.lower() in _ANY_BROWSER else name


def cut(name: str) -> str:
    """The name up to the first character that a token of RFC 9309 cannot have; empty where nothing is left."""
    found = _RFC_TOKEN.match(name)
    return found.group() if found else ""


def _first_word(user_agent: str) -> str:
    found = _NAME.match(user_agent.lstrip())
    return found.group() if found else ""
