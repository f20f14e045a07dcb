"""The frame of a page: what its tags and names call menus, adverts, related pages, comments, bylines and captions.

A name may be wrong: what holds much of the page's text stays, and the more so the more its other names speak for it.
"""

from __future__ import annotations

from typing import Final

from weft.parse.article.blocks import HEADINGS, Block
from weft.parse.article.sheet import ENOUGH, Sheet
from weft.parse.article.words import Role

_TAGS: Final = frozenset(("nav", "aside", "footer", "menu", "dialog", "search"))
_MAIN_TAGS: Final = frozenset(("article", "main", "body"))
_LONG_BYLINE_CHARS: Final = 400


def drop_frame(sheet: Sheet) -> None:
    """Strike off what stands around the article, then what readers said of it."""
    whole = max(sheet.prose[0], 1)
    for block in sheet.left(0):
        if _is_frame(block, sheet.prose[block.number], whole):
            sheet.drop(block.number)
    _drop_comments(sheet)


def _is_frame(block: Block, prose: int, whole: int) -> bool:
    tag, role = block.tag, block.role
    share = prose / whole
    if tag in _TAGS:
        return share < 0.6
    if tag == "figcaption" or (role & Role.CAPTION and tag != "table" and not role & Role.BODY):
        return share < 0.3
    if not role:
        return False
    is_main = bool(tag in _MAIN_TAGS or role & Role.BODY)
    if role & Role.AROUND:
        return share < (0.2 if is_main else 0.35 if role & Role.CONTENT else 0.7)
    if role & Role.MAYBE and not is_main and share < 0.3 and tag not in HEADINGS:
        return not prose or block.link_chars > block.chars * 0.2 or (block.images > 0 and block.link_chars > 0)
    if role & Role.BYLINE and not role & Role.BODY:
        return block.chars < _LONG_BYLINE_CHARS and share < 0.3
    return False


def _drop_comments(sheet: Sheet) -> None:
    """Strike off what readers said, but not on a page of nothing else, as a forum's may be."""
    before, whole = bytes(sheet.dropped), list(sheet.prose)
    for block in sheet.left(0):
        if _is_comments(sheet, block):
            sheet.drop(block.number)
    rest = sheet.prose[0]
    if rest < ENOUGH and rest * 2 < whole[0]:
        sheet.dropped[:], sheet.prose[:] = before, whole


def _is_comments(sheet: Sheet, block: Block) -> bool:
    if block.role & Role.COMMENTS:
        return block.tag not in ("body", "main")
    return block.tag == "article" and _is_reply(sheet, block)


def _is_reply(sheet: Sheet, article: Block) -> bool:
    """Whether it is a short article within a longer one."""
    outer = article.parent
    while outer >= 0:
        if sheet.blocks[outer].tag == "article":
            return sheet.prose[article.number] * 3 < sheet.prose[outer]
        outer = sheet.blocks[outer].parent
    return False
