"""By whose rules the links of a saved file are found."""

from __future__ import annotations

from enum import Enum, auto

from weft.media import FIRST_BYTES, Medium, medium_of
from weft.media.medium import SCRIPT_TYPES
from weft.media.signatures import has_drawing
from weft.media.types import NO_TYPES, is_xml
from weft.types import PageRow

_MANIFESTS = (".webmanifest", "/manifest.json", "/site.webmanifest")
MAX_SCRIPT_BYTES = 4 * 1024 * 1024  # a longer one is saved as it came
MAX_MANIFEST_BYTES = 256 * 1024  # of one that is only known by what is in it


class Syntax(Enum):
    """How a file with links is written."""

    HTML = auto()
    XML = auto()  # SVG, XHTML
    CSS = auto()
    MANIFEST = auto()  # of a web app: JSON
    SCRIPT = auto()


_BY_TYPE = {
    "text/html": Syntax.HTML,
    "application/xhtml+xml": Syntax.XML,
    "image/svg+xml": Syntax.XML,
    "text/css": Syntax.CSS,
    "application/manifest+json": Syntax.MANIFEST,
    **dict.fromkeys(SCRIPT_TYPES, Syntax.SCRIPT),
}


def syntax_of(media_type: str) -> Syntax | None:
    """How files of this type are written; None when they have no links to change, or it takes a look at them."""
    return _BY_TYPE.get(media_type.lower())


def may_have_links(page: PageRow) -> bool:
    """Whether the body must be looked at; if not, it is saved as it came."""
    named = page.mime
    if syntax_of(named) is Syntax.SCRIPT:
        return page.body_bytes <= MAX_SCRIPT_BYTES
    return syntax_of(named) is not None or _is_told_by_body(named) or _is_manifest(page) or _may_be_manifest(page)


def syntax_in(page: PageRow, body: bytes) -> Syntax | None:
    """How a file is written; None when it has no links to change."""
    named, first_bytes = page.mime, body[:FIRST_BYTES]
    if (known := syntax_of(named)) is not None:
        return known
    if _is_manifest(page):
        return Syntax.MANIFEST
    if _may_be_manifest(page):
        return Syntax.MANIFEST if medium_of(named, first_bytes) is Medium.MANIFEST else None
    if named in NO_TYPES and page.url.partition("?")[0].endswith(".css"):
        return Syntax.CSS
    if not _is_told_by_body(named) or medium_of(named, first_bytes) is not Medium.PAGE:
        return None
    return Syntax.XML if is_xml(named) or has_drawing(first_bytes) else Syntax.HTML


def _is_told_by_body(named: str) -> bool:
    return named in NO_TYPES or is_xml(named)


def _is_manifest(page: PageRow) -> bool:
    return page.mime in ("application/json", "") and page.url.partition("?")[0].endswith(_MANIFESTS)


def _may_be_manifest(page: PageRow) -> bool:
    return page.mime == "application/json" and page.body_bytes <= MAX_MANIFEST_BYTES
