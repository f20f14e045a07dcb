"""Which blocks of a page are its article: pure decisions over the list of blocks.

    1. what tags and names call the frame of the page goes, unless it holds most of its text      frame.py
    2. the article is the smallest block with nearly all text that is left, and its lead          core.py
    3. within it go link lists, teasers, bylines, and lines that lead elsewhere                   lines.py
    4. and what is known to stand on many pages of the site                                       templates.py
    5. a headline that stands before it comes along                                               core.py

Where nothing is left of the text, less is taken: the frame alone, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from weft.parse.article.blocks import Block
from weft.parse.article.core import body_of, core_of, headline_of
from weft.parse.article.frame import drop_frame
from weft.parse.article.lines import drop_lines
from weft.parse.article.sheet import Sheet
from weft.parse.article.templates import all_known, known_lines, template_blocks

NO_TEMPLATE: Final[Mapping[int, float]] = MappingProxyType({})


class Choice(NamedTuple):
    """What of a page stays, by the numbers of its blocks."""

    body: int  # the block that is the article
    gone: list[int]  # blocks in it that are not
    headline: int | None  # to be put before it


def choose(blocks: list[Block], template: Mapping[int, float] = NO_TEMPLATE) -> Choice:
    """The article of a page; `template` is what is known of its site's."""
    sheet = Sheet(blocks)
    choice = _choose(sheet)
    if not template:
        return choice
    left = _left(sheet, choice)
    if all_known(blocks, left, template):  # the article is elsewhere, if there is one
        again = Sheet(blocks)
        for number in known_lines(blocks, template):
            again.drop(number)
        again.settle()
        return _choose(again) if again.chars_left(0) else choice
    for number in template_blocks(blocks, left, template):
        if not sheet.dropped[number]:  # with what holds it
            sheet.drop(number)
    return Choice(choice.body, sheet.dropped_in(choice.body), choice.headline)


def _choose(sheet: Sheet) -> Choice:
    before = bytes(sheet.dropped)
    drop_frame(sheet)
    without_frame = bytes(sheet.dropped)
    body = body_of(sheet, core_of(sheet))
    drop_lines(sheet, body)
    if sheet.chars_left(body):
        return Choice(body, sheet.dropped_in(body), headline_of(sheet, body))
    sheet.dropped[:] = without_frame
    if not sheet.chars_left(0):
        sheet.dropped[:] = before
    return Choice(0, sheet.dropped_in(0), None)


def _left(sheet: Sheet, choice: Choice) -> list[int]:
    return [choice.body, *(block.number for block in sheet.left(choice.body))]
