"""Scripts in pages, and what else only scripts make use of: import maps, templates, data-* attributes.

    <script>fetch("a.json")</script>                              script_names.py, relative to the page
    <script type=module>import "lib/a.js"</script>                the same, by the import map
    <script type=importmap>{"imports": {"lib/": "./js/"}}</script>
    <script type=application/json>{"search": "js/search.js"}</script>
    <div data-bg="a.jpg" data-index="search-index.js">            a picture is needed, anything else a guess
    <template><img src=a.png></template>                          a page in a page: `templates_in`

The text is looked through for these, without a tree: on most pages there is next to nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from weft.parse.char_refs import attribute_value
from weft.parse.css import css_urls
from weft.parse.doxygen import next_results
from weft.parse.lenient_json import read_json
from weft.parse.link_kinds import LinkPlace
from weft.parse.script import GUESSED, IMPORTED, links_of_names
from weft.parse.script_bases import ScriptBases
from weft.parse.script_names import FILE_NAME, Base, ScriptName, names_in_short, script_names
from weft.parse.value_spans import srcset_urls
from weft.regex import regex
from weft.types import Kind
from weft.url import LinkResolver
from weft.url.parts import origin_of

MAX_SCRIPTS_CHARS: Final = 1024 * 1024  # of the scripts of a page together
SHORT_CHARS: Final = 4_096
MOST_ATTRIBUTES: Final = 2_000
MOST_ADDRESSES: Final = 2_000  # of an import map

IN_TEMPLATE: Final = LinkPlace.of(Kind.GUESS, "template")
LAZY_PICTURE: Final = LinkPlace.of(Kind.EMBED, "*/@data-bg")
MAPPED: Final = LinkPlace.of(Kind.EMBED, "importmap")

_TYPE: Final = regex(r"""\stype\s*=\s*["']?\s*([^\s"'>]+)""", re.IGNORECASE)
_HAS_SRC: Final = regex(r"\ssrc\s*=", re.IGNORECASE)
_DATA: Final = regex(r"""data-(?<=[\s"']data-)([\w\-]+)\s*=\s*(?:"([^"<>]{3,2000})"|'([^'<>]{3,2000})')""")
_TEMPLATE_TAG: Final = regex(r"<(/)?template")
# Backgrounds by the names that the widespread scripts for lazy loading use.
_PICTURES: Final = frozenset(
    ("bg", "background", "background-image", "bgset", "bg-src", "bg-image", "lazy-bg", "image-src", "parallax-image")
)
# Types of scripts that name files.
NAMING_KINDS: Final = ("", "module", "text/javascript", "application/javascript", "text/babel", "application/json")

Link = tuple[str | None, LinkPlace]


def links_by_scripts(text: str, resolver: LinkResolver) -> Iterator[Link]:
    """What the scripts of a page load, for sure or perhaps."""
    bases = ScriptBases(resolver.url, resolver.url)
    import_map: dict[str, str] = {}
    left_chars = MAX_SCRIPTS_CHARS
    for kind, script in scripts_in(text):
        left_chars -= len(script)
        if left_chars < 0:
            break
        if kind == "importmap":
            said = import_addresses(script) if len(import_map) < MOST_ADDRESSES else {}
            import_map |= said
            yield from ((resolver.resolve(to), MAPPED) for to in said.values() if not to.endswith("/"))
        elif kind in NAMING_KINDS:
            names = names_in_short(script) if len(script) <= SHORT_CHARS else script_names(script)
            yield from links_of_names(names, bases)
            if import_map:
                yield from _mapped(names, import_map, resolver)
    if (results := next_results(resolver.url, text)) is not None:
        yield resolver.resolve(results), GUESSED


def scripts_in(text: str) -> Iterator[tuple[str, str]]:
    """Type and text of each script that stands in a page."""
    for opening, closing in ("<script", "</script"), ("<SCRIPT", "</SCRIPT"):
        at = text.find(opening)
        if at < 0:
            continue
        while at >= 0:
            start = text.find(">", at) + 1
            end = text.find(closing, start) if start else -1
            if end < 0:
                break
            tag = text[at:start] if start - at < 2_000 else ""
            if end - start > 8 and _HAS_SRC.search(tag) is None:
                kind = _TYPE.search(tag)
                yield kind[1].lower() if kind else "", text[start:end]
            at = text.find(opening, end)
        return


def import_addresses(text: str) -> dict[str, str]:
    """What an import map says: an address for each name, those of its scopes too."""
    found = read_json(text)
    addresses: dict[str, str] = {}
    if isinstance(found, dict):
        for table in (found.get("imports"), *_values(found.get("scopes"))):
            if isinstance(table, dict):
                addresses |= {name: to for name, to in table.items() if isinstance(to, str) and to}
    return dict(list(addresses.items())[:MOST_ADDRESSES])


def templates_in(text: str) -> Iterator[str]:
    """The markup in templates; one within another is in the text of that."""
    depth, start = 0, 0
    for tag in _TEMPLATE_TAG.finditer(text):
        if tag[1] is None:
            if depth == 0 and start <= tag.end():  # else the same > ends this one, too
                start = text.find(">", tag.end()) + 1
                if not start:
                    return
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and start <= tag.start():
                yield text[start : tag.start()]


def _mapped(
    names: tuple[ScriptName, ...] | list[ScriptName], addresses: dict[str, str], page: LinkResolver
) -> Iterator[Link]:
    """Names of packages, by the longest entry of an import map that they begin with."""
    for name in names:
        if name.base is Base.PACKAGE and name.href not in addresses:
            prefix = name.href
            while slash := prefix.rfind("/", 0, -1) + 1:
                prefix = prefix[:slash]
                if prefix in addresses:
                    yield page.resolve(addresses[prefix] + name.href[slash:]), IMPORTED
                    break


def data_links(text: str, resolver: LinkResolver) -> Iterator[Link]:
    """What waits for scripts in data-* attributes."""
    origin = origin_of(resolver.url)
    for number, found in enumerate(_DATA.finditer(text)):
        if number == MOST_ATTRIBUTES:
            return
        name, value = found[1], found[2] or found[3]
        if "." not in value:
            continue
        if "&" in value:
            value = attribute_value(value)
        if name in _PICTURES:
            yield from ((resolver.resolve(href), LAZY_PICTURE) for href in _pictures(name, value))
        elif FILE_NAME.fullmatch(value):
            url = resolver.resolve(value)
            if url is not None and origin_of(url) == origin:
                yield url, GUESSED


def _pictures(name: str, value: str) -> Iterator[str]:
    if "(" in value:
        yield from css_urls(value)
    elif name.endswith("set"):
        yield from srcset_urls(value)
    elif FILE_NAME.fullmatch(value):
        yield value


def _values(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else []
