"""The links in JSON-LD: what a page says about itself to search engines.

    <script type="application/ld+json">{"@type": "Article", "url": "https://…", "image": {"url": "https://…"}}</script>

Most strings that look like URLs here are names, not links: of a vocabulary, of a thing (`@id`), of a search form
with a gap in it. So only a few properties of schema.org count, with absolute http(s) URLs:

    another page    url sameAs mainEntityOfPage item relatedLink significantLink discussionUrl     Kind.LINK
    a player        embedUrl                                                                       Kind.FRAME
    a picture, …    image logo thumbnail thumbnailUrl photo screenshot contentUrl; their url       Kind.EMBED

An `@id` counts as the value of a property that leads to a page: `"item": {"@id": "https://…"}` in breadcrumbs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from weft.parse.link_kinds import LinkPlace
from weft.regex import regex
from weft.repeats import repeated
from weft.types import Kind

_PAGES = ("url", "sameAs", "mainEntityOfPage", "item", "relatedLink", "significantLink", "discussionUrl")
_PARTS = ("image", "logo", "thumbnail", "thumbnailUrl", "photo", "screenshot", "primaryImageOfPage", "contentUrl")
_PLACES = {
    **{name: LinkPlace.of(Kind.LINK, f"ld+json/{name}") for name in _PAGES},
    **{name: LinkPlace.of(Kind.EMBED, f"ld+json/{name}") for name in _PARTS},
    "embedUrl": LinkPlace.of(Kind.FRAME, "ld+json/embedUrl"),
}
_CONTAINERS = frozenset(("@value", "@list", "@set"))
_ASIDE = frozenset(("@context", "potentialAction"))

_WRAPPING = regex(repeated(r"\s++|//|/\*|\*/|<!--|<!\[CDATA\["))
_ABSOLUTE = regex(r"\s*+(https?://[^\s{}<>\"\\^`|]++)\s*+", re.IGNORECASE)
# Line breaks within strings are common, and only a strict reader minds them.
_DECODER = json.JSONDecoder(strict=False)


def json_ld_links(text: str) -> Iterator[tuple[str, LinkPlace]]:
    """The links in the text of a script element; none if it is no JSON."""
    try:
        value = read_json_ld(text)
    except (ValueError, RecursionError):
        return
    yield from _links_of(value)


def read_json_ld(text: str) -> Any:
    """What the text of a script element says; raises ValueError or RecursionError if it is no JSON."""
    start = _WRAPPING.match(text)
    return _DECODER.raw_decode(text, start.end() if start else 0)[0]


def _links_of(value: Any) -> Iterator[tuple[str, LinkPlace]]:
    stack: list[tuple[Any, str, LinkPlace | None]] = [(value, "", None)]
    while stack:
        value, name, place = stack.pop()
        if isinstance(value, str):
            if place and (found := _ABSOLUTE.fullmatch(value)):
                yield found[1], place
        elif isinstance(value, list):
            stack.extend((item, name, place) for item in reversed(value))
        elif isinstance(value, dict):
            stack.extend(reversed(list(_properties(value, name))))


def _properties(thing: dict[str, Any], name: str) -> Iterator[tuple[Any, str, LinkPlace | None]]:
    """What to look at in a thing that is the value of the property `name`."""
    is_part = name in _PARTS or thing.get("@type") in ("ImageObject", ["ImageObject"])
    for key, value in thing.items():
        if key in _CONTAINERS:
            yield value, name, _PLACES.get(name)
        elif key == "@id":
            if name in _PAGES:
                yield value, name, _PLACES[name]
        elif key == "url" and is_part:
            yield value, "image", _PLACES["image"]
        elif key not in _ASIDE:
            yield value, key, _PLACES.get(key)
