"""Pages that a disk shows less of than a server does: from files, browsers load neither modules nor data.

MODULES    its scripts are modules
SCRIPTS    it is hardly more than a place that scripts fill: <div id="app"></div>
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

LARGEST_BYTES: Final = 256 * 1024  # nobody sends as much to be filled
_FEW_TAGS: Final = 8  # of links and paragraphs: what has more says something by itself
_FEW_CHARS: Final = 200

_MODULE: Final = re.compile(rb"<script\b[^>]{0,500}\stype\s*=\s*[\"']?module\b", re.IGNORECASE)
_UNSEEN: Final = re.compile(
    rb"<(script|style|noscript|template|head|title)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^>]*+>",
    re.IGNORECASE | re.DOTALL,
)
_SPACE: Final = re.compile(rb"\s+|&nbsp;")


class ByScripts(Enum):
    """Why a page needs more than a disk."""

    MODULES = auto()
    SCRIPTS = auto()


def needs_scripts(body: bytes) -> ByScripts | None:
    """Whether a page in HTML is shown whole by a server alone."""
    if b"<script" not in body:
        return None
    if body.count(b"<a ") + body.count(b"<p") < _FEW_TAGS and len(body) <= LARGEST_BYTES:
        text = _SPACE.sub(b"", _UNSEEN.sub(b"", body))
        if len(text) < _FEW_CHARS:
            return ByScripts.SCRIPTS
    return ByScripts.MODULES if b"module" in body and _MODULE.search(body) else None
