"""Where the marks of emphasis would be text.

CommonMark lets a run of `*` begin only before a word and end only after one. Beside punctuation it wants white space or
punctuation on the other side, so the two marks of `<b>Ende.</b>und` would stay on the page as stars. Chinese has no
spaces between its words, and many such places. There the words are written without the marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Final

_ASCII_MARKS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_MOST_PASSES: Final = 4  # dropping a mark changes what the next one stands beside


def drop_marks_that_would_be_text(parts: list[str], pairs: list[tuple[int, int]]) -> None:
    """Empty the parts of a line that are no mark where they stand; `pairs` says where marks begin and end."""
    other = dict(pairs) | {end: start for start, end in pairs}
    for _ in range(_MOST_PASSES):
        places = [place for place in sorted(other) if parts[place]]
        runs = list(_runs(parts, places))
        run_of = {place: number for number, run in enumerate(runs) for place in run}
        dropped = [place for run in runs for place in _no_marks(parts, run, other, run_of)]
        if not dropped:
            return
        for place in dropped:
            parts[place] = parts[other[place]] = ""
    for place in other:
        parts[place] = ""


def _runs(parts: list[str], places: list[int]) -> Iterator[list[int]]:
    """Marks of one kind with nothing between them, which Markdown reads as one."""
    number = 0
    numbers = []
    for index, place in enumerate(places):
        if index and (parts[place][0] != parts[places[index - 1]][0] or any(parts[places[index - 1] + 1 : place])):
            number += 1
        numbers.append(number)
    for _, run in groupby(zip(numbers, places, strict=True), key=lambda numbered: numbered[0]):
        yield [place for _, place in run]


def _no_marks(parts: list[str], run: list[int], other: dict[int, int], run_of: dict[int, int]) -> list[int]:
    opening = [place for place in run if other[place] > place]
    if opening and len(opening) < len(run):
        return opening  # one ends where the next begins
    if len({run_of[other[place]] for place in run}) > 1:  # they begin together and do not end so, or the reverse
        return run[1:] if opening else run[:-1]
    before = _char_before(parts, run[0])
    after = _char_after(parts, run[-1])
    inner, outer = (after, before) if opening else (before, after)
    return [] if not inner.isspace() and (not _is_punctuation(inner) or _is_free(outer)) else run


def _char_before(parts: list[str], place: int) -> str:
    while place and not parts[place - 1]:
        place -= 1
    if not place:
        return " "
    # Code is without its backticks yet.
    return parts[place - 1][-1] if type(parts[place - 1]) is str else "`"


def _char_after(parts: list[str], place: int) -> str:
    place += 1
    while place < len(parts) and not parts[place]:
        place += 1
    if place == len(parts):
        return " "
    return parts[place][0] if type(parts[place]) is str else "`"


def _is_punctuation(char: str) -> bool:
    return char in _ASCII_MARKS if char.isascii() else unicodedata.category(char)[0] in "PS"


def _is_free(char: str) -> bool:
    """Symbols are punctuation in new versions of CommonMark only, so nobody may rely on them."""
    return char.isspace() or (char in _ASCII_MARKS if char.isascii() else unicodedata.category(char)[0] == "P")
