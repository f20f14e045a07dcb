"""For each field of a page's metadata, the best of what is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Any, Final

from turbohtml import Document, Element

from weft.parse.metadata import visible
from weft.parse.metadata.claims import Claims, item_value
from weft.parse.metadata.fields import (
    MAX_DESCRIPTION_CHARS,
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    MAX_URL_CHARS,
    Metadata,
    plain,
)
from weft.parse.metadata.headline import headline, letters
from weft.parse.metadata.names import names_in
from weft.parse.metadata.things import Thing, is_article, texts_of, types_of
from weft.parse.metadata.written_dates import WrittenDates
from weft.parse.page_facts import canonical_of
from weft.parse.said import words_in
from weft.parse.tree import base_href, title_of
from weft.regex import regex
from weft.url import LinkResolver, host_of, registrable_domain

_TITLES: Final = (
    "og:title", "twitter:title", "parsely-title", "sailthru.title", "citation_title", "headline", "dc.title",
    "dcterms.title", "title",
)  # fmt: skip
_DESCRIPTIONS: Final = (
    "og:description", "description", "twitter:description", "dc.description", "dcterms.description",
    "sailthru.description", "dcterms.abstract",
)  # fmt: skip
_PUBLISHED_FIRST: Final = (
    "article:published_time",
    "article:published",
    "og:published_time",
    "og:article:published_time",
    "sailthru.date",
    "parsely-pub-date",
)
_PUBLISHED: Final = (
    "datepublished", "citation_publication_date", "citation_online_date", "citation_date",
    "dcterms.issued", "dc.date.issued", "dcterms.created", "dc.date.created", "dc.date", "dcterms.date", "dc:date",
    "publish-date", "publish_date", "published-date", "publishdate", "publication_date", "publication-date", "pub_date",
    "pubdate", "article_date_original", "article.published", "date_published", "datecreated", "originalpublicationdate",
    "cxenseparse:recs:publishtime", "shareaholic:article_published_time", "bt:pubdate", "rnews:datepublished",
    "displaydate", "last-publication-date", "created", "creation_date", "date", "video:release_date",
)  # fmt: skip
_MODIFIED: Final = (
    "article:modified_time", "og:updated_time", "article:updated", "datemodified", "dcterms.modified",
    "dc.date.modified", "shareaholic:article_modified_time", "lastmod", "last-modified", "last-update", "revision_date",
    "modified", "dateupdate",
)  # fmt: skip
_AUTHORS: Final = (
    "author", "parsely-author", "sailthru.author", "citation_author", "dc.creator", "dcterms.creator", "dc:creator",
    "article:author", "article:author_name", "byl", "og:author", "og:article:author", "shareaholic:article_author_name",
    "rbauthors", "cxenseparse:author", "article.author", "authors",
)  # fmt: skip
_SITES: Final = (
    "og:site_name",
    "application-name",
    "apple-mobile-web-app-title",
    "dc.publisher",
    "citation_journal_title",
)
_IMAGES: Final = (
    "og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url",
    "sailthru.image.full", "image", "thumbnail", "msapplication-tileimage",
)  # fmt: skip
# By the end of a type of schema.org.
_TYPES: Final = (
    ("article", regex(r"Article$|BlogPosting$|Report$|Posting$")),
    ("product", regex(r"Product$|ProductGroup$")),
    ("recipe", regex(r"Recipe$")),
    ("event", regex(r"Event$")),
    ("video", regex(r"VideoObject$|Movie$")),
    ("book", regex(r"Book$")),
    ("question", regex(r"QAPage$|Question$")),
    ("profile", regex(r"ProfilePage$")),
    ("website", regex(r"WebSite$|WebPage$|CollectionPage$")),
)
_OF_OPENGRAPH: Final = regex(r"[a-z][a-z_.:]{1,40}")


def page_metadata(
    document: Document,
    url: str,
    latest: date,
    *,
    language: str = "",
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> Metadata:
    """What the page of this URL says of itself; no date is after `latest`. Never raises because of what it holds.

    `headers` are those of its response, names in lower case.
    """
    claims = Claims(document)
    own = LinkResolver(url)
    base = own.resolve(base_href(document) or "")
    resolver = LinkResolver(base) if base else own
    canonical = canonical_of(document, url, resolver, headers) or _resolved(claims.all("og:url"), resolver)
    site_name = _site_name(claims)
    title, heading = _title(document, claims, site_name, url)
    dates = WrittenDates(latest, month_first=_writes_month_first(document))
    modified = _modified(claims, dates)
    return Metadata(
        title,
        _description(claims),
        _authors(document, claims, {letters(site_name)}),
        _published(document, claims, dates, canonical or url, url, heading, modified),
        modified,
        site_name,
        language,
        canonical,
        _type(claims),
        _image(document, claims, resolver),
    )


def _site_name(claims: Claims) -> str:
    own = (name for thing in claims.things if "WebSite" in types_of(thing) for name in texts_of(thing.get("name")))
    publishers = (name for thing in claims.things for name in texts_of(thing.get("publisher")))
    said = (*claims.all("og:site_name"), *own, *publishers, *claims.all(*_SITES[1:]))
    names = (plain(name, MAX_NAME_CHARS) for name in said)
    return next((name for name in names if name and "://" not in name), "")


def _title(document: Document, claims: Claims, site_name: str, url: str) -> tuple[str, Element | None]:
    """The title, and the heading that has it."""
    headings = [
        (plain(words_in(element, MAX_TITLE_CHARS), MAX_TITLE_CHARS), element) for element in visible.headings(document)
    ]
    of_things = [text for thing in claims.things if is_article(thing) for text in texts_of(thing.get("headline"))]
    of_items = [item_value(element) for element in claims.items("headline")]
    said = [
        plain(text, MAX_TITLE_CHARS)
        for text in (*of_things[:3], *claims.all(*_TITLES), *of_items[:3], title_of(document))
    ]
    found = headline([text for text, _ in headings], said, _names_of_site(site_name, claims, url))
    return found, next((element for text, element in headings if text == found), None)


def _names_of_site(site_name: str, claims: Claims, url: str) -> set[str]:
    host = host_of(url).removeprefix("www.")
    domain = registrable_domain(host)
    others = [plain(name, MAX_NAME_CHARS) for name in claims.all(*_SITES, "twitter:site", "al:iphone:app_name")]
    return {site_name, *others, host, domain, domain.partition(".")[0], f"www.{host}"}


def _description(claims: Claims) -> str:
    of_things = (text for thing in claims.things if is_article(thing) for text in texts_of(thing.get("description")))
    said = (plain(text, MAX_DESCRIPTION_CHARS) for text in (*claims.all(*_DESCRIPTIONS), *of_things))
    return next(filter(None, said), "")


def _authors(document: Document, claims: Claims, others: set[str]) -> tuple[str, ...]:
    """Of the first source that names anybody; what is called as the site is no author, unless nobody else is."""
    site: tuple[str, ...] = ()
    for texts, are_bylines in _said_authors(document, claims):
        names = names_in(texts, are_bylines=are_bylines)
        if people := tuple(name for name in names if letters(name) not in others):
            return people
        site = site or names
    return site


def _said_authors(document: Document, claims: Claims) -> Iterator[tuple[Iterable[str], bool]]:
    for thing in claims.things:
        for key in ("author", "creator"):
            yield texts_of(thing.get(key)), False
    for name in _AUTHORS:
        yield claims.all(name), False
    yield [_named(element) for element in claims.items("author", "creator")][:20], True
    for texts in visible.bylines(document):
        yield texts[:1], True


def _named(element: Element) -> str:
    inner = element.select_one('[itemprop~="name"]')
    return item_value(inner if inner is not None else element)[:200]


def _published(
    document: Document,
    claims: Claims,
    dates: WrittenDates,
    canonical: str,
    url: str,
    heading: Element | None,
    modified: str,
) -> str:
    in_url = dates.in_url(url) or dates.in_url(canonical)
    said = _first_date(
        dates,
        claims.all(*_PUBLISHED_FIRST),
        *(_of_things(claims, key) for key in ("datePublished", "dateCreated", "uploadDate")),
        claims.all(*_PUBLISHED),
        map(item_value, claims.items("datepublished", "datecreated")),
    )
    if in_url:  # the day on which it got its address; what machines are told may be later, or in another zone
        return said if said[:10] == in_url else in_url
    if said:
        return _as_shown(said, dates, document) if _may_be_another_day(said) else said
    return _first_date(
        dates,
        visible.dated(document),
        [modified],
        visible.text_around(heading),
        visible.dates_in_scripts(document),
        visible.whole_text(document),
    )


def _first_date(dates: WrittenDates, *sources: Iterable[str]) -> str:
    return next((found for texts in sources for text in texts if (found := dates.read(text))), "")


def _may_be_another_day(said: str) -> bool:
    """Whether a time in UTC is on another day where the page was written."""
    return said.endswith("+00:00") and not "04" <= said[11:13] < "20" and said[11:19] != "00:00:00"


def _as_shown(said: str, dates: WrittenDates, document: Document) -> str:
    """The day that a reader sees, if it is the one before or after the one in UTC."""
    day = date.fromisoformat(said[:10])
    shown = [found for text in islice(visible.dated(document), 20) if (found := dates.read(text))]
    if any(found[:10] == said[:10] for found in shown):
        return said
    near = (found for found in shown if abs((date.fromisoformat(found[:10]) - day).days) == 1)
    return next(near, said)


def _modified(claims: Claims, dates: WrittenDates) -> str:
    said = (
        *_of_things(claims, "dateModified"),
        *claims.all(*_MODIFIED),
        *(item_value(element) for element in claims.items("datemodified", "dateupdate")),
    )
    return next((found for text in said if (found := dates.read(text))), "")


def _of_things(claims: Claims, key: str) -> Iterator[str]:
    for thing in claims.things:
        yield from texts_of(thing.get(key))


def _writes_month_first(document: Document) -> bool:
    """Whether 1/2/2020 is in January: in the United States it is."""
    html = document.find("html")
    return html is not None and (html.attr("lang") or "").lower().replace("_", "-") in ("en", "en-us")


def _type(claims: Claims) -> str:
    said = claims.first("og:type").lower()
    types = [name for thing in claims.things for name in types_of(thing)]
    of_things = next((told for told, pattern in _TYPES if any(map(pattern.search, types))), "")
    if of_things and said in ("", "website", "object", "page"):
        return of_things
    return said if _OF_OPENGRAPH.fullmatch(said) else of_things


def _image(document: Document, claims: Claims, resolver: LinkResolver) -> str:
    of_things = (text for thing in claims.things if is_article(thing) for text in _images_of(thing))
    if found := _resolved((*claims.all(*_IMAGES), *of_things), resolver):
        return found
    links = document.select('link[rel~="image_src"][href]')
    return _resolved((link.attr("href") or "" for link in links[:3]), resolver)


def _images_of(thing: Thing) -> list[str]:
    value: Any = thing.get("image") or thing.get("thumbnailUrl")
    return texts_of(value, "url")


def _resolved(hrefs: Iterable[str], resolver: LinkResolver) -> str:
    for href in hrefs:
        if 1 < len(href) <= MAX_URL_CHARS and (url := resolver.resolve(href.strip())) and url.startswith("http"):
            return url
    return ""
