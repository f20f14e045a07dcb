"""What a tree holds that its Markdown must hold again: words, links, list items, cells, code, headings, images.

The same reading is done on a page's own tree and on what a Markdown parser makes of the page's Markdown. It knows
nothing of how Markdown is written, but the few decisions by which the Markdown is meant to differ from the page: which
tables lay out the page, what a heading's anchor is, that TeX stands for a formula.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from turbohtml import Document, Element, Node, Text

from weft.parse.markdown.code import code_in
from weft.parse.markdown.line_steps import ANCHOR_TEXTS, tex_of
from weft.parse.markdown.table import lays_out_the_page
from weft.parse.markdown.targets import IMAGE_TAGS, absolute, image_url
from weft.parse.text import UNSEEN_TAGS
from weft.url import LinkResolver

_BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search",
    "section", "summary", "table", "td", "th", "tr", "ul", "xmp", "br", "button",
))  # fmt: skip
_NOT_READ: Final = frozenset(("head", "script", "style", "title", *UNSEEN_TAGS))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_AS_WRITTEN: Final = frozenset(("pre", "listing", "xmp", "plaintext"))
_LISTS: Final = frozenset(("ul", "ol", "menu", "dir", "dl"))
_NOT_COMPARED: Final = re.compile('[\xad\ufeff\u200b"]')  # quotation marks may stand around other spaces
KINDS: Final = ("words", "links", "items", "cells", "code", "headings", "images")


@dataclass(slots=True)
class Contents:
    """Each in the order of the page."""

    words: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    headings: list[tuple[str, str]] = field(default_factory=list)
    images: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Span:
    kind: str
    about: str
    start: int
    end: int = 0
    images: int = 0


def contents_of(root: Document | Element, base_url: str, charset: str, not_read: Collection[Element]) -> Contents:
    reader = _Reader(LinkResolver(base_url, charset), not_read)
    reader.read(root)
    return reader.contents()


class _Reader:
    def __init__(self, resolver: LinkResolver, not_read: Collection[Element]) -> None:
        self._resolver = resolver
        self._not_read = not_read
        self._pieces: list[str] = []
        self._spans: list[_Span] = []
        self._images: list[str] = []
        self._code: list[str] = []
        self._in_code: set[int] = set()  # pieces; a link around them cannot be written
        self._around: list[str] = []  # kinds of the spans that are open
        self._tables: list[bool] = []  # whether each is one of data

    def read(self, root: Document | Element) -> None:
        todo: list[Node | Callable[[], None]] = []
        todo += [root] if isinstance(root, Element) else list(root)[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, Text):
                self._pieces.append(node.data)
            elif isinstance(node, Element):
                if node.tag not in _NOT_READ and node not in self._not_read:
                    leave = self._enter(node)
                    if leave is not None:
                        todo.append(leave)
                        todo.extend(list(node)[::-1])
            elif callable(node):
                node()

    def _enter(self, element: Element) -> Callable[[], None] | None:
        tag = element.tag
        edge = "\n" if tag in _BLOCKS else ""
        self._pieces.append(edge)
        kind, about = self._kind_of(element)
        if kind == "skip":
            return None
        if kind == "code":
            code = code_in(element)
            if code:
                self._code.append(code)
            self._in_code.add(len(self._pieces))
            self._pieces += [code, edge]
            return None
        if tag in IMAGE_TAGS and (url := image_url(element, self._resolver)) is not None:
            self._images.append(unquote(url))
        if tag == "math" and (tex := tex_of(element)):
            self._pieces.append(f"${tex}$")
            return None
        if tag == "table":
            self._tables.append(not self._is_in_line() and not lays_out_the_page(element))
        span = _Span(kind, about, len(self._pieces), images=len(self._images))
        if kind:
            self._spans.append(span)
            self._around.append(kind)

        def leave() -> None:
            if kind:
                self._around.pop()
            if tag == "table":
                self._tables.pop()
            span.end = len(self._pieces)
            span.images = len(self._images) - span.images
            self._pieces.append(edge)

        return leave

    def _is_in_line(self) -> bool:
        return "headings" in self._around or "cells" in self._around

    def _kind_of(self, element: Element) -> tuple[str, str]:
        tag = element.tag
        if tag == "a":
            return self._kind_of_link(element)
        if self._is_in_line():
            return "", ""
        if tag in _HEADINGS:
            return "headings", tag
        if tag in ("td", "th"):
            return ("cells", "") if self._tables and self._tables[-1] else ("", "")
        if tag in ("li", "dd"):
            return ("items", "") if self._is_right_in_list() else ("", "")
        if tag in _LISTS:
            return "list", ""
        if tag in ("dt", "summary"):
            return "term", ""
        if tag == "blockquote":
            return "quote", ""
        return ("code", "") if tag in _AS_WRITTEN else ("", "")

    def _is_right_in_list(self) -> bool:
        around = [kind for kind in self._around if kind in ("list", "items", "quote")]
        return bool(around) and around[-1] == "list"

    def _kind_of_link(self, element: Element) -> tuple[str, str]:
        href = element.attr("href")
        if href is None or "links" in self._around:
            return "", ""
        if "#" in href and any(kind in self._around for kind in ("headings", "term")):
            if element.text.strip().lower() in ANCHOR_TEXTS and element.select_one("img[alt]") is None:
                return "skip", ""
            if "headings" in self._around and href.strip().startswith("#"):
                return "", ""
        url = absolute(href, self._resolver)
        return ("", "") if url is None else ("links", unquote(url))

    def contents(self) -> Contents:
        found = Contents(_words("".join(self._pieces)), images=self._images, code=self._code)
        last: _Span | None = None
        for number, span in enumerate(self._spans):
            text = self._text_of(span)
            if span.kind == "links" and (text or span.images):
                between = _Span("links", "", last.end, span.start) if last else span
                if last and last.about == span.about and not self._text_of(between):
                    text = f"{found.links.pop()[1]} {text}".strip()
                found.links.append((span.about, text))
                last = span
            elif span.kind == "items" and (text or span.images):
                found.items.append(" ".join(_words("".join(self._own_pieces(number, span)))))
            elif span.kind == "cells" and text:
                found.cells.append(text)
            elif span.kind == "headings" and (text or span.images):
                found.headings.append((span.about, text))
        found.links = [(url, text.replace(" ", "")) for url, text in found.links]
        return found

    def _text_of(self, span: _Span) -> str:
        pieces = self._pieces[span.start : span.end]
        if span.kind == "links":
            pieces = ["\n" if span.start + index in self._in_code else piece for index, piece in enumerate(pieces)]
        return " ".join(_words("".join(pieces)))

    def _own_pieces(self, number: int, item: _Span) -> list[str]:
        """Without those of items in it."""
        own: list[str] = []
        place = item.start
        for index in range(number + 1, len(self._spans)):
            span = self._spans[index]
            if span.start >= item.end:
                break
            if span.kind == "items" and span.start >= place:
                own += self._pieces[place : span.start]
                place = span.end
        return own + self._pieces[place : item.end]


def _words(text: str) -> list[str]:
    """As a reader takes them; a lone star may be the mark of a list in a cell."""
    text = unicodedata.normalize("NFKC", _NOT_COMPARED.sub("", text)).replace("\N{MINUS SIGN}", "-")  # a raised one
    return [word for word in text.split() if word != "*"]
