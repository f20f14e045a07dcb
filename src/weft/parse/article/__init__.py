"""What a page is about: its main content, told from what stands around it.

tree ──one walk──▶ blocks ──▶ frame ──▶ core ──▶ lines ──▶ the article's element, the rest taken out of it
       blocks.py    │         frame.py  core.py  lines.py
       words.py     └─ decisions over plain values (choice.py, sheet.py)
"""

from __future__ import annotations

from collections.abc import Mapping

from turbohtml import Document, Element

from weft.parse.article.blocks import blocks_of
from weft.parse.article.choice import NO_TEMPLATE, choose
from weft.parse.article.pictures import drop_linked_at_edges, drop_repeated_alts
from weft.parse.article.templates import SiteSamples, fingerprints_of

__all__ = ["NO_TEMPLATE", "SiteSamples", "article_of", "fingerprints_of"]


def article_of(page: Document, template: Mapping[int, float] = NO_TEMPLATE) -> Document | Element:
    """The part of the page that is its article, headline included; the page where nothing can be told apart.

    `template` is what `SiteSamples` knows of its host. The tree is changed: what is not of the article goes.
    """
    root = page.select_one("body")
    if root is None:
        return page
    blocks = blocks_of(root)
    choice = choose(blocks, template)
    body = blocks[choice.body].element
    headline = None if choice.headline is None else blocks[choice.headline].element
    for number in choice.gone:
        blocks[number].take_out()
    if body is None:
        return page
    drop_repeated_alts(body, blocks)
    drop_linked_at_edges(body)
    if headline is not None:
        body.insert(0, headline.extract())
    return body
