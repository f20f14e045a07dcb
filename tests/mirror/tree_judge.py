"""Judges a page after its links were made local, by two trees that turbohtml builds: of the page as it was sent, and of
the page as it was saved. All must be the same but links, and each link must lead where it led.

The mirror here is simple: every URL of `SITE` was saved under its own path, with %3F for the question mark, and nothing
else was. So a saved link tells by itself which URL it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, unquote

import turbohtml
from ada_url import join_url
from turbohtml import Comment, Document, Element, Namespace, Node, Text

from weft.mirror.link_attributes import CSS_ATTRIBUTES, LINK_ATTRIBUTES, ValueKind
from weft.mirror.rewrite import Local, Remote
from weft.parse.css import css_urls
from weft.parse.refresh import refresh_target
from weft.parse.value_spans import srcset_urls
from weft.url import LinkResolver

SITE = "http://site.test/"
PAGE = SITE + "d/p.html"
_FOLDER = "http://disk.test/d/p.html"
_DISK = "http://disk.test/"


def saved(url: str) -> Local | Remote:
    """A `target` for the links of PAGE."""
    if not url.startswith(SITE):
        return Remote(url)
    path, mark, query = url[len(SITE) :].partition("?")
    return Local("../" + quote(path) + quote(mark + query, safe=""))


def same_but_links(sent: str, kept: str) -> None:
    """Raise AssertionError if the two pages differ in more than links, or a link leads elsewhere."""
    before, after = (turbohtml.parse(text, allow_declarative_shadow_roots=False) for text in (sent, kept))
    _Judge(_base_of(before)).compare(before, after)
    assert _base_of(after) == PAGE


def _base_of(document: Document) -> str:
    for element in document.select("base[href]"):
        if element.namespace is Namespace.HTML and element.closest("template") is None:
            return LinkResolver(PAGE).resolve(element.attr("href") or "") or PAGE
    return PAGE


class _Judge:
    def __init__(self, base: str) -> None:
        self._base = base

    def compare(self, before: Node, after: Node) -> None:
        waiting = [(before, after)]
        while waiting:
            one, other = waiting.pop()
            assert type(one) is type(other)
            if isinstance(one, Element) and isinstance(other, Element):
                assert (one.tag, one.namespace) == (other.tag, other.namespace)
                self._compare_attributes(one, other)
            elif isinstance(one, Text) and isinstance(other, Text):
                if isinstance(one.parent, Element) and one.parent.tag == "style":
                    self._compare_css(one.data, other.data)
                else:
                    assert one.data == other.data
            elif isinstance(one, Comment) and isinstance(other, Comment):
                assert one.data == other.data
            children, others = list(one.children), list(other.children)
            assert len(children) == len(others)
            waiting += zip(children, others, strict=True)

    def _compare_attributes(self, one: Element, other: Element) -> None:
        assert set(other.attrs) <= set(one.attrs)
        assert set(one.attrs) - set(other.attrs) <= {"integrity", "crossorigin"}
        assert [name for name in one.attrs if name in other.attrs] == list(other.attrs)
        places = LINK_ATTRIBUTES.get(one.tag.lower(), CSS_ATTRIBUTES)
        for name in other.attrs:
            if one.tag == "img" and name in ("href", "xlink:href"):
                continue  # an <image> outside of a drawing becomes one
            self._compare_values(one, name, places.get(name), one.attr(name) or "", other.attr(name) or "")

    def _compare_values(self, element: Element, name: str, place: ValueKind | None, one: str, other: str) -> None:
        if (element.tag, name) == ("base", "href"):
            assert other in ("", one)
            return
        if (element.tag, name) == ("meta", "content"):
            if (element.attr("http-equiv") or "").lower() == "refresh":
                self._compare_links([refresh_target(one) or ""], [refresh_target(other) or ""], alone=False)
            else:
                assert one == other
            return
        match place:
            case None:
                assert one == other
            case ValueKind.CSS:
                self._compare_css(one, other)
            case ValueKind.SET | ValueKind.LAZY_SET:
                self._compare_links(list(srcset_urls(one)), list(srcset_urls(other)), alone=False)
            case ValueKind.SPACED | ValueKind.COMMAS:
                one, other = (text.replace(",", " ") if place is ValueKind.COMMAS else text for text in (one, other))
                self._compare_links(one.split(), other.split(), alone=False)
            case ValueKind.LAZY if one.lstrip()[:1] in ("", "{", "[", "<"):
                assert one == other
            case ValueKind.DOCUMENT:
                before, after = map(turbohtml.parse, (one, other))
                _Judge(self._base).compare(before, after)
            case _:
                self._compare_links([one], [other], alone=place is ValueKind.PAGE)

    def _compare_css(self, one: str, other: str) -> None:
        before, after = list(css_urls(one)), list(css_urls(other))
        self._compare_links(before, after, alone=False)

    def _compare_links(self, before: list[str], after: list[str], alone: bool) -> None:
        assert len(before) == len(after), (before, after)
        for one, other in zip(before, after, strict=True):
            if not alone and not one.strip():
                assert one == other
            elif one.strip("".join(map(chr, range(33))))[:1] in ("", "#") and one == other:
                pass  # the page itself, or a part of it
            else:
                assert self._meant_before(one) == _meant_after(other), (one, other)

    def _meant_before(self, href: str) -> str:
        return next(_whole_url(self._base, href), href)


def _whole_url(base: str, href: str) -> Iterator[str]:
    url = LinkResolver(base).resolve(href)
    if url is None:
        return
    _, mark, fragment = join_url(base, href).partition("#")
    yield url + mark + fragment


def _meant_after(href: str) -> str:
    for url in _whole_url(_FOLDER, href):
        if not url.startswith(_DISK):
            return url
        path, mark, fragment = url[len(_DISK) :].partition("#")
        return SITE + unquote(path) + mark + fragment
    return href
