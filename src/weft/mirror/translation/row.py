"""A flag of another program, and what becomes of a command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from weft.errors import BadInput
from weft.regex import regex

Flags = list[str]
# A word that is no flag, URL, host or rule: the name of another program.
_IS_PROGRAM = regex(r"(?!-|localhost$)[\w/-]+(?:\.exe)?")
Make = Callable[[str], Flags]


class Row(NamedTuple):
    """One flag: all its names, weft's way or why there is none, and what makes weft's flags of its value."""

    names: str  # as its help has them: "-l, --level"
    way: str
    make: Make | None = None  # None: nothing need be said to weft, or nothing can be
    is_missing: bool = False  # weft cannot do this
    takes_value: bool = False

    @property
    def all_names(self) -> list[str]:
        """Each of its names."""
        return [name.strip() for name in self.names.split(",")]


class Translation(msgspec.Struct):
    """What weft would be told."""

    flags: Flags = []
    urls: list[str] = []
    remarks: list[str] = []  # on flags that weft needs no word for, or has none for

    def text(self) -> str:
        """The command, and a line for each remark."""
        words = ["weft", "mirror", *self.urls, *self.flags]
        return "\n".join([shlex.join(words), *(f"# {remark}" for remark in self.remarks)])


def words_of(text: str, program: str) -> list[str]:
    """The words of a command line, without the program's name; BadInput if it is none."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"that is no command line: {str(error).lower()}") from None
    if words and words[0].rpartition("/")[2] in (program, f"{program}2"):
        words = words[1:]
    elif words and _IS_PROGRAM.fullmatch(words[0]):
        raise BadInput(f"that is a command line of {words[0][:100]}, and one of {program} is wanted")
    if not words:
        raise BadInput(f"a command line of {program} is wanted, as '{program} -r https://example.org/'")
    return words


def whole(value: str, flag: str) -> int:
    """A whole number; BadInput if it is none."""
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise BadInput(f"{flag} needs a whole number, not {value[:100]!r}")
    return int(value)


def said(row: Row, flag: str) -> str:
    """The remark on a flag."""
    return f"{flag}: {row.way}"


def names_in(text: str) -> frozenset[str]:
    """Names between spaces."""
    return frozenset(text.split())
