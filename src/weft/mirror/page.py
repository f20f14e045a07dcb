"""The edits that make the links of one page, or of an SVG drawing, local.

A base element is obeyed and then emptied, so that it names the page itself: every link says by its own what it meant.
`integrity` and `crossorigin` go where the file is one of the mirror: a page that is opened from a disk has no origin,
and browsers refuse to load what they are told to check, or to ask for by the rules of CORS. Hints to connect to a host
lead nowhere in a mirror, and are emptied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from weft.mirror.edits import Edit, Value, escape, escape_in_css
from weft.mirror.link_attributes import CSS_ATTRIBUTES, LINK_ATTRIBUTES, ValueKind
from weft.mirror.links import NO_LINK, KnownLinks, Links, Meaning
from weft.mirror.scan import ALWAYS_ALIKE, CHECKS
from weft.mirror.script import edits_in_page
from weft.mirror.tags import ATTRIBUTE, Style, Tag, markup
from weft.mirror.view import View
from weft.parse.css_spans import css_spans, unescaped
from weft.parse.value_spans import Span, list_spans, refresh_span, srcset_spans
from weft.regex import regex

if TYPE_CHECKING:
    from weft.mirror._marks import Marker

_MAX_PAGES_IN_PAGES: Final = 8
_MAX_REMEMBERED_CHARS: Final = 1_024  # of a tag; an image may be in it as a data: URL

_SCRIPT_SETTINGS: Final = ("{", "[", "<")  # how some value for lazy loading begins that is no URL
_CONNECTION_HINTS: Final = frozenset({"preconnect", "dns-prefetch"})
_STAYS_ABSOLUTE: Final = frozenset({"canonical", "shortlink"})
_STRAY_EQUALS = regex(r"[\t\n\f\r /]*+=")  # it begins a name, but would become a value of what comes before
_BY_CONTEXT: Final = frozenset({"base", "form"})  # these depend on more than themselves, or others on them
# A link in which nothing needs a second look: no reference, no space, no query of the page itself.
_PLAIN_LINK = regex(
    r' href="([\w\-~./][\w\-~!$()*+,;=@%/?.:]*+|)(#[\w\-~!$()*+,;=@%/?.:]*+)?"'
    r'(?: (?:class|title|id|name|rel|target|hreflang|type)="[^"]*+")*',
    re.ASCII,
)

_SPANS: Final[dict[ValueKind, Callable[[str], Iterable[Span]]]] = {
    ValueKind.SET: srcset_spans,
    ValueKind.LAZY_SET: srcset_spans,
    ValueKind.SPACED: lambda value: list_spans(value, has_commas=False),
    ValueKind.COMMAS: lambda value: list_spans(value, has_commas=True),
}

_SCRIPT_END: Final = regex("</script", re.IGNORECASE)
_ADDRESS_OF_PAGE: Final = regex(r"og:(?:url|(?:image|video|audio)(?::(?:url|secure_url))?)", re.IGNORECASE)

Attributes = dict[str, re.Match[str]]


def page_edits(text: str, links: Links, is_xml: bool = False, depth: int = 0) -> list[Edit]:
    """What must change in a page so that its links lead where they did, from the disk."""
    found = list(markup(text, LINK_ATTRIBUTES, is_xml))
    return _Page(text, links, is_xml, depth).edits(found)


def marked_page_edits(view: View, links: Links, marker: Marker) -> list[Edit]:
    """The same for a page in bytes. Links that other pages of the folder have too are looked up without Python."""
    known = KnownLinks() if links.shared is None else links.shared
    found = marker.read(view.body, known.hrefs, known.tags, links.meant_by_plain)
    if found is not None and any(map(_is_base, found[1])):  # nothing that is known holds under a base
        found = marker.read(view.body, None, None, None)
    if found is None:
        return page_edits(view.text, links)
    edits, marks = found
    return edits + _Page(view.text, links, is_xml=False, depth=0).edits(marks) if marks else edits


def style_edits(css: str, links: Links) -> Iterator[Edit]:
    """The same for a style sheet. `url(#x)` is always in the document that the style is for."""
    for start, end, quote in css_spans(css):
        href = unescaped(css[start:end])
        if href and href[0] != "#" and (meant := links.meaning(href).href) is not None:
            yield Edit(start, end, escape_in_css(meant, quote))


class _Page:
    def __init__(self, text: str, links: Links, is_xml: bool, depth: int) -> None:
        self._text = text
        self._links = links
        self._is_xml = is_xml
        self._depth = depth
        self._form_is_posted = False
        self._scripts_read_to = 0  # in a drawing the text of a script is markup, and may have more of them in it
        self._own = KnownLinks()  # what does not hold for other pages
        self._shared = self._own
        # For each group of ATTRIBUTE, what a link becomes, and whether it leads to a file of the mirror.
        self._known: list[dict[str, tuple[str | None, bool]]] = [{} for _ in range(ATTRIBUTE.groups + 1)]

    def edits(self, found: list[Tag | Style]) -> list[Edit]:
        self._links = self._links_of_base(found)
        self._shared = self._own if self._links.shared is None else self._links.shared
        edits: list[Edit] = []
        for item in found:
            if isinstance(item, Style):
                edits += self._edits_of_style(item)
            else:
                edits += self._edits_of(item)
        return edits

    def _edits_of(self, tag: Tag) -> Sequence[Edit]:
        """The edits of a tag: those of the same tag before, if there was one. A site's menu is on all of its pages."""
        if tag.name == "a" and (plain := _PLAIN_LINK.fullmatch(self._text, tag.start, tag.end)):
            return self._edits_of_plain_link(plain)
        # What is behind the attributes decides whether a space must stay.
        key = self._text[tag.start - len(tag.name) : tag.end + 1]
        known = self._shared.tags.get(key)
        if known is None:
            known = self._own.tags.get(key)
        if known is not None:
            return [Edit(tag.start + start, tag.start + end, text) for start, end, text in known] if known else known
        attributes = self._attributes(tag)
        edits = self._edits_of_tag(tag, attributes)
        is_by_context = tag.name in _BY_CONTEXT or (tag.name == "script" and "src" not in attributes)
        if not is_by_context and "formaction" not in attributes and len(key) <= _MAX_REMEMBERED_CHARS:
            relative = tuple(Edit(start - tag.start, end - tag.start, text) for start, end, text in edits)
            (self._shared if self._is_alike_elsewhere(tag.name, attributes) else self._own).tags[key] = relative
        return edits

    def _edits_of_plain_link(self, link: re.Match[str]) -> Sequence[Edit]:
        """Nearly every link: only its fragment is new."""
        href, fragment = link.groups()
        if not href:
            if self._links.is_based:
                return self._whole_plain(link, self._links.meaning(fragment or "").href)
            return ()
        try:
            meant = self._shared.hrefs[href]
        except KeyError:
            meant = self._shared.hrefs[href] = self._links.meant_by_plain(href)
        return () if meant is None else self._whole_plain(link, f"{meant}{fragment or ''}")

    @staticmethod
    def _whole_plain(link: re.Match[str], text: str | None) -> Sequence[Edit]:
        if text is None:
            return ()
        end = link.end(2) if link[2] is not None else link.end(1)
        return (Edit(link.start(1), end, escape(text, '"')),)

    def _links_of_base(self, found: Iterable[Tag | Style]) -> Links:
        """The first base that has an href counts, wherever it stands, even if it is of no use."""
        for item in filter(_is_base, found):
            if isinstance(item, Tag):
                href = self._attributes(item).get("href")
                if href is not None:
                    return self._links.with_base(self._value(href).text)
        return self._links

    def _edits_of_style(self, style: Style) -> Iterator[Edit]:
        raw = self._text[style.start : style.end]
        if style.has_references:
            value = Value(raw, style.start, "text", self._is_xml)
            return value.outward(style_edits(value.text, self._links))
        return (
            Edit(style.start + start, style.start + end, text) for start, end, text in style_edits(raw, self._links)
        )

    def _edits_of_tag(self, tag: Tag, attributes: Attributes) -> list[Edit]:
        places = LINK_ATTRIBUTES.get(tag.name, CSS_ATTRIBUTES)
        if not places:
            return list(self._edits_of_meta(attributes) if tag.name == "meta" else self._edits_of_base(tag, attributes))
        if tag.name == "form":
            self._form_is_posted = self._text_of(attributes, "method").strip().lower() == "post"
        edits: list[Edit] = []
        is_local = False
        for name, attribute in attributes.items():
            place = places.get(name)
            if place is None:
                continue
            if place in ALWAYS_ALIKE and tag.name != "link":
                found, leads_to_file = self._edits_of_link(place, attribute)
            else:
                found, leads_to_file = self._edits_of_attribute(tag.name, place, attribute, attributes)
            edits += found
            is_local = is_local or leads_to_file
        if tag.name == "script":
            edits += self._edits_of_script(tag, attributes)
        if is_local and not CHECKS.isdisjoint(attributes):
            edits += self._without_checks(tag)
            edits.sort()
        return edits

    def _edits_of_link(self, place: ValueKind, attribute: re.Match[str]) -> tuple[Sequence[Edit], bool]:
        """The same as `_edits_of_attribute`, for links that come again and again."""
        group = attribute.lastindex or 1
        known = self._known[group].get(attribute[group])
        if known is None:
            edits, is_local = self._edits_of_attribute("", place, attribute, {})
            if attribute[group].strip() and group > 1:
                self._known[group][attribute[group]] = (edits[0].text if edits else None, is_local)
            return edits, is_local
        text, is_local = known
        return () if text is None else (Edit(*attribute.span(group), text),), is_local

    def _edits_of_attribute(
        self, element: str, place: ValueKind, attribute: re.Match[str], attributes: Attributes
    ) -> tuple[list[Edit], bool]:
        """The edits, and whether a link leads to a file of the mirror."""
        value = self._value(attribute)
        text = value.text
        if not value.is_known:
            return [], False
        match place:
            case ValueKind.PAGE | ValueKind.PART | ValueKind.ACTION | ValueKind.LAZY | ValueKind.OF_DRAWING:
                if not _is_link(place, text):
                    return [], False
                meaning = self._meaning(element, place, text, attributes)
                return self._whole(attribute, meaning.href), meaning.is_local
            case ValueKind.PERHAPS:
                return self._edits_of_perhaps(attribute, value)
            case ValueKind.PING:
                urls = [(span, self._links.absolute(text[slice(*span)]).href) for span in list_spans(text, False)]
                return list(value.outward(Edit(*span, url) for span, url in urls if url is not None)), False
            case ValueKind.CSS:
                return list(value.outward(style_edits(text, self._links))), False
            case ValueKind.DOCUMENT:
                return self._edits_of_document(value), False
            case _:
                meanings = [(span, self._links.meaning(text[slice(*span)])) for span in _SPANS[place](text)]
                edits = [Edit(*span, _in_list(found.href)) for span, found in meanings if found.href is not None]
                return list(value.outward(edits)), any(found.is_local for _, found in meanings)

    def _edits_of_perhaps(self, attribute: re.Match[str], value: Value) -> tuple[list[Edit], bool]:
        if "(" in value.text:
            return list(value.outward(style_edits(value.text, self._links))), False
        meaning = self._links.meaning(value.text) if _is_link(ValueKind.LAZY, value.text) else NO_LINK
        return self._whole(attribute, meaning.href if meaning.is_local else None), meaning.is_local

    def _meaning(self, element: str, place: ValueKind, href: str, attributes: Attributes) -> Meaning:
        if place is ValueKind.ACTION:
            method = self._text_of(attributes, "formmethod").strip().lower()
            is_posted = method == "post" if method else self._form_is_posted
            return self._links.absolute(href) if is_posted else self._links.meaning(href)
        if element == "link":
            rels = set(self._text_of(attributes, "rel").lower().split())
            if rels and rels <= _CONNECTION_HINTS:
                return Meaning("", False)
            if rels & _STAYS_ABSOLUTE:
                return self._links.absolute(href)
        return self._links.meaning(href)

    def _edits_of_document(self, value: Value) -> list[Edit]:
        if self._depth == _MAX_PAGES_IN_PAGES:
            return []
        return list(value.outward(page_edits(value.text, self._links, self._is_xml, self._depth + 1)))

    def _edits_of_script(self, tag: Tag, attributes: Attributes) -> Iterator[Edit]:
        """Of the text of a script, or an import map, that stands in the page."""
        start = self._text.find(">", tag.end) + 1
        if self._is_xml or "src" in attributes or not start or start <= self._scripts_read_to:
            return iter(())
        end = _SCRIPT_END.search(self._text, start)
        self._scripts_read_to = end.start() if end else len(self._text)
        kind = self._text_of(attributes, "type").strip().lower()
        return edits_in_page(kind, self._text[start : self._scripts_read_to], self._links, start)

    def _edits_of_meta(self, attributes: Attributes) -> Iterator[Edit]:
        if _ADDRESS_OF_PAGE.fullmatch(self._text_of(attributes, "property")) and "content" in attributes:
            content = attributes["content"]  # other sites read it: from a disk it means nothing
            yield from self._whole(content, self._links.absolute(self._value(content).text).href)
        if self._text_of(attributes, "http-equiv").lower() != "refresh" or "content" not in attributes:
            return
        value = self._value(attributes["content"])
        if (span := refresh_span(value.text)) and (href := value.text[slice(*span)]):
            meant = self._links.meaning(href).href
            if meant is not None:
                yield from value.outward([Edit(*span, meant.replace("'", "%27"))])

    def _edits_of_base(self, tag: Tag, attributes: Attributes) -> Iterator[Edit]:
        href = attributes.get("href")
        if href is not None and not tag.is_inert and self._value(href).text.strip():
            yield from self._whole(href, "")

    def _attributes(self, tag: Tag) -> Attributes:
        """By their names in lower case. Of two with one name the first counts."""
        attributes: Attributes = {}
        for found in ATTRIBUTE.finditer(self._text, tag.start, tag.end):
            name = found[1].lower()
            if self._is_xml and name.endswith(":href"):
                name = "xlink:href"  # whatever the prefix
            attributes.setdefault(name, found)
        return attributes

    def _value(self, attribute: re.Match[str]) -> Value:
        group = attribute.lastindex or 1
        raw = attribute[group] if group > 1 else ""
        return Value(raw, attribute.start(group), ("", "", '"', "'", "")[group], self._is_xml)

    def _is_alike_elsewhere(self, name: str, attributes: Attributes) -> bool:
        """Whether a tag would mean the same on another page of the folder: `#x` and `?x` would not."""
        if name == "meta" and "property" in attributes:
            return not self._text_of(attributes, "content").startswith("?")
        if name == "script" and "src" not in attributes:
            return False
        if name == "meta":
            return self._text_of(attributes, "http-equiv").lower() != "refresh"
        places = LINK_ATTRIBUTES.get(name, CSS_ATTRIBUTES)
        for attribute_name, attribute in attributes.items():
            if (place := places.get(attribute_name)) is not None:
                group = attribute.lastindex or 1
                value = attribute[group] if group > 1 else ""
                if place not in ALWAYS_ALIKE or value[:1] <= " " or value[0] in "#?&":
                    return False
        return True

    def _text_of(self, attributes: Attributes, name: str) -> str:
        attribute = attributes.get(name)
        return self._value(attribute).text if attribute is not None else ""

    def _whole(self, attribute: re.Match[str], text: str | None) -> list[Edit]:
        """Another value for an attribute; it gets quotes only if it must have them."""
        if text is None:
            return []
        group = attribute.lastindex or 1
        if group == 1:  # no value, as in <a href>
            return [Edit(attribute.end(), attribute.end(), f'="{escape(text, chr(34))}"')]
        if group == 4:
            return [Edit(*attribute.span(4), escape(text, "") if text else '""')]
        return [Edit(*attribute.span(group), escape(text, "\"'"[group - 2]))]

    def _without_checks(self, tag: Tag) -> Iterator[Edit]:
        """Take these attributes away, also a second one that did not count, with the space before them."""
        behind = tag.start
        for found in ATTRIBUTE.finditer(self._text, tag.start, tag.end):
            if found[1].lower() in CHECKS and not _STRAY_EQUALS.match(self._text, found.end()):
                is_followed_at_once = self._text[found.end() : found.end() + 1] not in "\t\n\f\r >"
                yield Edit(found.start() if is_followed_at_once else behind, found.end(), "")
            behind = found.end()


def _is_base(item: Tag | Style) -> bool:
    return item[0] == "base" and isinstance(item, Tag) and not item.is_inert


def _is_link(place: ValueKind, text: str) -> bool:
    """Whether something stands there that leads anywhere. An empty href is a link; an empty src is nothing."""
    start = text.lstrip()[:1]
    if place is ValueKind.LAZY:
        return start not in ("", *_SCRIPT_SETTINGS)
    if place is ValueKind.OF_DRAWING:
        return start not in ("", "#")
    return place is ValueKind.PAGE or start != ""


def _in_list(href: str) -> str:
    """In a list, a comma at either end would be taken for one between URLs."""
    for cut in (href.lstrip(","), href.rstrip(",")):
        if cut != href:
            href = href.replace(",", "%2C")
    return href
