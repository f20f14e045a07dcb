"""Which blocks of a page are its article: pure decisions over the list of blocks.

    1. what tags and names call the frame of the page goes, unless it holds most of its text      frame.py
    2. the article is the smallest block with nearly all text that is left, and its lead          core.py
    3. within it go link lists, teasers, bylines, and lines that lead elsewhere                   lines.py
    4. and what is known to stand on many pages of the site                                       templates.py
    5. a headline that stands before it comes along                                               core.py

Where nothing is left of the text, less is taken: the frame alone, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from weft.parse.article.blocks import Block
from weft.parse.article.core import body_of, core_of, headline_of
from weft.parse.article.frame import drop_frame
from weft.parse.article.lines import drop_lines
from weft.parse.article.sheet import Sheet
from weft.parse.article.templates import template_blocks


class Choice(NamedTuple):
    """What of a page stays, by the numbers of its blocks."""

    body: int  # the block that is the article
    gone: list[int]  # blocks in it that are not
    headline: int | None  # to be put before it


def choose(blocks: list[Block], template: Collection[int] = ()) -> Choice:
    """The article of a page; `template` are the fingerprints of its site's template."""
    sheet = Sheet(blocks)
    drop_frame(sheet)
    without_frame = bytes(sheet.dropped)
    body = body_of(sheet, core_of(sheet))
    drop_lines(sheet, body)
    if not sheet.chars_left(body):
        sheet.dropped[:] = without_frame
        return Choice(0, sheet.dropped_in(0) if sheet.chars_left(0) else [], None)
    if template:
        for number in template_blocks(blocks, [block.number for block in sheet.left(body)], template):
            if not sheet.dropped[number]:  # with what holds it
                sheet.drop(number)
    return Choice(body, sheet.dropped_in(body), headline_of(sheet, body))
