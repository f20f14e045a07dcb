"""Scripts and JSON as responses: what they load, and what they may load.

    strings, with what is around them    script_strings.py
    which of these are names             script_names.py, doxygen.py
    what they are relative to            script_bases.py
    scripts in pages                     page_scripts.py

Nothing is run. What is sure is Kind.EMBED, all else Kind.GUESS: asked for like any other URL, in the same pace, and
missed by nobody if it is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from weft.parse.charset import decode
from weft.parse.link_kinds import LinkPlace
from weft.parse.parsed_page import HeaderPairs, LinkList, ParsedPage
from weft.parse.script_bases import ScriptBases
from weft.parse.script_names import Base, ScriptName, script_names
from weft.types import Kind

MAX_SCRIPT_BYTES: Final = 8 * 1024 * 1024  # of a longer one, its beginning is read

IMPORTED: Final = LinkPlace.of(Kind.EMBED, "script/import")
GUESSED: Final = LinkPlace.of(Kind.GUESS, "script/string")


def parse_script(
    body: bytes,
    url: str,
    content_type: str | None = None,
    headers: HeaderPairs = (),
    agent: str = "weft",
    via: str = "",
) -> ParsedPage:
    """Read a script, or JSON, that was fetched from `url` because of the page `via`."""
    text, charset = decode(body[:MAX_SCRIPT_BYTES], content_type or "text/javascript; charset=utf-8")
    links = LinkList()
    for found, place in links_of_names(script_names(text), ScriptBases(url, via)):
        links.take(found, place)
    return ParsedPage.of_links(links, url, charset, headers, agent)


def links_of_names(names: Iterable[ScriptName], bases: ScriptBases) -> Iterator[tuple[str | None, LinkPlace]]:
    """The URLs of names; None for a broken one."""
    for name in names:
        if name.base is Base.MODULE:
            yield bases.sure(name), GUESSED if name.start < 0 else IMPORTED
        elif name.base is not Base.PACKAGE:
            for url in bases.guesses(name):
                yield url, GUESSED
