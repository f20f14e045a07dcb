"""The pictures of an article: what is said of them in their place, unless the page says it in a line, too."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from weft.parse.article.blocks import Block

_WORDS_OF_PICTURES: Final = ("alt", "title")
_COMPARED_CHARS: Final = 20  # a caption goes on with who took the picture


def drop_repeated_alts(body: Element, blocks: list[Block]) -> None:
    """Take alternative texts away that repeat a line of the page: its headline, or the caption beside the picture."""
    pictures = body.select("img[alt], img[title], amp-img[alt], amp-img[title]")
    if not pictures:
        return
    lines = {block.text[:_COMPARED_CHARS] for block in blocks if block.text}
    for picture in pictures:
        for name in _WORDS_OF_PICTURES:
            words = " ".join((picture.attr(name) or "").split())
            if words[:_COMPARED_CHARS] in lines:
                picture.attrs[name] = ""
