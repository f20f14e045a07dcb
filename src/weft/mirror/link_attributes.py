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

| PERHAPS | a URL, `url(…)`, or anything else | relative if it was saved |
| PING | where a browser tells of a click | absolute |

Left as they are: codebase, classid, usemap.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class ValueKind(Enum):
    """What kind of link an attribute holds."""

    PAGE = auto()
    PART = auto()
    SET = auto()
    SPACED = auto()
    COMMAS = auto()
    LAZY = auto()
    LAZY_SET = auto()
    OF_DRAWING = auto()
    PERHAPS = auto()
    PING = auto()
    ACTION = auto()
    CSS = auto()
    DOCUMENT = auto()


_TABLE: Final = (
    (ValueKind.PAGE, "href xlink:href", "a area"),
    (ValueKind.PART, "href", "link ?xml-stylesheet"),
    (ValueKind.PART, "src", "img script iframe frame source video audio embed track bgsound input image"),
    (ValueKind.PART, "longdesc", "img iframe frame"),
    (ValueKind.PART, "lowsrc dynsrc", "img"),
    (ValueKind.PART, "cite", "blockquote q ins del"),
    (ValueKind.PART, "poster", "video"),
    (ValueKind.PART, "data", "object"),
    (ValueKind.PART, "manifest", "html"),
    (ValueKind.PART, "background", "body table tr td th thead tbody tfoot"),
    (ValueKind.SET, "srcset", "img source"),
    (ValueKind.SET, "imagesrcset", "link"),
    (ValueKind.SPACED, "archive", "object"),
    (ValueKind.COMMAS, "archive", "applet"),
    (ValueKind.LAZY, "data-src data-original data-lazy-src", "img"),
    (ValueKind.LAZY, "data-src data-lazy-src", "iframe"),
    (ValueKind.LAZY, "data-src", "source video audio embed"),
    (ValueKind.LAZY, "data-poster", "video"),
    (
        ValueKind.PERHAPS,
        "data-bg data-background data-background-image data-bg-src data-image-src",
        "div section a li header figure span article main",
    ),
    (ValueKind.PING, "ping", "a area"),
    (ValueKind.LAZY_SET, "data-srcset data-original-set data-lazy-srcset", "img source"),
    (
        ValueKind.OF_DRAWING,
        "href xlink:href",
        "image use script feimage lineargradient radialgradient pattern filter textpath mpath tref cursor animate"
        " animatemotion animatetransform set font-face-uri color-profile altglyph glyphref",
    ),
    (ValueKind.ACTION, "action", "form"),
    (ValueKind.ACTION, "formaction", "input button"),
    (ValueKind.DOCUMENT, "srcdoc", "iframe"),
)

CSS_ATTRIBUTES: Final = dict.fromkeys(
    (
        "style", "fill", "stroke", "filter", "mask", "clip-path", "cursor",
        "marker", "marker-start", "marker-mid", "marker-end",
    ),
    ValueKind.CSS,
)  # fmt: skip


def _by_element() -> dict[str, dict[str, ValueKind]]:
    places: dict[str, dict[str, ValueKind]] = {"base": {}, "meta": {}}
    for place, attributes, elements in _TABLE:
        for element in elements.split():
            places.setdefault(element, dict(CSS_ATTRIBUTES)).update(dict.fromkeys(attributes.split(), place))
    places["image"] |= places["img"]  # outside of a drawing, browsers take one for the other
    return places


LINK_ATTRIBUTES: Final[dict[str, dict[str, ValueKind]]] = _by_element()
