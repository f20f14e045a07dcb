"""weft's own way from bytes to the article as Markdown, and what parsing alone takes of it."""

from __future__ import annotations

from bench.article.extractor import Extract
from weft.clean import PRESET_OF, PRESETS, Cleaner, Form
from weft.clean.sniffing import html_of
from weft.parse.tree import tree_of

WEFT = "weft"
PARSING = "weft, parsing alone"


def extractors() -> dict[str, Extract]:
    """By name."""
    cleaner = Cleaner(PRESETS[PRESET_OF[Form.ARTICLE]], Form.ARTICLE)
    return {WEFT: lambda content, url: cleaner.clean(content, url).content, PARSING: _parse}


def _parse(content: bytes, _url: str) -> str:
    tree_of(html_of(content, "")[0])
    return ""
