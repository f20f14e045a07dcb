"""Where the article is: the core with nearly all running text, what belongs to it, and its headline."""

from __future__ import annotations

from typing import Final

from weft.parse.article.blocks import Block
from weft.parse.article.sheet import Sheet
from weft.parse.article.words import Role

_NEARLY_ALL: Final = 0.8
_MOST: Final = 0.5  # enough where tag, names or headline say that it is the article
_LEAD: Final = 0.35  # of the core's text may stand outside it, and still be a part of the article
_PARTS_OF_TEXT: Final = frozenset(("p", "pre", "blockquote", "ul", "ol", "dl", "li", "table"))


def core_of(sheet: Sheet) -> int:
    """The smallest block with nearly all text."""
    current = 0
    while True:
        best, second = _densest_children(sheet, current)
        if best is None or best.element is None or best.tag in _PARTS_OF_TEXT:
            return current
        share = sheet.prose[best.number] / sheet.prose[current]
        if share < _NEARLY_ALL:
            if share < _MOST or not _is_called_article(sheet, best):
                return current
            if second is not None and _is_one_of_several(sheet, best, second):
                return current
        current = best.number


def body_of(sheet: Sheet, core: int) -> int:
    """The core with what belongs to it: a lead may stand outside, beside the headline. The rest is struck off."""
    blocks = sheet.blocks
    most = sheet.prose[core] * (1 + _LEAD) + 100
    body = core
    while blocks[body].parent > 0 and sheet.prose[blocks[body].parent] <= most:
        body = blocks[body].parent
    if body == core:
        return body
    headline = next((h1 for h1 in sheet.h1s if body < h1 < core), 0)
    end = blocks[core].end
    for block in sheet.left(body):
        is_before_headline = block.end <= headline
        is_after_core = block.number >= end
        if is_before_headline or is_after_core:
            sheet.drop(block.number)
    sheet.settle()
    return body


def headline_of(sheet: Sheet, body: int) -> int | None:
    """The headline of an article that stands before it, and so has to be fetched."""
    end = sheet.blocks[body].end
    if any(body <= h1 < end and not sheet.dropped[h1] for h1 in sheet.h1s):
        return None
    found = None
    for h1 in sheet.h1s:
        block = sheet.blocks[h1]
        is_before = block.end <= body
        if is_before and (found is None or not _is_link(block) or _is_link(sheet.blocks[found])):
            found = h1
    return found


def _is_link(block: Block) -> bool:
    return block.link_chars >= block.chars


def _densest_children(sheet: Sheet, number: int) -> tuple[Block | None, Block | None]:
    best = second = None
    most = next_most = 0
    for child in sheet.children_left(number):
        prose = sheet.prose[child.number]
        if prose > most:
            best, second, most, next_most = child, best, prose, most
        elif prose > next_most:
            second, next_most = child, prose
    return best, second


def _is_called_article(sheet: Sheet, block: Block) -> bool:
    if block.tag in ("article", "main") or block.role & Role.BODY:
        return True
    return len(sheet.h1s) == 1 and block.number <= sheet.h1s[0] < block.end


def _is_one_of_several(sheet: Sheet, best: Block, second: Block) -> bool:
    are_alike = best.tag == second.tag and best.role == second.role
    return are_alike and sheet.prose[second.number] * 5 > sheet.prose[best.number]
