"""The HTML around some words of a topic: which of them are seen by a reader, and which links they speak of.

It is not parsed, but cut into pieces at each `<`, so that a piece is a tag and the text behind it:

    See <a href="x">the <b>crawler</b></a>    `>See `  `a href="x">the `  `b>crawler`  `/b>`  `/a>`

Hot: what is done for every piece is done by functions in C.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, count, repeat
from operator import add, sub
from typing import Final, NamedTuple

from weft.page.topic_words import Occurrence

REACH_CHARS: Final = 1_000  # of HTML, in which NEAR_CHARS of text are looked for
NEAR_CHARS: Final = 200  # of text between a link and a word that speaks of it
MAX_TAG_CHARS: Final = 20_000

_LINK_TAGS: Final = frozenset(("a ", "a\n", "a\t", "a\r", "a\f", "a/", "/a"))
_LABELS: Final = ("alt", "title")
_BEGINS_TAG: Final = frozenset("abcdefghijklmnopqrstuvwxyz/!?>")
# Possessive throughout, so that nothing is tried twice. A > in quotes does not end a tag.
_TAG = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
_ATTRIBUTE = re.compile(r"""(?<![^\s"'/])([^\s"'>/=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))""")


class NearLink(NamedTuple):
    """A link, and the topic's words by number: those in the link itself, and all that are near it."""

    tag_at: int  # where it begins in the page, behind the <
    own: list[int]
    near: list[int]


def not_in_tags(lower: str, found: list[Occurrence]) -> list[Occurrence]:
    """Words without those of which a glance shows that they are in a tag, as most are: `<a href="crawler.html">`."""
    return [each for each in found if not _is_in_tag(lower, each[0])]


def _is_in_tag(lower: str, at: int) -> bool:
    far = max(0, at - REACH_CHARS)
    tag_at = lower.rfind("<", max(far, lower.rfind(">", far, at)), at)
    return tag_at >= 0 and lower[tag_at + 1] in _BEGINS_TAG and not lower.startswith("img", tag_at + 1)


def neighbourhoods(page: str, found: list[Occurrence]) -> Iterator[Neighbourhood]:
    """Those of all words that were found, in the order of the page; words that are close together have one."""
    some: list[Occurrence] = []
    for occurrence in found:
        if some and occurrence[0] - some[-1][0] > 2 * REACH_CHARS:
            yield Neighbourhood(page, some)
            some = []
        some.append(occurrence)
    if some:
        yield Neighbourhood(page, some)


class Neighbourhood:
    """Of words that are close together; `page` is HTML in lower case, without what is unseen."""

    def __init__(self, page: str, found: list[Occurrence]) -> None:
        start = max(0, found[0][0] - REACH_CHARS)
        tag_at = page.rfind("<", max(0, start - MAX_TAG_CHARS), start)  # so that it does not begin within a tag
        start = tag_at if tag_at >= 0 else start
        pieces = page[start : found[-1][0] + REACH_CHARS].split("<")
        pieces[0] = ">" + pieces[0]  # as if there were a tag in front
        self._page = page
        self._pieces = pieces
        sizes = list(map(len, pieces))
        self._tag_ends = list(map(str.find, pieces, repeat(">")))  # -1: there is none
        self._starts: list[int] = list(map(add, accumulate(sizes, initial=start - 1), count()))
        # How much text is in front of each piece, where a tag counts as one character.
        self._texts: list[int] = list(accumulate(map(sub, sizes, self._tag_ends), initial=0))
        self._link_tags = [
            number
            for number, piece in enumerate(pieces)
            if piece[:2] in _LINK_TAGS and (piece[0] == "a" or not piece[2:3].isalpha())
        ]
        # The words that count: which ones, in which pieces, and where in the text.
        self.words: list[int] = []
        self._word_pieces: list[int] = []
        self._word_texts: list[int] = []
        for at, word in found:
            self._take(at, word)

    def links(self) -> Iterator[NearLink]:
        """The links that have any words in them or near them."""
        if not self.words:
            return
        texts, words, word_texts, word_pieces = self._texts, self.words, self._word_texts, self._word_pieces
        ends = [*self._link_tags[1:], len(self._pieces)]  # a link that is not closed goes up to the next one
        for tag, end in zip(self._link_tags, ends, strict=False):
            first = bisect_left(word_texts, texts[tag] - NEAR_CHARS)
            last = bisect_left(word_texts, texts[end] + NEAR_CHARS)
            if first < last and self._pieces[tag][0] == "a":
                own = words[bisect_left(word_pieces, tag) : bisect_left(word_pieces, end)]
                yield NearLink(self._starts[tag], own, words[first:last])

    def _take(self, at: int, word: int) -> None:
        piece = bisect_right(self._starts, at) - 1
        text_chars = self._text_chars_before(at, piece)
        if text_chars >= 0 or self._is_label(at, piece):
            self.words.append(word)
            self._word_pieces.append(piece)
            self._word_texts.append(self._texts[piece] + max(0, text_chars))

    def _text_chars_before(self, at: int, piece: int) -> int:
        """How much text of its piece stands in front of a word; less than none if the word is in a tag."""
        tag, tag_at, tag_end = self._pieces[piece], self._starts[piece], self._tag_ends[piece]
        if tag[:1] not in _BEGINS_TAG and not self._is_unfinished(piece - 1):
            return at - tag_at  # a < b
        if tag_end < 0:
            return -1
        if tag.count('"', 0, tag_end) % 2 or tag.count("'", 0, tag_end) % 2:
            whole = _TAG.match(self._page, tag_at, tag_at + MAX_TAG_CHARS)
            tag_end = len(tag) if whole is None else whole.end() - tag_at - 1
        return at - tag_at - tag_end - 1

    def _is_unfinished(self, piece: int) -> bool:
        return self._tag_ends[piece] < 0 and self._pieces[piece][:1] in _BEGINS_TAG

    def _is_label(self, at: int, piece: int) -> bool:
        """Whether a word in a tag is one of those that a reader sees in place of an image, and the image is a link."""
        tag = self._pieces[piece]
        if not tag.startswith("img"):
            return False
        before = bisect_left(self._link_tags, piece) - 1
        if before < 0 or self._pieces[self._link_tags[before]][0] != "a":
            return False
        offset = at - self._starts[piece]
        return any(
            attribute.start() < offset < attribute.end()
            for attribute in _ATTRIBUTE.finditer(tag, 0, MAX_TAG_CHARS)
            if attribute[1] in _LABELS
        )


def href_of(text: str, tag_at: int) -> str:
    """What stands in the href of a tag; "" if nothing does."""
    tag = _TAG.match(text, tag_at, tag_at + MAX_TAG_CHARS)
    if tag is not None:
        for attribute in _ATTRIBUTE.finditer(tag[0]):
            if attribute[1].lower() == "href":
                return attribute[attribute.lastindex or 1]
    return ""
