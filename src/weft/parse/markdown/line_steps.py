"""What is done with the parts of a line: marks, links, images, code."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Element, Text

from weft.parse.markdown.escape import code_span
from weft.parse.markdown.line import LINK, QUOTE, Mark
from weft.parse.markdown.targets import IMAGE_TAGS, absolute, image_text, image_url
from weft.parse.markdown.writer import Leave, Step, Writer, skip
from weft.parse.text import UNSEEN_TAGS
from weft.regex import regex

ANCHOR_TEXTS: Final = frozenset(("", "¶", "#", "§", "∞", "🔗", "permalink", "link", "anchor", "direct link"))
_RAISED: Final = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_LOWERED: Final = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_NUMBER: Final = regex(r"[+-]?[0-9]{1,8}[+-]?")
_TEX: Final = regex(r"\{\\displaystyle (.*)\}", re.DOTALL)


def _nothing(_writer: Writer, _element: Element) -> Leave:
    return skip


def _mark(sign: str) -> Step:
    def step(writer: Writer, _element: Element) -> Leave | None:
        if writer.code_deep or (sign == "**" and (writer.headings_deep or writer.bold_deep)) or writer.line.has(sign):
            return None
        writer.line.open(Mark(sign))
        return writer.line.close

    return step


def _link(writer: Writer, element: Element) -> Leave | None:
    href = element.attr("href")
    if href is None or writer.line.has(LINK):
        return None
    if writer.headings_deep and "#" in href:
        if element.text.strip().lower() in ANCHOR_TEXTS and element.select_one("img[alt]") is None:
            return skip
        if writer.lines_deep and href.lstrip().startswith("#"):  # a term may be a line of a table of contents
            return None
    url = absolute(href, writer.resolver)
    if url is None:
        return None
    writer.line.open(Mark(LINK, url))
    return writer.line.close


def _image(writer: Writer, element: Element) -> Leave:
    if (url := image_url(element, writer.resolver)) is not None:
        writer.line.add_image(image_text(element), url)
    return skip


def _code(writer: Writer, _element: Element) -> Leave:
    writer.code_deep += 1
    writer.line.is_other_code = True

    def leave() -> None:
        writer.code_deep -= 1

    return leave


def _number(table: dict[int, int]) -> Step:
    """Markdown has no raised and lowered text, and Unicode has digits: 10⁶ must not become 106."""

    def step(writer: Writer, element: Element) -> Leave | None:
        only = next(iter(element), None)
        if type(only) is not Text or only.next_sibling is not None or not _NUMBER.fullmatch(only.data):
            return None
        writer.line.add_text(only.data.translate(table))
        return skip

    return step


def _formula(writer: Writer, element: Element) -> Leave | None:
    if not (source := tex_of(element)):
        return None
    writer.line.add_written(f"${code_span(source)}$")
    return skip


def tex_of(formula: Element) -> str:
    """TeX, if the page has it beside the formula: GitHub shows it."""
    source = formula.attr("alttext")
    if not source and (annotation := formula.select_one('annotation[encoding="application/x-tex"]')) is not None:
        source = annotation.text
    source = " ".join((source or "").split())
    found = _TEX.fullmatch(source)
    return found[1].strip() if found else source


def _spaced(writer: Writer, _element: Element) -> Leave:
    line = writer.line
    line.space = True

    def leave() -> None:
        line.space = True

    return leave


LINE_STEPS: Final[dict[str, Step]] = {
    **dict.fromkeys(("head", "script", "style", "title", *UNSEEN_TAGS), _nothing),
    **dict.fromkeys(("b", "strong"), _mark("**")),
    **dict.fromkeys(("cite", "dfn", "em", "i", "var"), _mark("*")),
    **dict.fromkeys(("del", "s", "strike"), _mark("~~")),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), _code),
    "q": _mark(QUOTE),
    "a": _link,
    **dict.fromkeys(IMAGE_TAGS, _image),
    "sup": _number(_RAISED),
    "sub": _number(_LOWERED),
    "math": _formula,
    "button": _spaced,
}
