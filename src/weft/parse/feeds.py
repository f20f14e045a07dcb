"""Feeds as responses: RSS 0.9 to 2.0, RDF, Atom, JSON Feed.

    the entries' pages        link, comments, guid if there is no link; url, external_url        Kind.LINK
    the site, more entries    the feed's own link; rel=next, next_url                            Kind.LINK
    what they bring along     enclosure, media:content, attachments, images                      Kind.EMBED

The XML formats are read together, by the names of their elements: they do not contradict each other, and what is
published mixes them (`atom:link` in RSS). xml_tokens.py says why they are not read by a strict parser. turbohtml's
feed() returns the entries' links but no enclosures, and gives up at the first bare &. The HTML inside entries is not
looked at: the entries' pages have it too. parse.sitemap reads feeds as well, for their pages and dates alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from weft.parse.charset import decode
from weft.parse.lenient_json import read_json
from weft.parse.link_kinds import LinkPlace
from weft.parse.parsed_page import HeaderPairs, LinkList, ParsedPage
from weft.parse.xml_tokens import attributes_of, xml_tokens
from weft.types import Kind
from weft.url import LinkResolver

_MAX_BASES: Final = 16  # within each other
_MAX_PARTS: Final = 100  # of a text that comments and CDATA sections take apart

_ROOTS = frozenset(("rss", "rdf", "feed"))
_ENTRIES = frozenset(("item", "entry"))
_ASIDE = frozenset(("source", "textinput"))  # the feed that an entry comes from; a form

# Elements whose text is a URL.
_BY_TEXT = {
    "link": LinkPlace.of(Kind.LINK, "link"),
    "comments": LinkPlace.of(Kind.LINK, "comments"),
    "guid": LinkPlace.of(Kind.LINK, "guid"),
    "feedburner:origlink": LinkPlace.of(Kind.LINK, "feedburner:origLink"),
    "url": LinkPlace.of(Kind.EMBED, "image/url"),
    "logo": LinkPlace.of(Kind.EMBED, "logo"),
    "icon": LinkPlace.of(Kind.EMBED, "icon"),
}
# Elements with a URL in an attribute.
_BY_ATTRIBUTE = {
    "enclosure": ("url", LinkPlace.of(Kind.EMBED, "enclosure/@url")),
    "media:content": ("url", LinkPlace.of(Kind.EMBED, "media:content/@url")),
    "media:thumbnail": ("url", LinkPlace.of(Kind.EMBED, "media:thumbnail/@url")),
    "itunes:image": ("href", LinkPlace.of(Kind.EMBED, "itunes:image/@href")),
    "content": ("src", LinkPlace.of(Kind.LINK, "content/@src")),
}
_LINK_TO_PAGE = LinkPlace.of(Kind.LINK, "link/@href")
_LINK_TO_PART = LinkPlace.of(Kind.EMBED, "link/@href")
_RELS_OF_PAGES = frozenset(
    (
        *("alternate", "related", "via", "replies", "current", "up", "license"),
        *("next", "prev", "previous", "first", "last", "next-archive", "prev-archive"),
    )
)
_OF_JSON_FEED = {
    "home_page_url": LinkPlace.of(Kind.LINK, "home_page_url"),
    "next_url": LinkPlace.of(Kind.LINK, "next_url"),
    "icon": LinkPlace.of(Kind.EMBED, "icon"),
    "favicon": LinkPlace.of(Kind.EMBED, "favicon"),
}
_OF_JSON_ITEM = {
    "url": LinkPlace.of(Kind.LINK, "items/url"),
    "external_url": LinkPlace.of(Kind.LINK, "items/external_url"),
    "image": LinkPlace.of(Kind.EMBED, "items/image"),
    "banner_image": LinkPlace.of(Kind.EMBED, "items/banner_image"),
}
_OF_JSON_ATTACHMENT = {"url": LinkPlace.of(Kind.EMBED, "attachments/url")}


def parse_feed(
    body: bytes, url: str, content_type: str | None = None, headers: HeaderPairs = (), agent: str = "weft"
) -> ParsedPage:
    """Read a feed that was fetched from `url`. Anything else returns no links."""
    text, charset = decode(body, content_type)
    links = LinkList()
    if text.lstrip().startswith("{"):
        links.take_all(_json_links(text), url)
    else:
        _MarkupReader(url, links).read(text)
    return ParsedPage.of_links(links, url, charset, headers, agent)


class _MarkupReader:
    """Reads the tags of one feed into `links`. Nesting is kept only where it matters: entries and xml:base."""

    def __init__(self, url: str, links: LinkList) -> None:
        self._links = links
        self._bases: list[tuple[str, str]] = [("", url)]  # the tag that ends it, and the base
        self._resolver = LinkResolver(url)
        self._prefix = ""  # of the root, and so of all that is the feed's own
        self._aside = ""  # the tag that ends what is passed over
        self._entry_has_link = False
        self._spare: str | None = None  # the guid of an entry, in case it has no link
        self._field: str = ""  # the element that is open, and its text
        self._parts: list[str] = []

    def read(self, text: str) -> None:
        """Read to the end."""
        is_feed = False
        for tag, rest, content, is_closed in xml_tokens((text,)):
            if not tag:
                if self._field and len(self._parts) < _MAX_PARTS:
                    self._parts.append(content)
            elif is_feed:
                self._end_field()
                self._take_tag(tag, rest, content, is_closed or rest.endswith("/>"))
            elif tag.rpartition(":")[2] in _ROOTS:
                is_feed = True
                self._prefix = tag.rpartition(":")[0] if tag.endswith("feed") else ""
                self._begin_base(tag, rest)
        self._end_field()
        self._end_entry()

    def _take_tag(self, tag: str, rest: str, content: str, is_closed: bool) -> None:
        name = tag.removeprefix("/")
        if self._prefix:
            name = name.removeprefix(self._prefix + ":")
        if name in _ENTRIES:
            self._end_entry()
        if tag.startswith("/"):
            self._end_base(tag)
            if tag == self._aside:
                self._aside = ""
            return
        if self._aside:
            return
        has_base = "xml:base" in rest.lower()
        if has_base:
            self._begin_base(tag, rest)
        if name in _ASIDE:
            self._aside = "" if is_closed else "/" + tag
        else:
            self._take_element(name, rest, content)
        if has_base and is_closed:
            self._end_field()
            self._end_base("/" + tag)

    def _take_element(self, name: str, rest: str, content: str) -> None:
        attributes = attributes_of(rest) if "=" in rest else {}
        if name.rpartition(":")[2] == "link" and (href := attributes.get("href")):
            self._take_link(href, attributes.get("rel", "alternate").lower().split())
        elif name in _BY_ATTRIBUTE:
            attribute, place = _BY_ATTRIBUTE[name]
            self._take(attributes.get(attribute, ""), place)
        elif name in _BY_TEXT and attributes.get("ispermalink", "").lower() != "false":
            self._field = name
            self._parts = [content]

    def _take_link(self, href: str, rels: list[str]) -> None:
        if not _RELS_OF_PAGES.isdisjoint(rels):
            self._take(href, _LINK_TO_PAGE)
        elif "enclosure" in rels:
            self._take(href, _LINK_TO_PART)

    def _end_field(self) -> None:
        name, self._field = self._field, ""
        if not name:
            return
        href = "".join(self._parts).strip()
        if name == "guid":
            self._spare = self._resolver.resolve(href) if href.lower().startswith(("http://", "https://")) else None
            return
        if name == "link" and href:
            self._entry_has_link = True
        self._take(href, _BY_TEXT[name])

    def _take(self, href: str, place: LinkPlace) -> None:
        if href.strip():
            self._links.take(self._resolver.resolve(href), place)

    def _end_entry(self) -> None:
        if self._spare and not self._entry_has_link:
            self._links.take(self._spare, _BY_TEXT["guid"])
        self._entry_has_link = False
        self._spare = None
        self._aside = ""

    def _begin_base(self, tag: str, rest: str) -> None:
        base = self._resolver.resolve(attributes_of(rest).get("xml:base", ""))
        if base and len(self._bases) <= _MAX_BASES:
            self._bases.append(("/" + tag, base))
            self._resolver = LinkResolver(base)

    def _end_base(self, tag: str) -> None:
        if self._bases[-1][0] == tag:
            self._bases.pop()
            self._resolver = LinkResolver(self._bases[-1][1])


def _json_links(text: str) -> Iterator[tuple[str, LinkPlace]]:
    for thing, places in _json_things(read_json(text)):
        for name, place in places.items():
            href = thing.get(name)
            if isinstance(href, str) and href.strip():
                yield href, place


def _json_things(feed: Any) -> Iterator[tuple[dict[str, Any], dict[str, LinkPlace]]]:
    """The feed, its items and their attachments, each with the places of its links."""
    if not isinstance(feed, dict):
        return
    yield feed, _OF_JSON_FEED
    for item in _dicts(feed.get("items")):
        yield item, _OF_JSON_ITEM
        for attachment in _dicts(item.get("attachments")):
            yield attachment, _OF_JSON_ATTACHMENT


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [thing for thing in value if isinstance(thing, dict)] if isinstance(value, list) else []
