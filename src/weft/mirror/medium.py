"""What a saved file is, as far as it has links."""

from __future__ import annotations

from enum import Enum, auto


class Medium(Enum):
    """By whose rules its links are found."""

    PAGE = auto()
    XML = auto()  # SVG, XHTML
    STYLE_SHEET = auto()
    MANIFEST = auto()


_MEDIA = {
    "text/html": Medium.PAGE,
    "application/xhtml+xml": Medium.XML,
    "image/svg+xml": Medium.XML,
    "text/css": Medium.STYLE_SHEET,
    "application/manifest+json": Medium.MANIFEST,
}


def medium_of(media_type: str) -> Medium | None:
    """What to take a file of this type for; None when it has no links to change."""
    return _MEDIA.get(media_type.lower())
