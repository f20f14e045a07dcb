"""What the scripts of Doxygen load by names that they put together: the tree of contents, and the results of a search.

    navtreedata.js      NAVTREE = [ [ "Classes", "annotated.html", "annotated_dup" ], …      annotated_dup.js
                        NAVTREEINDEX = [ "a.html", "b.html" ]                                navtreeindex0.js, …1.js
    search/searchdata.js  indexSectionsWithContent = { 0: "abc", …                           all_0.js, all_1.js, …
                          indexSectionNames = { 0: "all", …                                  and all_0.html
    search/all_0.html     of a Doxygen before 1.9.5, which shows results in a frame          all_1.html

Newer ones have no pages of results. So the first one of each kind is asked for, and each asks for the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from weft.regex import regex

MOST_FILES: Final = 2_000  # of one kind: honest ones have some hundred

_CHILDREN: Final = regex(r'"[ ]?,\s{0,8}(?:"[^"\n]{0,400}"|null)\s{0,8},\s{0,8}"([\w\-./]{1,250})"\s{0,8}\]')
_INDEX: Final = regex(r"\bNAVTREEINDEX\s*=\s*\[([^\[\]]*)\]")
_SECTIONS: Final = regex(r"\bindexSection(sWithContent|Names)\s*=\s*\{([^{}]*)\}")
_SECTION: Final = regex(r'(\d{1,3})\s*:\s*"([^"\n]*)"')
_TREE: Final = regex(r"var (?:NAVTREE|\w+)\s{0,8}=\s{0,8}\[\s{0,8}\[ ")
_RESULTS: Final = regex(r"/([a-z]{1,40}_)([0-9a-f]{1,3})\.html\Z")
_RESULTS_MARK: Final = "createResults"


def doxygen_names(script: str) -> Iterator[str]:
    """Files beside a script of Doxygen; none for all other scripts."""
    if "indexSectionsWithContent" in script:
        yield from _search_files(script)
    if _TREE.search(script) is None:
        return
    index = _INDEX.search(script)
    tree = script[: index.start()] if index else script
    for found in islice(_CHILDREN.finditer(tree), MOST_FILES):
        yield f"{found[1]}.js"
    if index:
        for number in range(min(index[1].count('"') // 2, MOST_FILES)):
            yield f"navtreeindex{number}.js"


def next_results(url: str, text: str) -> str | None:
    """The page of results behind this one; None if this is none."""
    found = _RESULTS.search(url)
    if found is None or _RESULTS_MARK not in text or int(found[2], 16) > MOST_FILES:
        return None
    return f"{found[1]}{int(found[2], 16) + 1:x}.html"


def _search_files(script: str) -> Iterator[str]:
    tables = {found[1]: dict(_SECTION.findall(found[2])) for found in _SECTIONS.finditer(script)}
    names = tables.get("Names", {})
    left = MOST_FILES
    for section, letters in tables.get("sWithContent", {}).items():
        name = names.get(section, "")
        if not re.fullmatch(r"\w{1,40}", name):
            continue
        if letters:
            yield f"{name}_0.html"
            yield "nomatches.html"
        for number in range(min(len(letters), left)):
            yield f"{name}_{number:x}.js"
        left -= min(len(letters), left)
