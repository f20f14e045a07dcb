"""What a page says of itself beside its links: headings, description, canonical URL, languages, images, scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from turbohtml import Document, Element, Namespace, Text

from weft.parse.link_kinds import LINK_TO_PART, PLACES, rarer_place
from weft.parse.said import one_line, words_in
from weft.regex import regex
from weft.types import Kind, PageFacts
from weft.url import LinkResolver

if TYPE_CHECKING:
    from weft.parse._scan import Page

MAX_DESCRIPTION_CHARS: Final = 500
MAX_H1_CHARS: Final = 300
MAX_LANGUAGE_CHARS: Final = 35
MAX_HREFLANGS: Final = 50
MAX_INSECURE: Final = 10
MAX_RELATIONS: Final = 200

_SECURE: Final = "https:"
_HEADER_CANONICAL: Final = regex(rb"""<([^<>]*)>\s*;[^,<>]*\brel\s*=\s*"?\s*canonical\b""", re.IGNORECASE)
_PROGRAM: Final = regex(r"javascript|ecmascript|^module$", re.IGNORECASE)
_UNSEEN: Final = frozenset(
    ("script", "style", "noscript", "title", "textarea", "head", "iframe", "noembed", "noframes")
)
_WORDS: Final = regex("[^\0-\x20]+")
_IDEOGRAPHS: Final = regex("[\u3000-\u9fff]")


class FactTaker:
    """Takes in what is found on a page, at once or part by part."""

    def __init__(self) -> None:
        self._h1 = ""
        self._language = ""
        self._relations: list[tuple[str, str | None, str]] = []  # rel, hreflang, href
        self._insecure: list[str] = []
        self._h1s = self._images = self._bare_images = self._words = self._scripts = 0

    def take_scan(self, page: Page) -> None:
        """What a scan found."""
        if not self._h1s:
            self._h1 = page.h1 or ""
        self._language = self._language or page.language or ""
        if page.relations:
            self._relations += page.relations[: MAX_RELATIONS - len(self._relations)]
        if page.insecure:
            self._insecure += page.insecure[: MAX_INSECURE - len(self._insecure)]
        self._h1s += page.h1_count
        self._images += page.image_count
        self._bare_images += page.bare_image_count
        self._words += page.word_count
        self._scripts += page.script_count

    def take_tree(self, document: Document) -> None:
        """The same from a tree."""
        headings = [element for element in document.select("h1") if element.namespace is Namespace.HTML]
        self._h1 = words_in(headings[0], MAX_H1_CHARS) if headings else ""
        self._h1s = len(headings)
        root = document.root
        self._language = (root.attr("lang") or "") if root is not None else ""
        images = [element for element in document.select("img") if element.namespace is Namespace.HTML]
        self._images = len(images)
        self._bare_images = sum(element.attr("alt") is None for element in images)
        self._scripts = sum(map(_is_program, document.select("script")))
        self._words = _words_in(document)
        self._relations = list(islice(_relations_in(document), MAX_RELATIONS))
        self._insecure = list(islice(_insecure_in(document), MAX_INSECURE))

    def facts(
        self, url: str, resolver: LinkResolver, named: Iterable[tuple[str, str]], headers: Sequence[tuple[bytes, bytes]]
    ) -> PageFacts:
        """What was taken in, of the page of this URL; `named` are its meta elements."""
        description = ""
        for name, content in named:
            if not description and name.lower() == "description":
                description = one_line(content, MAX_DESCRIPTION_CHARS)
        return PageFacts(
            description,
            self._h1,
            self._h1s,
            _canonical(self._relations, url, resolver, headers),
            self._hreflangs(resolver) if self._relations else [],
            one_line(self._language, MAX_LANGUAGE_CHARS) if self._language else "",
            self._loaded_insecurely(resolver) if self._insecure and url.startswith(_SECURE) else [],
            self._images,
            self._bare_images,
            self._words,
            self._scripts,
        )

    def _hreflangs(self, resolver: LinkResolver) -> list[tuple[str, str]]:
        found = (
            (one_line(language, MAX_LANGUAGE_CHARS), resolver.resolve(href) or "")
            for rel, language, href in self._relations
            if language and "alternate" in rel.lower().split()
        )
        return list(islice(found, MAX_HREFLANGS))

    def _loaded_insecurely(self, resolver: LinkResolver) -> list[str]:
        found = (resolver.resolve(href.split(maxsplit=1)[0].rstrip(",")) for href in self._insecure)
        return list(dict.fromkeys(filter(None, found)))


def canonical_of(document: Document, url: str, resolver: LinkResolver, headers: Sequence[tuple[bytes, bytes]]) -> str:
    """The URL by which a page wants to be known, as its tree or its headers say; empty if they do not."""
    return _canonical(islice(_relations_in(document), MAX_RELATIONS), url, resolver, headers)


def _canonical(
    relations: Iterable[tuple[str, str | None, str]],
    url: str,
    resolver: LinkResolver,
    headers: Sequence[tuple[bytes, bytes]],
) -> str:
    for rel, _, href in relations:
        if "canonical" in rel.lower().split() and (found := resolver.resolve(href)):
            return found
    for name, value in headers:
        if name == b"link" and (match := _HEADER_CANONICAL.search(value)):
            return LinkResolver(url).resolve(match[1].decode("utf-8", "replace")) or ""
    return ""


def _relations_in(document: Document) -> Iterator[tuple[str, str | None, str]]:
    for element in document.select("link[rel][href]"):
        rel, language = element.attr("rel") or "", element.attr("hreflang")
        if language is not None or "canonical" in rel.lower():
            yield rel, language, element.attr("href") or ""


def _is_program(element: Element) -> bool:
    kind = element.attr("type")
    return not kind or _PROGRAM.search(kind) is not None


def _insecure_in(document: Document) -> Iterable[str]:
    for element, attribute, href in document.links():
        if href[:5].lower() != "http:":
            continue
        place = PLACES.get((element.tag, attribute)) or rarer_place(element, attribute)
        if place is not None and (place is LINK_TO_PART or place.kind in (Kind.EMBED, Kind.FRAME)):
            yield href


def _words_in(document: Document) -> int:
    """About as the scanner counts them."""
    count = 0
    waiting: list[object] = list(document.children)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Text):
            count += len(_WORDS.findall(node.data)) + len(_IDEOGRAPHS.findall(node.data)) // 2
        elif isinstance(node, Element) and node.tag not in _UNSEEN:
            waiting.extend(node.children)
    return count
