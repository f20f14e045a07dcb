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


class LinkPlace(Enum):
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
    (LinkPlace.PAGE, "href xlink:href", "a area"),
    (LinkPlace.PART, "href", "link ?xml-stylesheet"),
    (LinkPlace.PART, "src", "img script iframe frame source video audio embed track bgsound input image"),
    (LinkPlace.PART, "longdesc", "img iframe frame"),
    (LinkPlace.PART, "lowsrc dynsrc", "img"),
    (LinkPlace.PART, "cite", "blockquote q ins del"),
    (LinkPlace.PART, "poster", "video"),
    (LinkPlace.PART, "data", "object"),
    (LinkPlace.PART, "manifest", "html"),
    (LinkPlace.PART, "background", "body table tr td th thead tbody tfoot"),
    (LinkPlace.SET, "srcset", "img source"),
    (LinkPlace.SET, "imagesrcset", "link"),
    (LinkPlace.SPACED, "archive", "object"),
    (LinkPlace.COMMAS, "archive", "applet"),
    (LinkPlace.LAZY, "data-src data-original data-lazy-src", "img"),
    (LinkPlace.LAZY, "data-src data-lazy-src", "iframe"),
    (LinkPlace.LAZY, "data-src", "source video audio embed"),
    (LinkPlace.LAZY, "data-poster", "video"),
    (LinkPlace.LAZY_SET, "data-srcset data-original-set data-lazy-srcset", "img source"),
    (
        LinkPlace.OF_DRAWING,
        "href xlink:href",
        "image use script feimage lineargradient radialgradient pattern filter textpath mpath tref cursor animate"
        " animatemotion animatetransform set font-face-uri color-profile altglyph glyphref",
    ),
    (LinkPlace.ACTION, "action", "form"),
    (LinkPlace.ACTION, "formaction", "input button"),
    (LinkPlace.DOCUMENT, "srcdoc", "iframe"),
)

CSS_ATTRIBUTES: Final = dict.fromkeys(
    (
        "style", "fill", "stroke", "filter", "mask", "clip-path", "cursor",
        "marker", "marker-start", "marker-mid", "marker-end",
    ),
    LinkPlace.CSS,
)  # fmt: skip


def _by_element() -> dict[str, dict[str, LinkPlace]]:
    places: dict[str, dict[str, LinkPlace]] = {"base": {}, "meta": {}}
    for place, attributes, elements in _TABLE:
        for element in elements.split():
            places.setdefault(element, dict(CSS_ATTRIBUTES)).update(dict.fromkeys(attributes.split(), place))
    places["image"] |= places["img"]  # outside of a drawing, browsers take one for the other
    return places


PLACES_OF: Final[dict[str, dict[str, LinkPlace]]] = _by_element()
