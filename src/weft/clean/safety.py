"""What strangers wrote, made fit to be shown: nothing in it runs, and nothing becomes something else on the way.

Lists of what is bad are never complete, so here is a list of what is good: tags that only say what a text is. Other
tags are unwrapped. turbohtml's sanitizer does the work: besides the list, it deletes event attributes, URLs that run
(`javascript:`) or hold a page (`data:`), and markup that a browser would read as something else the second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turbohtml import Document
from turbohtml.clean import OnDisallowed, Policy, Sanitizer

HARMLESS_TAGS: Final = frozenset((
    "html", "body", "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br",
    "caption", "center", "cite", "code", "col", "colgroup", "data", "dd", "del", "details", "dfn", "dir", "div", "dl",
    "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i",
    "img", "ins", "kbd", "li", "main", "mark", "menu", "nav", "ol", "p", "pre", "q", "rb", "rp", "rt", "rtc", "ruby",
    "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
))  # fmt: skip
HARMLESS_SCHEMES: Final = frozenset(("http", "https", "ftp", "mailto", "tel"))


class Safety:
    """Makes trees safe."""

    __slots__ = ("_sanitizer",)

    def __init__(self, attributes: Iterable[str]) -> None:
        """`attributes` are the names that may stay if they are harmless; "*" is all, and "data-*" a beginning."""
        names = frozenset(name.lower() for name in attributes)
        beginnings = frozenset(name[:-1] for name in names if name.endswith("*") and name != "*")
        self._sanitizer = Sanitizer(
            Policy(
                tags=HARMLESS_TAGS,
                attributes={"*": names},
                attribute_prefixes=beginnings,
                url_schemes=HARMLESS_SCHEMES,
                allow_fragment_urls=True,
                on_disallowed_tag=OnDisallowed.STRIP,
                css_properties=frozenset(),
                allow_svg=False,
                allow_mathml=False,
            )
        )

    def apply(self, document: Document) -> Document:
        """The same page, safe."""
        return self._sanitizer.sanitize_node(document)
