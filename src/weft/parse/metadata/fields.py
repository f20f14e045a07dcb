"""The fields of a page's metadata, and how long they may be."""

from __future__ import annotations

from typing import Final

import msgspec

from weft.parse.char_refs import text_content
from weft.parse.said import one_line
from weft.regex import regex

MAX_TITLE_CHARS: Final = 500
MAX_DESCRIPTION_CHARS: Final = 2_000
MAX_NAME_CHARS: Final = 100  # of an author, a site, a type
MAX_AUTHORS: Final = 20
MAX_URL_CHARS: Final = 2_000

_TAG: Final = regex(r"</?[a-zA-Z][^<>]{0,200}+>")


class Metadata(msgspec.Struct, frozen=True):
    """What a page says of itself. A field that nothing tells is empty."""

    title: str = ""  # the headline, without the site's name
    description: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""  # ISO 8601: a day, or a time with its zone if the page says so
    modified: str = ""  # the same
    site_name: str = ""
    language: str = ""  # `de`, as `Page.language`
    canonical: str = ""  # the URL by which it wants to be known
    type: str = ""  # article, product, website …
    image: str = ""  # the URL of its picture


def plain(text: str, most_chars: int) -> str:
    """A text on one line, bounded, without tags and references: what is meant for machines is often escaped twice."""
    text = text[: 8 * most_chars]
    if "&" in text:
        text = text_content(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    return one_line(text, most_chars)
