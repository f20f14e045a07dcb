"""A page's tree, and what its head says: title, base, meta elements."""

from __future__ import annotations

import turbohtml
from turbohtml import Document, Namespace

from weft.parse.refresh import refresh_target
from weft.url import Resolver

MAX_TITLE_CHARS = 1_000

# What a script may one day put into the page; until then its links are placeholders. A shadow root is shown.
_INERT = "template:not([shadowrootmode])"


def tree_of(text: str) -> Document:
    """The tree that a browser without scripts would build, without the contents of templates."""
    # Shadow roots as plain templates: turbohtml's links() does not look into real ones.
    document = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    if document.select_one("template") is not None:
        document.remove(_INERT)
    return document


def title_of(document: Document) -> str:
    """The title of the page; empty when there is none."""
    for element in document.select("title"):
        if element.namespace is Namespace.HTML:  # SVG has titles too
            return " ".join(element.text.split())[:MAX_TITLE_CHARS]
    return ""


def resolver_of(document: Document, resolver: Resolver, charset: str) -> Resolver:
    """What resolves the links of a page: `resolver`, unless a base element says otherwise."""
    base = _base_url(document, resolver)
    return Resolver(base, charset) if base else resolver


def _base_url(document: Document, resolver: Resolver) -> str | None:
    """The base URL that a browser would take: the first base with an href counts, even if it is of no use."""
    for element in document.select("base[href]"):
        if element.namespace is Namespace.HTML and element.closest("template") is None:
            return resolver.resolve(element.attr("href") or "")
    return None


def read_meta(document: Document) -> tuple[list[tuple[str, str]], list[str]]:
    """The (name, content) pairs of the meta elements, and where they send the browser."""
    named: list[tuple[str, str]] = []
    refreshes: list[str] = []
    for element in document.select("meta[content]"):
        content = element.attr("content") or ""
        if name := element.attr("name"):
            named.append((name, content))
        if (element.attr("http-equiv") or "").lower() == "refresh" and (target := refresh_target(content)):
            refreshes.append(target)
    return named, refreshes
