"""The entries of a sitemap or feed, out of its tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final, Literal

import msgspec

from weft.parse.xml_tokens import Token, attributes_of
from weft.url import LinkResolver

_MAX_DATE_CHARS: Final = 64
_MAX_TOKENS_BEFORE_ROOT: Final = 1_000  # a script's warnings may come before it
_MAX_TOKENS: Final = 5_000_000  # 50 MB of honest markup have fewer; of dishonest, ten times as many
_MAX_KNOWN_TAGS: Final = 1_000
_MAX_PARTS: Final = 1_000  # of a text that comments and CDATA sections take apart
_MOST_WRAPS: Final = 3  # of a text in CDATA sections
_MAX_URLS_IN_HAND: Final = 16  # of one entry, which should have one


class SitemapPage(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page that a site names, and what it says about it."""

    url: str
    lastmod: str = ""  # a date, as it stands there
    priority: float | None = None  # 0 to 1, among the pages of the site


class FoundUrls:
    """What was found so far, each URL once: resolved, canonical, and no more than a limit."""

    def __init__(self, base_url: str, max_urls: int) -> None:
        self.pages: dict[str, SitemapPage] = {}
        self.sitemaps: dict[str, None] = {}
        self.is_full = False  # something was left out because of the limit
        self.empty_entries = 0  # that name no page, nor another sitemap
        self._resolve = LinkResolver(base_url).resolve
        self._max_urls = max_urls

    def add_page(self, href: str, lastmod: str = "", priority: float | None = None) -> bool:
        """Take in a page; False if its URL is broken. What is said of it counts where something is said first."""
        url = self._resolve(href)
        if url is None:
            return False
        known = self.pages.get(url)
        if known is None:
            if self._has_room():
                self.pages[url] = SitemapPage(url, lastmod, priority)
        elif not known.lastmod and known.priority is None:
            self.pages[url] = SitemapPage(url, lastmod, priority)
        return True

    def add_sitemap(self, href: str) -> bool:
        """Take in another sitemap; False if its URL is broken."""
        url = self._resolve(href)
        if url is not None and url not in self.sitemaps and self._has_room():
            self.sitemaps[url] = None
        return url is not None

    def _has_room(self) -> bool:
        self.is_full = len(self.pages) + len(self.sitemaps) >= self._max_urls
        return not self.is_full


# What a tag is to the reader. Plain strings: this is compared several times a tag.
_Means = Literal[
    "nothing",
    "root-end",
    "entry",
    "entry-end",
    "aside",  # holds elements with the names of an entry's, but not the entry's
    "url",
    "spare-url",  # where there is no other
    "date",
    "priority",
    "href",  # the URL is in an attribute
    "alternate",  # so is this: the page in another language
]

_SITEMAP: Final[dict[str, _Means]] = {
    "url": "entry",
    "sitemap": "entry",
    "loc": "url",
    "lastmod": "date",
    "priority": "priority",
    "link": "alternate",
    "image": "aside",
    "video": "aside",
    "news": "aside",
}
_RSS: Final[dict[str, _Means]] = {
    "item": "entry",
    "link": "url",
    "guid": "spare-url",
    "pubdate": "date",
    "dc:date": "date",
    "source": "aside",
    "image": "aside",
}
_ATOM: Final[dict[str, _Means]] = {
    "entry": "entry",
    "link": "href",
    "updated": "date",
    "source": "aside",
    "content": "aside",
}
_ROOTS = {
    "urlset": _SITEMAP,
    "sitemapindex": _SITEMAP,
    "url": _SITEMAP,  # the root is missing
    "sitemap": _SITEMAP,
    "rss": _RSS,
    "rdf": _RSS,
    "feed": _ATOM,
}
_WEB: Final = ("http://", "https://")
_EXTENSIONS: Final = frozenset(("image", "video", "news", "xhtml"))  # what they name is not the entry's page
_ATTRIBUTES_WITH_URL: Final = ("href", "loc", "url")
_TAGS_OF_PAGES = frozenset(("html", "head", "body"))
_WITH_ANY_PREFIX: Final[frozenset[_Means]] = frozenset(("entry", "aside", "alternate"))
_ENDS_ENTRY: Final[frozenset[_Means]] = frozenset(("entry", "entry-end", "root-end"))


@dataclass(slots=True)
class _Entry:
    """What was read of one entry."""

    tag: str = ""  # none: what stands between the entries
    urls: list[str] = field(default_factory=list)
    spare_url: str = ""
    odd_url: str = ""  # in an unusual place, where there is none in the usual ones
    has_alternate: bool = False
    date: str = ""
    priority: float | None = None


class MarkupReader:
    """Reads the entries of one file into `found`.

    Nesting is not kept: an entry ends where its tag is closed or the next one begins, a field at the next tag.
    """

    def __init__(self, found: FoundUrls) -> None:
        self._found = found
        self._root = ""
        self._names: dict[str, _Means] = {}
        self._prefix = ""  # of the entries: a field with another one is not theirs
        self._known: dict[str, _Means] = {}
        self._entry = _Entry()
        self._aside = ""  # the tag that ends what is passed over
        self._field: _Means = "nothing"  # the one that is open, and its text
        self._parts: list[str] = []

    def read(self, tokens: Iterator[Token]) -> bool:
        """Read to the end, or until `found` is full; False if the file was not whole."""
        root = find_root(tokens)
        if root is None:
            return True
        self._root = root[0]
        self._prefix, _, name = self._root.rpartition(":")
        self._names = _ROOTS[name]
        is_whole = False
        for tag, rest, text, is_closed in chain((root,), islice(tokens, _MAX_TOKENS)):
            if self._field != "nothing":
                if not tag:
                    if len(self._parts) < _MAX_PARTS:
                        self._parts.append(text)
                    continue
                self._end_field("".join(self._parts))
            means = self._known.get(tag) or self._learn(tag)
            if means == "nothing":
                if tag and tag == self._aside:
                    self._aside = ""
                elif self._names is _SITEMAP and "http" in text:
                    self._take_odd_url(tag, text)
            elif means in _ENDS_ENTRY:
                self._end_entry(tag if means == "entry" else "")
                if means == "entry" and self._names is _SITEMAP:
                    self._take_odd_url(tag, text, rest)
                if self._found.is_full:
                    break
                is_whole = means == "root-end"
            elif not self._aside:
                self._begin_field(means, tag, rest, text)
                if is_closed or rest.endswith("/>"):
                    self._end_field(text)
        self._end_entry("")
        return is_whole

    def _learn(self, tag: str) -> _Means:
        """What a tag means that was not seen before."""
        means = self._meaning_of(tag)
        if len(self._known) < _MAX_KNOWN_TAGS:
            self._known[tag] = means
        return means

    def _meaning_of(self, tag: str) -> _Means:
        if tag == "/" + self._root:
            return "root-end"
        prefix, _, name = tag.lstrip("/").rpartition(":")
        means = self._names.get(tag) or self._names.get(name, "nothing")
        if tag.startswith("/"):
            return "entry-end" if means == "entry" else "nothing"
        if means == "entry" and prefix != self._prefix:
            self._prefix = prefix
            self._known.clear()
        is_theirs = prefix == self._prefix or means in _WITH_ANY_PREFIX or tag in self._names
        return means if is_theirs else "nothing"

    def _begin_field(self, means: _Means, tag: str, rest: str, text: str) -> None:
        if means == "aside":
            self._aside = "/" + tag
        elif means in ("href", "alternate"):
            self._take_link(means, attributes_of(rest))
            if means == "alternate":
                self._take_odd_url(tag, text)
        elif means == "url" and "=" in rest:
            self._take_odd_url(tag, text, rest)
            self._field = means
            self._parts = [text]
        elif means != "spare-url" or attributes_of(rest).get("ispermalink", "").lower() != "false":
            self._field = means
            self._parts = [text]

    def _end_field(self, text: str) -> None:
        means, self._field = self._field, "nothing"
        self._aside = ""
        value = _unwrapped(text)
        if means == "url":
            self._take_url(value)
        elif means == "date":
            self._entry.date = value if len(value) <= _MAX_DATE_CHARS and value.isprintable() else ""
        elif means == "priority":
            self._entry.priority = _priority(value)
        elif means == "spare-url":
            self._entry.spare_url = value

    def _take_link(self, means: _Means, attributes: dict[str, str]) -> None:
        href = attributes.get("href", "").strip()
        rels = attributes.get("rel", "alternate").lower().split()
        if not href or "alternate" not in rels:
            return
        if means == "href":
            self._take_url(href)
        else:
            self._entry.has_alternate = self._found.add_page(href) or self._entry.has_alternate

    def _take_odd_url(self, tag: str, text: str, rest: str = "") -> None:
        """What may be an entry's URL, should it have none in the usual place: a text, or an attribute."""
        entry = self._entry
        if not entry.tag or entry.odd_url or self._aside or tag.partition(":")[0] in _EXTENSIONS:
            return
        attributes = attributes_of(rest) if "=" in rest else {}
        for value in (text, *(attributes.get(name, "") for name in _ATTRIBUTES_WITH_URL)):
            if (url := _unwrapped(value)).startswith(_WEB):
                entry.odd_url = url
                return

    def _take_url(self, href: str) -> None:
        entry = self._entry
        if not entry.tag and self._names is not _SITEMAP:
            return  # the site's own URL, above the entries of a feed
        if not entry.tag or len(entry.urls) == _MAX_URLS_IN_HAND:
            self._end_entry(entry.tag)
        if href:
            self._entry.urls.append(href)

    def _end_entry(self, next_tag: str) -> None:
        entry, self._entry = self._entry, _Entry(next_tag)
        self._aside = ""
        if not entry.urls and entry.spare_url.startswith(_WEB):
            entry.urls.append(entry.spare_url)
        if not entry.urls and entry.odd_url:
            entry.urls.append(entry.odd_url)
        is_used = entry.has_alternate
        is_index = self._root.endswith("sitemapindex") or entry.tag.endswith("sitemap")
        for href in entry.urls:
            if is_index:
                is_used = self._found.add_sitemap(href) or is_used
            else:
                is_used = self._found.add_page(href, entry.date, entry.priority) or is_used
        self._found.empty_entries += bool(entry.tag) and not is_used


def find_root(tokens: Iterator[Token]) -> Token | None:
    """The tag that a sitemap or feed begins with; None when it is something else, such as an HTML page."""
    for token in islice(tokens, _MAX_TOKENS_BEFORE_ROOT):
        name = token[0].rpartition(":")[2]
        if name in _ROOTS:
            return token
        if name in _TAGS_OF_PAGES:
            return None
    return None


def _unwrapped(text: str) -> str:
    """A text without the CDATA section that someone wrapped it in once too often."""
    text = text.strip()
    for _ in range(_MOST_WRAPS):
        text = text.removeprefix("<![CDATA[").lstrip()
        text = text.removesuffix("]]>").rstrip()
    return text


def _priority(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None
