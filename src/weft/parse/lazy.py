"""Images and frames that a script puts in their place when they come into view.

    <img src="grey.gif" data-src="photo.jpg" data-srcset="photo-2x.jpg 2x">

No standard names these attributes; the widespread scripts agree on a few. turbohtml does not look at them.
"""

from __future__ import annotations

from collections.abc import Iterator

from turbohtml import Document

from weft.parse.link_kinds import LinkPlace
from weft.parse.value_spans import srcset_urls
from weft.types import Kind

# Each element with its attributes, and for those a selector and the place. A selector of one element and one attribute
# each, because turbohtml looks these up in an index, and walks the tree for a list of them.
_LAZY: tuple[tuple[str, list[tuple[str, str, LinkPlace]]], ...] = tuple(
    (
        element,
        [
            (f"{element}[{attribute}]", attribute, LinkPlace.of(kind, f"{element}/@{attribute}"))
            for attribute in attributes.split()
        ],
    )
    for kind, element, attributes in (
        (Kind.EMBED, "img", "data-src data-srcset data-original data-original-set data-lazy-src data-lazy-srcset"),
        (Kind.EMBED, "source", "data-src data-srcset data-original-set data-lazy-srcset"),
        (Kind.FRAME, "iframe", "data-src data-lazy-src"),
        (Kind.EMBED, "video", "data-src data-poster"),
        (Kind.EMBED, "audio", "data-src"),
        (Kind.EMBED, "embed", "data-src"),
    )
)

LAZY_PLACE_OF: dict[tuple[str, str], LinkPlace] = {
    (element, attribute): place for element, attributes in _LAZY for _, attribute, place in attributes
}


def lazy_links(document: Document, embeds: bool = True) -> Iterator[tuple[str, LinkPlace]]:
    """What stands in the attributes for lazy loading; without `embeds`, only frames."""
    for name, attributes in _LAZY:
        if document.select_one(name) is None:
            continue
        for selector, attribute, place in attributes:
            if place.kind is Kind.EMBED and not embeds:
                continue
            for element in document.select(selector):
                for href in urls_in(attribute, element.attr(attribute) or ""):
                    yield href, place


def urls_in(attribute: str, value: str) -> Iterator[str]:
    """The URLs in the value of such an attribute."""
    if attribute.endswith("set"):
        yield from srcset_urls(value)
    elif value.lstrip()[:1] not in ("", "{", "[", "<"):  # these begin some script's settings
        yield value
