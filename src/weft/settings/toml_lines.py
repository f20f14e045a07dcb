"""Where keys stand in a TOML file. `tomllib` does not say; this finds them as people write them."""

from __future__ import annotations

from typing import Final

from weft.regex import regex

_NAME: Final = r"""(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_PATH: Final = rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*"
_HEADER: Final = regex(rf"\s*\[{_PATH}\]")
_KEY: Final = regex(rf"{_PATH}=")
_PART: Final = regex(_NAME)

Lines = dict[tuple[str, ...], int]


def lines_in(text: str) -> Lines:
    """The line of each table and key, by all its names from the outermost on; a line that was not understood is not
    told, and one inside of a long text may be told for a key.
    """
    found: Lines = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def place(path: object, lines: Lines, *names: str) -> str:
    """A file, with the line of what has these names in it where that is known."""
    number = lines.get(names)
    return f"{path}" if number is None else f"{path}, line {number}"


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _PART.findall(path))
