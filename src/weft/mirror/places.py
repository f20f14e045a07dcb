"""Which attribute of which element holds what kind of link.

| place | what stands there | what becomes of it |
|---|---|---|
| PAGE, PART | a URL | relative if it was saved, absolute if not |
| SET, SPACED, COMMAS | several URLs | each of them |
| LAZY, LAZY_SET | a URL, or some script's settings | the same; settings stay |
| OF_DRAWING | `sprite.svg#x`, or `#x`: always in the same document, whatever the base | the same |
| ACTION | where a form goes | by GET: as a page, so that a search by script works; else absolute |
| CSS | style, fill … | the URLs in it |
| DOCUMENT | a whole page: srcdoc | the links in it |

Left as they are: ping (it tells a server of a click, and means nothing from a disk), codebase, classid, usemap.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class Place(Enum):
    """What kind of link an attribute holds."""

    PAGE = auto()
    PART = auto()
    SET = auto()
    SPACED = auto()
    COMMAS = auto()
    LAZY = auto()
    LAZY_SET = auto()
    OF_DRAWING = auto()
    ACTION = auto()
    CSS = auto()
    DOCUMENT = auto()


_TABLE: Final = (
    (Place.PAGE, "href xlink:href", "a area"),
    (Place.PART, "href", "link ?xml-stylesheet"),
    (Place.PART, "src", "img script iframe frame source video audio embed track bgsound input image"),
    (Place.PART, "longdesc", "img iframe frame"),
    (Place.PART, "lowsrc dynsrc", "img"),
    (Place.PART, "cite", "blockquote q ins del"),
    (Place.PART, "poster", "video"),
    (Place.PART, "data", "object"),
    (Place.PART, "manifest", "html"),
    (Place.PART, "background", "body table tr td th thead tbody tfoot"),
    (Place.SET, "srcset", "img source"),
    (Place.SET, "imagesrcset", "link"),
    (Place.SPACED, "archive", "object"),
    (Place.COMMAS, "archive", "applet"),
    (Place.LAZY, "data-src data-original data-lazy-src", "img"),
    (Place.LAZY, "data-src data-lazy-src", "iframe"),
    (Place.LAZY, "data-src", "source video audio embed"),
    (Place.LAZY, "data-poster", "video"),
    (Place.LAZY_SET, "data-srcset data-original-set data-lazy-srcset", "img source"),
    (
        Place.OF_DRAWING,
        "href xlink:href",
        "image use script feimage lineargradient radialgradient pattern filter textpath mpath tref cursor animate"
        " animatemotion animatetransform set font-face-uri color-profile altglyph glyphref",
    ),
    (Place.ACTION, "action", "form"),
    (Place.ACTION, "formaction", "input button"),
    (Place.DOCUMENT, "srcdoc", "iframe"),
)

CSS_ATTRIBUTES: Final = dict.fromkeys(
    (
        "style", "fill", "stroke", "filter", "mask", "clip-path", "cursor",
        "marker", "marker-start", "marker-mid", "marker-end",
    ),
    Place.CSS,
)  # fmt: skip


def _by_element() -> dict[str, dict[str, Place]]:
    places: dict[str, dict[str, Place]] = {"base": {}, "meta": {}}
    for place, attributes, elements in _TABLE:
        for element in elements.split():
            places.setdefault(element, dict(CSS_ATTRIBUTES)).update(dict.fromkeys(attributes.split(), place))
    places["image"] |= places["img"]  # outside of a drawing, browsers take one for the other
    return places


PLACES_OF: Final[dict[str, dict[str, Place]]] = _by_element()
