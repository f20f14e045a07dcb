"""Stretches of a page's text around words of a topic, and where the links are in it.

HTML is not parsed, but cut at its links, and tags become spaces:

    See <a href="x">the <b>crawler</b></a>, or <a href=y>Rust</a>.
    See | the  crawler |, or | Rust |.

Hot: what is done for every tag is done by one regular expression, which cannot backtrack further than one tag.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from weft.page.needles import Hit
from weft.page.topic_words import Occurrence
from weft.regex import regex

NEAR_CHARS: Final = 200  # of text between a link and a word that speaks of it
REACH_CHARS: Final = 800  # of HTML, in which those are looked for
_CLOSE_CHARS: Final = 100
_MANY_HITS: Final = 150
_MAX_TAG_CHARS: Final = 20_000
_MAX_STRETCH_CHARS: Final = 1_000_000
MAX_LINKS: Final = 2_000  # of a stretch, and of a page

_LINK_MARK: Final = "\x01"  # no page has these when it is cut
_END_MARK: Final = "\x02"
_LINK = regex(r"<a(?=[\s/>])")
_ODD_END = regex(r"</a\s[^<>]*+>")
# A > in quotes does not end a tag, and quotes stand behind a = only.
# A hundred of them at most: a page may have a tag within each quote, and no end of any.
_ATTRIBUTES = r"""[^<>=]*+(?>(?:=\s*+(?>"[^"]{0,2000}+"|'[^']{0,2000}+'|)[^<>=]*+){0,100})"""
_TAG = regex(rf"<[a-z/!?]{_ATTRIBUTES}>")
_IMAGE = regex(rf"<img(?=[\s/]){_ATTRIBUTES}>")
_REST_OF_TAG = regex(rf"{_ATTRIBUTES}>")
_BEGINS_TAG: Final = frozenset("abcdefghijklmnopqrstuvwxyz/!?")
_ATTRIBUTE = regex(r"""(?<![^\s"'/])([^\s"'>/=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))""")
_PLAIN_HREF = regex(r' href="([^"]*+)"')
_LABELS: Final = ("alt", "title")


class NearLink(NamedTuple):
    """A link, and the numbers of the topic's words that are in it, or if there are none, near it."""

    attributes_at: int  # where they begin in the page
    words: list[int]
    are_its_own: bool


def stretches(page: str, hits: list[Hit], is_word: Callable[[str, Hit], bool]) -> Iterator[tuple[int, int]]:
    """From where to where a page is to be looked at; `page` is HTML in lower case without what is unseen.

    Hits that are no words are passed over, and those of which a glance shows that they are in a tag, as many are:
    `<a href="crawler.html">`. Where there are many hits, that takes longer than to look at all.
    """
    if len(hits) > _MANY_HITS:
        start = _beginning(page, hits[0][0])
        yield start, min(start + _MAX_STRETCH_CHARS, hits[-1][0] + REACH_CHARS)
        return
    start = end = 0
    last = -REACH_CHARS
    for hit in hits:
        at = hit[0]
        if at - last < _CLOSE_CHARS or _is_in_tag(page, at) or not is_word(page, hit):
            continue
        if at - last > 2 * REACH_CHARS or not end:
            if end:
                yield start, end
            start = max(_beginning(page, at), end)
        last, end = at, at + REACH_CHARS
    if end:
        yield start, end


def _is_in_tag(page: str, at: int) -> bool:
    """Images are not meant: their labels count, if they are links."""
    far = at - REACH_CHARS if at > REACH_CHARS else 0
    behind = page.rfind(">", far, at)
    tag_at = page.rfind("<", far if behind < 0 else behind, at)
    return tag_at >= 0 and page[tag_at + 1] in _BEGINS_TAG and not page.startswith("img", tag_at + 1)


def _beginning(page: str, at: int) -> int:
    """Where to begin in order to know what is around a place: not within a tag."""
    start = max(0, at - REACH_CHARS)
    tag_at = page.rfind("<", max(0, start - _MAX_TAG_CHARS), start)
    return tag_at if tag_at >= 0 else start


class LinkedText:
    """The text of a stretch of a page."""

    def __init__(self, page: str, start: int, end: int) -> None:
        html = _without_marks(_up_to_a_whole_tag(page[start:end]))
        parts = _LINK.split(html, MAX_LINKS)
        # Where the attributes of each link begin.
        self._attributes_at = [at + 2 * number for number, at in enumerate(accumulate(map(len, parts), initial=start))]
        marked = [parts[0], *map(_with_end_mark, parts[1:])]
        self.text = _TAG.sub(" ", f"{_LINK_MARK}<a".join(marked))

    def links(self, words: list[Occurrence]) -> Iterator[NearLink]:
        """The links that have any of the words in them or near them."""
        words_at = [at for at, _ in words]
        numbers = [number for _, number in words]
        parts = self.text.split(_LINK_MARK)
        opens_at = len(parts[0])
        for part, attributes_at in zip(parts[1:], self._attributes_at[1:], strict=False):
            closes_at = opens_at + part.find(_END_MARK)
            first = bisect_left(words_at, opens_at)
            end = bisect_left(words_at, closes_at, first)
            are_its_own = first < end
            if not are_its_own:
                first = bisect_left(words_at, opens_at - NEAR_CHARS)
                end = bisect_left(words_at, closes_at + NEAR_CHARS, end)
            if first < end:
                yield NearLink(attributes_at, numbers[first:end], are_its_own)
            opens_at += len(part) + 1


def _up_to_a_whole_tag(html: str) -> str:
    last = html.rfind("<")
    return html[:last] if last >= 0 and html.find(">", last) < 0 and html[last + 1 : last + 2] in _BEGINS_TAG else html


def _without_marks(html: str) -> str:
    if _LINK_MARK in html or _END_MARK in html:
        return html.replace(_LINK_MARK, " ").replace(_END_MARK, " ")
    return html


def _with_end_mark(part: str) -> str:
    """What follows a link's first letters: labels of images up to its end become text, and the end is marked.

    A link that is not closed goes up to the next one.
    """
    own, _, rest = part.partition("</a>")
    if "</a" in own:
        own, *others = _ODD_END.split(own, 1)
        rest = f"{''.join(others)} {rest}"
    if "<img" in own:
        own = _IMAGE.sub(_label, own)
    return f"{own}{_END_MARK}{rest}"


def _label(image: re.Match[str]) -> str:
    labels = (found[found.lastindex or 1] for found in _ATTRIBUTE.finditer(image[0]) if found[1] in _LABELS)
    return f" {' '.join(labels)} "


def href_in(text: str, attributes_at: int) -> str:
    """What stands in the href of a tag, up to a fragment; "" if nothing does."""
    return _href(text, attributes_at).partition("#")[0]


def _href(text: str, attributes_at: int) -> str:
    plain = _PLAIN_HREF.match(text, attributes_at)
    if plain is not None:
        return plain[1]
    tag = _REST_OF_TAG.match(text, attributes_at, attributes_at + _MAX_TAG_CHARS)
    if tag is not None:
        for attribute in _ATTRIBUTE.finditer(tag[0]):
            if attribute[1].lower() == "href":
                return attribute[attribute.lastindex or 1]
    return ""
