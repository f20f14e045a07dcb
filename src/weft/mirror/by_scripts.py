"""Pages that a disk shows less of than a server does: from files, browsers load neither modules nor data.

MODULES    its scripts are modules
SCRIPTS    it is hardly more than a place that scripts fill: <div id="app"></div>
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from weft.regex import regex

LARGEST_BYTES: Final = 256 * 1024  # nobody sends as much to be filled
_FEW_LINKS: Final = 8  # what has more says something by itself
_END_BYTES: Final = 4_096  # where scripts stand: in the head, or last
_FEW_CHARS: Final = 200

_MODULE: Final = regex(rb"<script\b[^>]{0,500}\stype\s*=\s*[\"']?module\b", re.IGNORECASE)
# What has no end goes on to the end of the page, so that nothing is looked at again.
_UNSEEN: Final = regex(
    rb"<(script|style|noscript|template|head|title)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<(?=[a-z/!?])[^>]*+(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_SPACE: Final = regex(rb"\s+|&nbsp;")


class ByScripts(Enum):
    """Why a page needs more than a disk."""

    MODULES = auto()
    SCRIPTS = auto()


def needs_scripts(body: bytes) -> ByScripts | None:
    """Whether a page in HTML is shown whole by a server alone."""
    if _has_few_links(body) and len(body) <= LARGEST_BYTES and b"<script" in body:
        text = _SPACE.sub(b"", _UNSEEN.sub(b"", body))
        if len(text) < _FEW_CHARS:
            return ByScripts.SCRIPTS
    ends = (body,) if len(body) < 2 * _END_BYTES else (body[:_END_BYTES], body[-_END_BYTES:])
    return ByScripts.MODULES if any(b"module" in end and _MODULE.search(end) for end in ends) else None


def _has_few_links(body: bytes) -> bool:
    """Quickly: most pages have many, soon."""
    at = 0
    for _ in range(_FEW_LINKS):
        at = body.find(b"<a ", at) + 1
        if not at:
            return True
    return False
