"""What links lead to and images show, wherever the text is read."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from weft.parse.lazy import LAZY_PLACE_OF, urls_in
from weft.url import LinkResolver

_OPENED_BY_OTHER_PROGRAMS: Final = ("mailto:", "tel:", "sms:", "ftp:", "magnet:", "geo:", "xmpp:", "news:")
# What a script would show comes before what is shown until then.
_SOURCES: Final = (*(attribute for element, attribute in LAZY_PLACE_OF if element == "img"), "src", "srcset")
IMAGE_TAGS: Final = ("img", "amp-img")
_ALTERNATIVES: Final = ("alt", "title", "aria-label")
_OF_A_PIXEL: Final = ("0", "1", "0px", "1px")


def absolute(href: str, resolver: LinkResolver) -> str | None:
    """A URL with its fragment; None, if only a script or the page itself knows what it means."""
    href = href.strip()
    url = resolver.resolve(href)
    if url is None:
        return href if href.lower().startswith(_OPENED_BY_OTHER_PROGRAMS) else None
    _, mark, fragment = href.partition("#")
    return url + mark + fragment if fragment else url


def image_url(image: Element, resolver: LinkResolver) -> str | None:
    """What an image shows, also if a script puts it there; None, if it is in the page, or a pixel that counts."""
    if image.attr("width") in _OF_A_PIXEL or image.attr("height") in _OF_A_PIXEL:
        return None
    for attribute in _SOURCES:
        if value := image.attr(attribute):
            for href in urls_in(attribute, value):
                if (url := absolute(href, resolver)) is not None:
                    return url
    return None


def image_text(image: Element) -> str:
    """What is read where the image is not seen."""
    return next((text for name in _ALTERNATIVES if (text := (image.attr(name) or "").strip())), "")
