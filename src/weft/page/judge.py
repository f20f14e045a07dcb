"""How much a page has to do with a topic, and how much each of its links seems to.

    relevance   BM25: how often each word of the topic occurs, rarer and rarer repetitions counting less and less, for
                the length of the page. There is no state from page to page: the average length is a constant, and the
                weights stand for what each word tells.
    worths      shark-search's neighbourhood score: 0.8 × what the words of the link itself say + 0.2 × what the text
                around it says, which is everything if the link says anything.

Both are 0..1. Only what a reader sees counts: no tags, scripts, styles and comments; but the `alt` and `title` of an
image inside a link are the link's words.

The page is not parsed. Its words are looked for first (`topic_words`), and only around them is the markup looked at
(`linked_text`), once scripts and the like are blanked (`unseen`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import nlargest
from html import unescape
from typing import Final

import msgspec

from weft.order.topic import Topic
from weft.page.linked_text import MAX_LINKS, LinkedText, NearLink, href_in, stretches
from weft.page.needles import in_characters
from weft.page.topic_words import TopicWords
from weft.page.unseen import blanked

_K1: Final = 1.2
_B: Final = 0.75
_USUAL_CHARS: Final = 20_000  # of a page's HTML without its scripts
_BETA: Final = 0.8
_FULL_MARKS: Final = 3  # so many of the topic's best words in a link are all that can be asked of it

_MAX_CHARS: Final = 10_000_000


class Judgement(msgspec.Struct, frozen=True):
    """Of one page: its relevance to the topic, and the worth of each link that has any."""

    relevance: float = 0.0
    worths: dict[str, float] = {}


_NOTHING: Final = Judgement()


class TopicJudge:
    """Judges pages by one topic."""

    def __init__(self, topic: Topic) -> None:
        self._words = TopicWords(topic)
        weights = [weight for _, weight in topic.words]
        self._weights = weights
        self._all_weights = sum(weights)
        self._full_marks = sum(nlargest(_FULL_MARKS, weights))

    def judge(self, text: str, resolve: Callable[[str], str | None]) -> Judgement:
        """Judge a page by its HTML; `resolve` makes a URL of what stands in a link, None if it is broken."""
        data = text[:_MAX_CHARS].encode("utf-8", "replace").lower()  # so that every character keeps its place
        hits = self._words.find(data)
        if not hits:
            return _NOTHING
        lower = data.decode()
        page, unseen_chars = blanked(data, lower)
        counts: Counter[int] = Counter()
        worths: dict[str, float] = {}  # by what stands in the link
        for start, end in stretches(page, in_characters(data, hits), self._words.may_be_at):
            around = LinkedText(page, start, end)
            found = self._words.occurrences(around.text)
            counts.update(word for _, word in found)
            for link in around.links(found):
                if len(worths) < MAX_LINKS and (href := href_in(text, link.attributes_at)):
                    worths[href] = max(self._worth(link), worths.get(href, 0.0))
        return Judgement(self._relevance(counts, len(page) - unseen_chars), _resolved(worths, resolve))

    def _relevance(self, counts: Counter[int], page_chars: int) -> float:
        k = _K1 * (1 - _B + _B * page_chars / _USUAL_CHARS)
        return sum(self._weights[word] * count / (count + k) for word, count in counts.items()) / self._all_weights

    def _worth(self, link: NearLink) -> float:
        score = min(1.0, sum(map(self._weights.__getitem__, set(link.words))) / self._full_marks)
        return _BETA * score + (1 - _BETA) if link.are_its_own else (1 - _BETA) * score


def _resolved(worths: dict[str, float], resolve: Callable[[str], str | None]) -> dict[str, float]:
    """By URL: of several links to one, the best counts."""
    resolved: dict[str, float] = {}
    for href, worth in worths.items():
        url = resolve(unescape(href) if "&" in href else href)
        if url is not None:
            resolved[url] = max(worth, resolved.get(url, 0.0))
    return resolved
