"""What a pattern says, of a URL and of its answer.

    *.pdf              the URL (`pattern`)
    type:image/*       the media type that the server tells, known with the answer's head
    size>10M           how long the body is, known with the head, or as soon as that much has come
    status:404         the status: 4* are all of its hundred, * all, !404 all others. For --accept alone
    *.zip size>10M     both: what stands between spaces must all hold
    /a b/*             or is a URL with a space in it

Only a pattern with a status holds for pages of errors. Before the answer, what depends on it is open: None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from weft.errors import BadInput
from weft.filter.pattern import LONGEST_TOLD, matcher_of
from weft.media.endings import usual_name
from weft.regex import regex
from weft.settings.units import Unit, measured

TYPE: Final = "type:"
STATUS: Final = "status:"
_SIZE = regex(r"size([<>])(.*)", re.IGNORECASE)
_NUMBER = regex(r"\d{1,18}")
_STATUS = regex(r"(!?)([1-5](?:\d\d|\d?\*)|\*)")
ERROR: Final = 400  # the first status of one


class Answer(NamedTuple):
    """What is known of an answer."""

    media_type: str  # in lower case; empty when the server does not tell
    size_bytes: int | None  # of the whole body; None as long as nobody knows
    received_bytes: int = 0
    status: int = 200


_Holds = Callable[[str, Answer | None], bool | None]


class Condition:
    """One pattern as a person wrote it. BadInput for what is none."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        words = [pattern] if pattern.startswith("re:") else pattern.split() or [pattern]
        of_answer = [of for of in map(_of_answer, words) if of is not None]
        self.needs_answer = bool(of_answer)
        self.names_status = any(map(_is_status, words))
        self.matches: Callable[[str], object] | None = None  # the URL alone; None: any
        url_words = [word for word in words if _of_answer(word) is None]
        if url_words:
            self.matches = matcher_of(url_words[0]) if len(url_words) == 1 else _all_or_joined(url_words)
        self._of_answer = of_answer

    def holds(self, url: str, answer: Answer | None) -> bool | None:
        """Whether it holds; None: that depends on what is not known yet."""
        if self.matches is not None and not self.matches(url):
            return False
        if answer is not None and answer.status >= ERROR and not self.names_status:
            return False
        found = [holds(answer) for holds in self._of_answer]
        if False in found:
            return False
        return None if None in found else True


def _all_or_joined(words: list[str]) -> Callable[[str], object]:
    """Several patterns that must hold, or one with spaces in it: no URL is like to be meant by both."""
    of_words, joined = [matcher_of(word) for word in words], matcher_of(" ".join(words))
    return lambda url: all(matches(url) for matches in of_words) or joined(url)


def is_of_answer(pattern: str) -> bool:
    """Whether it takes an answer to know if a pattern holds."""
    return not pattern.startswith("re:") and any(_of_answer(word) is not None for word in pattern.split())


def _of_answer(word: str) -> Callable[[Answer | None], bool | None] | None:
    """What a word of a pattern says of an answer; None if it is about the URL."""
    if word[: len(TYPE)].lower() == TYPE:
        return _type(word[len(TYPE) :].lower())
    if _is_status(word):
        return _status(word[len(STATUS) :])
    if (size := _SIZE.fullmatch(word)) is not None:
        return _size(size[1], size[2], word)
    if word[:1] in ("<", ">"):  # size > 10M; no URL has these
        raise BadInput(f"a size looks like size>10M, without spaces, not {word[:LONGEST_TOLD]!r}")
    return None


def _is_status(word: str) -> bool:
    return word[: len(STATUS)].lower() == STATUS


def _status(wanted: str) -> Callable[[Answer | None], bool | None]:
    found = _STATUS.fullmatch(wanted)
    if found is None:
        raise BadInput(f"a status looks like 404, 4*, * or !200, not {wanted[:LONGEST_TOLD]!r}")
    begins, is_not = found[2].rstrip("*"), bool(found[1])
    return lambda answer: None if answer is None else str(answer.status).startswith(begins) != is_not


def _type(wanted: str) -> Callable[[Answer | None], bool | None]:
    if ("/" not in wanted and wanted != "*") or wanted.count("*") > 3:
        raise BadInput(f"a media type looks like image/png or image/*, not {wanted[:LONGEST_TOLD]!r}")
    glob = re.compile(".*".join(map(re.escape, re.sub(r"\*+", "*", wanted).split("*"))))

    def holds(answer: Answer | None) -> bool | None:
        if answer is None:
            return None
        return bool(glob.fullmatch(answer.media_type) or glob.fullmatch(usual_name(answer.media_type)))

    return holds


def _size(sign: str, written: str, word: str) -> Callable[[Answer | None], bool | None]:
    amount = float(written) if _NUMBER.fullmatch(written) else measured(written, Unit.SIZE)
    if amount is None:
        raise BadInput(f"a size looks like size>10M or size<500k, not {word[:LONGEST_TOLD]!r}")

    def holds(answer: Answer | None) -> bool | None:
        if answer is None:
            return None
        if answer.size_bytes is not None:
            return answer.size_bytes > amount if sign == ">" else answer.size_bytes < amount
        if answer.received_bytes > amount:
            return sign == ">"
        return None

    return holds
