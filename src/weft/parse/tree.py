"""A page's tree, and what its head says: title, base, meta elements."""

from __future__ import annotations

from collections.abc import Iterable

import turbohtml
from turbohtml import Document, Namespace

from weft.parse.refresh import refresh_target

MAX_TITLE_CHARS = 1_000

# What a script may one day put into the page; until then its links are placeholders. A shadow root is shown.
_INERT = "template:not([shadowrootmode])"


def tree_of(text: str) -> Document:
    """The tree that a browser without scripts would build, without the contents of templates."""
    # Shadow roots as plain templates: turbohtml's links() does not look into real ones.
    document = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    if document.select_one("template") is not None:
        for element in document.select(_INERT):
            if element.namespace is Namespace.HTML:  # in a drawing it is an element like any other
                element.decompose()
    return document


def title_of(document: Document) -> str:
    """The title of the page; empty when there is none."""
    for element in document.select("title"):
        if element.namespace is Namespace.HTML:  # SVG has titles too
            return short_title(element.text)
    return ""


def short_title(text: str) -> str:
    """A title on one line, and not endless."""
    return " ".join(text.split())[:MAX_TITLE_CHARS]


def base_href(document: Document) -> str | None:
    """The base that a browser would take: the first with an href counts, even if it is of no use."""
    for element in document.select("base[href]"):
        if element.namespace is Namespace.HTML and element.closest("template") is None:
            return element.attr("href") or ""
    return None


def metas_of(document: Document) -> list[tuple[str | None, str, str | None]]:
    """Name, content and http-equiv of the meta elements that have content."""
    return [
        (element.attr("name"), element.attr("content") or "", element.attr("http-equiv"))
        for element in document.select("meta[content]")
    ]


def read_metas(metas: Iterable[tuple[str | None, str, str | None]]) -> tuple[list[tuple[str, str]], list[str]]:
    """The (name, content) pairs of the meta elements, and where they send the browser."""
    named: list[tuple[str, str]] = []
    refreshes: list[str] = []
    for name, content, http_equiv in metas:
        if name:
            named.append((name, content))
        if http_equiv and http_equiv.lower() == "refresh" and (target := refresh_target(content)):
            refreshes.append(target)
    return named, refreshes
