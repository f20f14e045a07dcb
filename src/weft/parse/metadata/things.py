"""The things of a page's JSON-LD that may be the page itself, flat and in order, those that are articles first.

    {"@graph": [{"@type": "WebPage", …}, {"@type": "NewsArticle", "author": {"@id": "#jane"}}, {"@id": "#jane", …}]}

A thing within another is a thing too, unless it stands where others are meant: comments, lists, parts. What cannot be
read as JSON (a comma too many, a quotation mark that is not escaped) is searched for the few properties that count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from turbohtml import Document

from weft.parse.json_ld import read_json_ld
from weft.regex import regex

Thing = dict[str, Any]

_MOST_SCRIPTS: Final = 30
_MOST_CHARS: Final = 1_000_000  # of a script
_MOST_THINGS: Final = 300
_MOST_VALUES: Final = 20_000  # looked at
_MOST_LEVELS: Final = 3  # of lists and things in what should be a text
_MEANT_AS_OTHERS: Final = frozenset((
    "@context", "comment", "itemListElement", "hasPart", "isPartOf", "review", "reviews", "mentions", "citation",
    "publisher", "author", "creator", "image", "logo", "video", "about", "potentialAction", "breadcrumb", "isBasedOn",
    "relatedLink", "offers", "contributor", "editor", "copyrightHolder", "sourceOrganization", "address", "location",
    "suggestedAnswer", "acceptedAnswer", "subjectOf", "isRelatedTo", "blogPost",
))  # fmt: skip
_PEOPLE: Final = frozenset(("Person", "Organization", "NewsMediaOrganization"))

# A string of JSON, which ends at the first quotation mark that is not escaped.
_STRING: Final = r'"((?:[^"\\]|\\.){1,2000})"'
_SALVAGED: Final = regex(
    rf'"(@type|headline|datePublished|dateModified|dateCreated|uploadDate|description)"\s*+:\s*+{_STRING}'
    rf'|"(author|creator)"\s*+:\s*+[\[{{\s]*+[^{{}}\[\]]{{0,500}}?"name"\s*+:\s*+{_STRING}',
    re.DOTALL,
)
_ARTICLE: Final = regex(r"(?:Article|Posting|Report|Recipe|Review|Book|Product|Event|VideoObject|Episode)$")


def things_in(document: Document) -> list[Thing]:
    """The things that may be the page, those that are articles and the like first."""
    scripts = islice(document.select('script[type*="ld+json" i]'), _MOST_SCRIPTS)
    values = [_value_of(script.text[:_MOST_CHARS]) for script in scripts]
    if not values:
        return []
    named: dict[str, Thing] = {}
    things = list(islice(_things_of(values, named), _MOST_THINGS))
    for thing in things:
        _follow_names(thing, named)
    return sorted(things, key=lambda thing: not is_article(thing))


def types_of(thing: Thing) -> list[str]:
    """The types of a thing, without their vocabulary."""
    return [name.rpartition("/")[2] for name in texts_of(thing.get("@type"))]


def is_article(thing: Thing) -> bool:
    """Whether it is something that a page is about, and not the page or its site."""
    return any(_ARTICLE.search(name) for name in types_of(thing))


def texts_of(value: Any, key: str = "name", levels: int = _MOST_LEVELS) -> list[str]:
    """The texts in a value: its own, those of its list, or what its things have by that key."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if levels and isinstance(value, list):
        return [text for part in value[:50] for text in texts_of(part, key, levels - 1)]
    if levels and isinstance(value, dict):
        inner = value.get(key, value.get("@value", value.get("@list")))
        return texts_of(inner, key, levels - 1)
    return []


def _value_of(text: str) -> Any:
    try:
        return read_json_ld(text)
    except (ValueError, RecursionError):
        return _salvage(text)


def _salvage(text: str) -> Thing:
    thing: Thing = {}
    for found in islice(_SALVAGED.finditer(text), 100):
        key, value, _, name = found.groups()
        thing.setdefault(key or "author", (value if key else name).replace("\\/", "/").replace('\\"', '"'))
    return thing


def _things_of(values: list[Any], named: dict[str, Thing]) -> Iterator[Thing]:
    """In their order; `named` is filled with those that have a name."""
    waiting: list[tuple[Any, bool]] = [(value, True) for value in reversed(values)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value, may_be_page = waiting.pop()
        if isinstance(value, list):
            waiting.extend((part, may_be_page) for part in reversed(value[:1_000]))
        elif isinstance(value, dict):
            name = value.get("@id")
            if isinstance(name, str) and len(value) > 1:
                named.setdefault(name, value)
            inner = list(islice(value.items(), 1_000))
            waiting.extend((part, may_be_page and key not in _MEANT_AS_OTHERS) for key, part in reversed(inner))
            if may_be_page and not _PEOPLE.intersection(types_of(value)):
                yield value


def _follow_names(thing: Thing, named: dict[str, Thing]) -> None:
    """Put those who are meant in place of their names."""
    for key in ("author", "creator", "publisher", "image", "primaryImageOfPage"):
        value = thing.get(key)
        if isinstance(value, dict):
            thing[key] = _meant(value, named)
        elif isinstance(value, list):
            thing[key] = [_meant(part, named) for part in value[:50]]


def _meant(value: Any, named: dict[str, Thing]) -> Any:
    name = value.get("@id") if isinstance(value, dict) and "name" not in value and "url" not in value else None
    return named.get(name, value) if isinstance(name, str) else value
