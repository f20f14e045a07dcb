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
    most_in_main = max((block.chars for block in sheet.blocks if block.tag == "main"), default=0)
    for block in sheet.left(0):
        # A list of names has no running text, so that of the footer would be all that the page has.
        is_foot = block.tag == "footer" and block.chars < most_in_main
        if is_foot or _is_frame(block, sheet.prose[block.number], whole):
            sheet.drop(block.number)
    sheet.settle()
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
    before, whole = bytes(sheet.dropped), sheet.prose
    replies = _replies(sheet)
    for block in sheet.left(0):
        if block.number in replies or (block.role & Role.COMMENTS and block.tag not in ("body", "main")):
            sheet.drop(block.number)
    sheet.settle()
    rest = sheet.prose[0]
    if rest < ENOUGH and rest * 2 < whole[0]:
        sheet.dropped[:] = before
        sheet.prose = whole


def _replies(sheet: Sheet) -> set[int]:
    """Articles within an article, unless that is made of them."""
    articles = [block.number for block in sheet.left(0) if block.tag == "article"]
    if len(articles) < 2:
        return set()
    around, whole = _articles_around(sheet.blocks), sheet.prose
    told = list(whole)  # of an article, the text that is in no other
    within = [number for number in articles if around[number] >= 0]
    for number in within:
        told[around[number]] -= whole[number]
    return {number for number in within if told[around[number]] >= ENOUGH and whole[number] * 3 < whole[around[number]]}


def _articles_around(blocks: list[Block]) -> list[int]:
    """For each block the nearest article that it is in; -1 for none."""
    around = [-1]
    for block in blocks[1:]:
        parent = block.parent
        around.append(parent if blocks[parent].tag == "article" else around[parent])
    return around
