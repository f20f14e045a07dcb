"""What pages of a web with a topic say: words of the topic in the text, and anchors that may mislead. Pure.

A relevant page has 3 to 32 words of the topic in its text, most pages few; of the others some have one. Of all links,
whatever page they are on, `misleading_share` have an anchor that says the opposite of what their target is. Anchors
with words of the topic look alike, be they right or wrong, and the text around an anchor is the page's own: it says
something of the page and nothing of the link.
"""

from __future__ import annotations

from weft.simweb import chance
from weft.simweb.chance import Dice
from weft.simweb.html import TextBlock
from weft.simweb.spec import WebSpec
from weft.simweb.topical import TopicalLinks

# None of them is among the words of other text. The first are the most frequent.
TOPIC_WORDS = ("glacier", "moraine", "crevasse", "meltwater", "icefall", "cirque")

_LEAST_MENTIONS, _MOST_MENTIONS = 3, 32
_TITLE_SHARE = 0.7  # of the relevant pages: the title says it
_WORD_BYTES = 6.5  # mean of a word with its space
_PARAGRAPH_WORDS = 60


class TopicalText:
    """Makes the text of pages, each whenever it is asked for."""

    def __init__(self, spec: WebSpec, dice: Dice, topic: TopicalLinks, text: TextBlock) -> None:
        self._spec = spec
        self._dice = dice
        self._topic = topic
        self._text = text

    def page(self, page: int, title: str, hrefs: list[str]) -> bytes:
        """The page as HTML; its links stand in its text, from first to last."""
        words = self._words(page)
        if self._topic.is_relevant(page) and self._dice.unit(chance.MENTION, page, 1) < _TITLE_SHARE:
            title = f"{title}: {self._topic_word(page, 0)} {words[0]}"
        targets = self._topic.targets(page)
        for number, (href, target) in enumerate(zip(hrefs, targets, strict=True)):
            place = (2 * number + 1) * len(words) // (2 * len(hrefs))
            words[place] += f' <a href="{href}">{self._anchor(page, number, target)}</a>'
        paragraphs = (words[start : start + _PARAGRAPH_WORDS] for start in range(0, len(words), _PARAGRAPH_WORDS))
        text = "".join(f"\n<p>{' '.join(paragraph)}." for paragraph in paragraphs)
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><h1>{title}</h1>{text}</body></html>\n"
        ).encode()

    def _words(self, page: int) -> list[str]:
        size = self._spec.page_bytes * (0.25 + 1.5 * self._dice.unit(chance.SIZE, page))
        count = max(2 * _MOST_MENTIONS, int(size / _WORD_BYTES))
        cut = self._text.cut(self._dice.draw(chance.TEXT, page), int(1.5 * _WORD_BYTES * count)).decode("ascii")
        words = cut.split()[1 : count + 1]  # the first may be cut
        for number in range(self._mentions(page)):
            place = self._dice.draw(chance.MENTION, page, 2 + number) % len(words)
            words[place] = self._topic_word(page, 1 + number)
        return words

    def _mentions(self, page: int) -> int:
        draw = self._dice.unit(chance.MENTION, page)
        if not self._topic.is_relevant(page):
            return int(draw < self._spec.mention_share)
        return _LEAST_MENTIONS + int((_MOST_MENTIONS - _LEAST_MENTIONS + 1) * draw**2)

    def _anchor(self, page: int, number: int, target: int) -> str:
        draw = self._dice.draw(chance.ANCHOR, page, number)
        words = self._text.cut(draw, 64).decode("ascii").split()[1 : 3 + draw % 3]
        if self._topic.is_relevant(target) is not self._topic.misleads(page, number):
            words[(draw >> 8) % len(words)] = self._topic_word(page, 1_000 + number)
        return " ".join(words)

    def _topic_word(self, page: int, number: int) -> str:
        draw = self._dice.draw(chance.TOPIC_WORD, page, number)
        return TOPIC_WORDS[min(draw % len(TOPIC_WORDS), (draw >> 32) % len(TOPIC_WORDS))]
