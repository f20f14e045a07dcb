"""Cleans one page after the other."""

from __future__ import annotations

from collections.abc import Mapping

from turbohtml import Doctype, Document, NodeIterator
from turbohtml.traverse import NodeFilter

from weft.clean.attributes import AttributeDeletion
from weft.clean.cleaned import Cleaned
from weft.clean.elements import ElementDeletion
from weft.clean.form import Form
from weft.clean.not_cleanable import NotCleanable
from weft.clean.presets import PRESETS
from weft.clean.rules import Rules
from weft.clean.safety import Safety
from weft.clean.sniffing import html_of
from weft.clean.white_space import drop_empty_text
from weft.errors import BadUrl
from weft.parse.article import NO_TEMPLATE
from weft.parse.language import page_language
from weft.parse.markdown import page_markdown
from weft.parse.text import HIDDEN, page_text
from weft.parse.tree import base_href, title_of, tree_of
from weft.url import LinkResolver, canonicalize

# `<?php … ?>` is a node of its own kind, and no more to a reader than a comment.
_COMMENTS = NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_PROCESSING_INSTRUCTION
_NOTHING_GOES = PRESETS["none"]
_LANGUAGE_SAMPLE_CHARS = 3_000
_NOWHERE = "http://nowhere.invalid/"


class Cleaner:
    """Applies rules to pages, and writes what is left of them in one form. Keeps nothing between pages."""

    __slots__ = ("_attributes", "_elements", "_safety", "form", "rules")

    def __init__(self, rules: Rules = PRESETS["paper"], form: Form = Form.HTML) -> None:
        self.rules = rules
        self.form = form
        self._elements = ElementDeletion(rules)
        self._attributes = AttributeDeletion(rules)
        self._safety = Safety(rules.keep_attributes) if rules.safe else None

    def __reduce__(self) -> tuple[type[Cleaner], tuple[Rules, Form]]:
        """A worker of its own gets the rules, and compiles them again."""
        return Cleaner, (self.rules, self.form)

    def clean(
        self,
        content: bytes | str,
        url: str = "",
        content_type: str = "",
        template: Mapping[int, float] = NO_TEMPLATE,
    ) -> Cleaned:
        """The cleaned page. Raises NotCleanable for what is no page, and nothing else whatever it holds.

        Bytes are decoded as a browser would; `content_type` is the header. `url` is where links are resolved.
        An article is without what `template` knows to stand on many pages of its site.
        """
        try:
            text, charset = html_of(content, content_type)
            return self._cleaned(text, url, charset, template)
        except MemoryError as error:
            raise NotCleanable("it takes more memory than there is") from error

    def delete(self, document: Document) -> Document:
        """The tree without what the rules delete. The one given is changed, and may be the one returned."""
        self._elements.apply(document)
        rules = self.rules
        if not rules.comments:
            _drop_comments(document)
        if not rules.doctype:
            for child in document.children:
                if isinstance(child, Doctype):
                    child.decompose()
        if self._attributes.is_needed:
            self._attributes.apply(document)
        if not rules.empty_text:
            drop_empty_text(document)
        return document if self._safety is None else self._safety.apply(document)

    def _cleaned(self, text: str, url: str, charset: str, template: Mapping[int, float]) -> Cleaned:
        document = tree_of(text)
        title = title_of(document)
        language = page_language(document, "")
        if self.form is Form.HTML and self.rules == _NOTHING_GOES:
            written = text.replace("\0", "")  # to a browser it is nothing, and no table takes it
        elif self.form is Form.HTML:
            document = self.delete(document)
            written = document.serialize()
        else:
            # A guess of the language needs more of the tree than the article.
            written = self._as_words(document, url, charset, template, consume=language != "")
        return Cleaned(written, title, language or _guessed_language(document), charset)

    def _as_words(
        self, document: Document, url: str, charset: str, template: Mapping[int, float], *, consume: bool
    ) -> str:
        base = _base_of(document, url, charset)
        document.remove(HIDDEN)
        self._elements.apply(document)
        if self.form is Form.TEXT:
            return page_text(document)
        if base == _NOWHERE:
            _drop_relative_links(document)
        is_article = self.form is Form.ARTICLE
        return page_markdown(document, base, charset=charset, main_only=is_article, consume=consume, template=template)


def _drop_comments(document: Document) -> None:
    for comment in list(NodeIterator(document, what_to_show=_COMMENTS)):
        comment.decompose()


def _guessed_language(document: Document) -> str:
    """By the words in the middle of the page, once scripts and styles are out of it."""
    text = document.text
    start = max(0, (len(text) - _LANGUAGE_SAMPLE_CHARS) // 2)
    words = text[start : start + _LANGUAGE_SAMPLE_CHARS].split()
    return page_language(document, " ".join(words))


def _base_of(document: Document, url: str, charset: str) -> str:
    try:
        page_url = canonicalize(url)
    except BadUrl:
        page_url = _NOWHERE
    base = base_href(document)
    return (None if base is None else LinkResolver(page_url, charset).resolve(base)) or page_url


def _drop_relative_links(document: Document) -> None:
    """Of a page that came from nowhere, they lead nowhere."""
    resolver = LinkResolver(_NOWHERE)
    for link in document.select("a[href], img[src]"):
        url = resolver.resolve((link.attr("href" if link.tag == "a" else "src") or "").strip())
        if url is not None and url.startswith(_NOWHERE):
            if link.tag == "a":
                link.unwrap()
            else:
                link.decompose()
