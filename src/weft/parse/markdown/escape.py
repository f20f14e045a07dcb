"""Text that Markdown would read as marks, written so that it stays text.

Only where it would: `snake_case`, `2 * 3`, `a < b` and `Smith & Sons` are as they were. What stands at the edge of a
piece of text is escaped where a neighbour could make a mark of it.
"""

from __future__ import annotations

import re
from typing import Final

from weft.regex import regex

MAYBE_MARKS: Final = regex(r"[\\`*_\[\]<&~]")
_ASCII_MARKS: Final = r"""!-/:-@\[-`{-~"""
_MARKS: Final = rf"""
    \\(?=[{_ASCII_MARKS}]|\Z)
    | `
    | (?<!\s)\*+ | \*+(?!\s) | \A\*+ | \*+\Z
    | (?<![^\W_])_+ | _+(?![^\W_])
    | \](?=[(\[:]|\Z)
    | <(?=[A-Za-z/!?]|\Z)
    | &(?=\#?\w{{1,40}};|[\#\w]*\Z)
    | ~{{2,}} | \A~ | ~\Z
    """
_MARK: Final = regex(_MARKS, re.VERBOSE)
_MARK_IN_LINK: Final = regex(rf"{_MARKS} | [\[\]]", re.VERBOSE)
_LINE_START: Final = regex(
    r"""
    (?: \#{1,6} | [-+*] ) (?=\s|\Z) | > | =+\s*\Z | -+\s*\Z | [:|\s]*-[-:|\s]*\Z | ([*_-])(?:\s*\1){2,}\s*\Z
    | (?P<number> \d{1,9}) (?=[.)](?:\s|\Z))
    """,
    re.VERBOSE,
)
_MAYBE_LINE_START: Final = frozenset("#-+*>=|:_0123456789")
_DEFINITION: Final = regex(r"\[(?:[^\[\]\\]|\\.){0,1000}\]:")
_URL_MARK: Final = regex(r"[\\<>]|&(?=#?\w{1,40};)")
_NOT_IN_URL: Final = regex(r"[\s\x00-\x1f\x7f]")
_BACKTICKS: Final = regex("`+")


def escaped(text: str, *, in_link: bool = False) -> str:
    """Text of one line, without white space at its ends."""
    if not MAYBE_MARKS.search(text):
        return text
    marks = _MARK_IN_LINK if in_link else _MARK
    return marks.sub(lambda found: "".join(f"\\{mark}" for mark in found[0]), text)


def escaped_line_start(line: str) -> str:
    """A line that begins neither a heading, a list, a quotation nor a rule."""
    if line.startswith("[") and "]:" in line and _DEFINITION.match(line):
        return f"\\{line}"
    if line[:1] not in _MAYBE_LINE_START or not (found := _LINE_START.match(line)):
        return line
    if number := found["number"]:
        return f"{number}\\{line[len(number) :]}"
    if line[0] in "|: ":  # the second line of a table, if it is the second
        return line.replace("-", r"\-", 1)
    return f"\\{line}"


def link_target(url: str) -> str:
    """A URL in the parentheses of a link."""
    url = _NOT_IN_URL.sub(lambda found: f"%{ord(found[0]):02X}" if found[0] < "\x80" else "", url)
    url = _URL_MARK.sub(r"\\\g<0>", url)
    return url if _is_balanced(url) else url.replace("(", r"\(").replace(")", r"\)")


def _is_balanced(url: str) -> bool:
    if "(" not in url and ")" not in url:
        return True
    deep = 0
    for char in url:
        deep += (char == "(") - (char == ")")
        if not 0 <= deep <= 8:
            return False
    return deep == 0


def code_span(code: str) -> str:
    """Code within a line."""
    if "`" not in code:
        return f"`{code}`"
    fence = fence_around(code, 1)
    return f"{fence} {code} {fence}"


def fence_around(code: str, shortest: int) -> str:
    """Backticks, more of them than stand anywhere in this code."""
    lengths = {len(run) for run in _BACKTICKS.findall(code)}
    return "`" * max(shortest, max(lengths, default=0) + 1)
