"""What may hold links in the bytes of a page: the Python side of `_marks.c`.

    MARKER.read(body, hrefs, tags, mean)  ──▶  edits of links that are known, and tags to be looked at
                                          ──▶  None: `tags` knows

`_marks` is built at installation where there is a compiler. Pages become the same with and without it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from weft.mirror.edits import Edit
from weft.mirror.link_attributes import CSS_ATTRIBUTES, LINK_ATTRIBUTES, ValueKind
from weft.mirror.tags import Style, Tag
from weft.parse.scan import NO_SCANNER

if TYPE_CHECKING:
    from weft.mirror._marks import Marker

try:
    from weft.mirror import _marks
except ImportError:  # no compiler was there at installation
    _marks = None  # type: ignore[assignment]

# How _marks looks at an attribute.
_LINK: Final = 1  # a link, and nothing else
_CLOSER: Final = 2
_CSS: Final = 3  # closer if it may have a URL in it
_MODULE: Final = 4  # closer if it is the type of a module, or of an import map
_ALWAYS: Final = ""  # in the place of an attribute's name: closer, whatever the tag has

ALWAYS_ALIKE: Final = (ValueKind.PAGE, ValueKind.PART)  # whatever else the tag says
CHECKS: Final = frozenset({"integrity", "crossorigin"})  # these go with the link, or stay with it


def _places() -> dict[str, dict[str, int]]:
    places = {
        element: {name: _kind(element, place) for name, place in attributes.items()} | dict.fromkeys(CHECKS, _CLOSER)
        for element, attributes in LINK_ATTRIBUTES.items()
    }
    places["base"] = {"href": _CLOSER}
    places["meta"] = {"http-equiv": _CLOSER, "property": _CLOSER}
    places["script"]["type"] = _MODULE
    places["form"][_ALWAYS] = _CLOSER  # by its method, which buttons go by
    return places


def _kind(element: str, place: ValueKind) -> int:
    if place is ValueKind.CSS:
        return _CSS
    return _LINK if place in ALWAYS_ALIKE and element != "link" else _CLOSER  # a link element goes by its rel


def new_marker() -> Marker | None:
    """What finds links in bytes; None if the C part was not built, or is not wanted."""
    if _marks is None or os.environ.get(NO_SCANNER):
        return None
    return _marks.Marker(_places(), tuple(CSS_ATTRIBUTES), Tag, Style, Edit)


MARKER: Final = new_marker()
