"""The edits that make the addresses in scripts local: those of which it is sure that they are addresses.

    import a from "/js/a.js?v=3"        import a from "../js/a@v=3.js"
    {"imports": {"a": "/js/a.js"}}      {"imports": {"a": "./js/a.js"}}

That is what modules import, `importScripts`, `new URL("…", import.meta.url)` and the addresses of an import map.

    icon.src = root + "img/on.png?v=3"  icon.src = root + "img/on@v=3.png"

Of other names of files that were saved, the last part becomes that of the file if a query made it another: so they are
right whatever the script puts in front of them. All other strings stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from weft.mirror.edits import Edit
from weft.mirror.links import Links
from weft.parse.page_scripts import NAMING_KINDS
from weft.parse.script_names import ADDRESSES, Base, module_names, names_in
from weft.parse.script_strings import script_strings
from weft.regex import regex

_MAY_IMPORT: Final = regex(
    rb"(?<![\w$.\"'`-])(?:import|from|import\s*\(|importScripts\s*\(|URL\s*\()\s*(?:/\*[^*]*\*/\s*)?[\"'`]"
)
_NAME: Final = r"\.[A-Za-z0-9]{2,11}\?[\w\-~%@+,=&./:;]{0,300}(?:#[^\"'`]{0,300})?[\"'`]"
_MAY_NAME: Final = regex(_NAME.encode())
_MAY_NAME_IN_TEXT: Final = regex(_NAME, re.ASCII)
_UNSAFE: Final = regex(r"[\\\"'`]")
_IS_KEY: Final = regex(r"\s*:")


def may_import(body: bytes) -> bool:
    """Whether there may be anything to change."""
    return (b"import" in body or b"from" in body) and _MAY_IMPORT.search(body) is not None


def script_edits(script: str, links: Links, start: int = 0) -> Iterator[Edit]:
    """What must change in a script that stands at `start`."""
    for name in module_names(script):
        if name.base is Base.MODULE and (meant := _meant(name.href, links)) is not None:
            yield Edit(start + name.start, start + name.end, meant)


def may_name(body: bytes) -> bool:
    """Whether there may be a file with a query."""
    return b"?" in body and _MAY_NAME.search(body) is not None


def edits_in_page(kind: str, script: str, links: Links, start: int) -> Iterator[Edit]:
    """What must change in a script of this type that stands in a page."""
    if kind == "importmap":
        yield from import_map_edits(script, links, start)
    if kind == "module":
        yield from script_edits(script, links, start)
    if kind in NAMING_KINDS and "?" in script and _MAY_NAME_IN_TEXT.search(script):
        yield from name_edits(script, links, start)


def name_edits(script: str, links: Links, start: int = 0) -> Iterator[Edit]:
    """What must change in the names of files with a query."""
    for name in names_in(script):
        is_one = name.base in (Base.PAGE, Base.SOMEWHERE) and name.start >= 0 and "?" in name.href
        if is_one and (meant := links.renamed(name.href)) is not None:
            yield Edit(start + name.start, start + name.end, _UNSAFE.sub(r"\\\g<0>", meant))


def import_map_edits(text: str, links: Links, start: int = 0) -> Iterator[Edit]:
    """The same for an import map. An address that ends with a slash is a folder, and stays."""
    for string in script_strings(text):
        href = string.text
        is_file = href.startswith(ADDRESSES) and not href.endswith("/")
        if not is_file or _IS_KEY.match(text, string.end + 1):
            continue
        if (meant := _meant(href, links)) is not None:
            yield Edit(start + string.start, start + string.end, meant)


def _meant(href: str, links: Links) -> str | None:
    """What must stand there: always with a dot in front, because a bare name would be that of a package."""
    meant = links.meaning(href).href
    if meant is None:
        return None
    return _UNSAFE.sub(r"\\\g<0>", meant if meant.startswith(ADDRESSES) else f"./{meant}")
