"""Finds a topic's words in the text of a page, markup and all.

A page without any must cost almost nothing. So all words are looked for at once in the bytes of the text, with its
ASCII letters in lower case (`str.lower` takes ten times as long where a page has other letters). What is found there
is looked at more closely: by a word's pattern, "rust" is not in "trust", and "crawler" is in "crawlers".

    topic word       needles                          pattern, in short
    crawler          crawler                          crawler(s|ed|ing …)? between no letters
    memory safety    memory                           memory safety, any white space between
    café             café CAFÉ caf&eacute; caf&#233;  any of these
    爬虫             爬虫 &#29228;&#34411; …          any of these, anywhere: no spaces part the words of Chinese

A pattern has no way to backtrack further than a word's length.
"""

from __future__ import annotations

import re
from functools import reduce
from html.entities import codepoint2name

from weft.order.topic import UNSPACED, Topic
from weft.page.needles import Hit, Needles, in_characters
from weft.regex import regex

_LETTER = rf"[^\W\d_{UNSPACED}]"
_IS_LETTER = regex(_LETTER)
_BETWEEN_WORDS = r"(?:\s|&nbsp;){1,20}"

Occurrence = tuple[int, int]  # where, and the number of the word


class TopicWords:
    """The words of one topic, made ready to be found."""

    def __init__(self, topic: Topic) -> None:
        words = [word for word, _ in topic.words]
        self._patterns = [_compiled(word).match for word in words]
        self._firsts = [_compiled(word.split()[0]).match for word in words]
        needles = sorted({needle for word in words for needle in _needles(word)})
        # A needle that is found may be the beginning of another one that is not.
        self._words_by_needle = [
            [number for number, word in enumerate(words) if any(map(needle.startswith, _needles(word)))]
            for needle in needles
        ]
        self._needles = Needles(needles)

    def find(self, data: bytes) -> list[Hit]:
        """Where in a page, whose ASCII letters are in lower case, words may be."""
        return self._needles.find(data)

    def may_be_at(self, page: str, hit: Hit) -> bool:
        """Whether a word or the first one of a phrase stands there; whatever markup follows."""
        at, needle = hit
        for word in self._words_by_needle[needle]:  # noqa: SIM110 — `any` takes twice as long
            if self._firsts[word](page, at):
                return True
        return False

    def occurrences(self, text: str) -> list[Occurrence]:
        """The words that do stand in a text without markup, in lower case, too."""
        words_by_needle, patterns = self._words_by_needle, self._patterns
        data = text.encode()
        hits = in_characters(data, self._needles.find(data))
        return [(at, word) for at, needle in hits for word in words_by_needle[needle] if patterns[word](text, at)]


def _needles(word: str) -> set[bytes]:
    """What of a word is looked for first, in all its forms: its unchanging beginning, or a phrase's first word."""
    first = word.split()[0] if " " in word else _stem(word)[0]
    cases = (first,) if first.isascii() else (first, first.capitalize(), first.upper())
    return {form.encode().lower() for case in cases for form in _forms(case)}


def _compiled(word: str) -> re.Pattern[str]:
    return re.compile(_pattern(word), re.NOFLAG if word.isascii() else re.IGNORECASE)


def _pattern(word: str) -> str:
    *before, last = word.split()
    stem, endings = _stem(last) if not before else (last, "(?:e?s)?")
    parts = [*(_any_form(part) for part in before), _any_form(stem) + endings]
    at_start = rf"(?<!{_LETTER})" if _IS_LETTER.match(word[0]) else ""
    at_end = rf"(?!{_LETTER})" if _IS_LETTER.match(word[-1]) else ""
    return at_start + _BETWEEN_WORDS.join(parts) + at_end


def _stem(word: str) -> tuple[str, str]:
    """A word without the ending that changes, and a pattern of what may stand there: the common ones of English."""
    if not (word.isascii() and word.isalpha() and len(word) >= 4):
        return word, ""
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 4:
        word = word.removesuffix("ies") + "y" if word.endswith("ies") else word.removesuffix("s")
    if word.endswith("e"):
        return word[:-1], "(?:e[sdr]?|ers|ing)"
    if word.endswith("y"):
        return word[:-1], "(?:ys?|ie[sd]|ying)"
    return word, f"(?:e?s|{word[-1]}?(?:ed|ers?|ing))?"


def _forms(word: str) -> list[str]:
    """A word as it may stand in HTML: as it is, and with character references."""
    escaped = reduce(lambda form, pair: form.replace(*pair), (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")), word)
    if word.isascii():
        return list(dict.fromkeys((word, escaped)))
    named = "".join(f"&{codepoint2name[ord(each)]};" if ord(each) in codepoint2name else each for each in word)
    decimal = "".join(each if each.isascii() else f"&#{ord(each)};" for each in escaped)
    hexadecimal = "".join(each if each.isascii() else f"&#x{ord(each):x};" for each in escaped)
    return list(dict.fromkeys((word, escaped, named, decimal, hexadecimal)))


def _any_form(word: str) -> str:
    forms = _forms(word)
    return re.escape(word) if len(forms) == 1 else f"(?:{'|'.join(map(re.escape, forms))})"
