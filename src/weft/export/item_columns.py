"""The columns of a table of items, learnt by reading all of them once.

An item is any JSON. Of an object each key is a column, in the order in which keys are first met; anything else stands
in a column `value`. What a column is follows from all of its values:

    truth      only true and false
    whole      whole numbers of at most 64 bits
    number     numbers, which a double holds exactly where they are whole
    text       everything else: texts as they are, other values as JSON

A table has at most MAX_COLUMNS columns: keys that are met after that many go together, as a JSON object, into one more
column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, Final

import msgspec

from weft.errors import FolderError

MAX_COLUMNS: Final = 1000  # SQLite takes 2,000
VALUE: Final = "value"
REST: Final = "more"
INT64: Final = range(-(2**63), 2**63)
EXACT_IN_DOUBLE: Final = range(-(2**53), 2**53 + 1)

Pieces = Callable[[], Iterator[bytes]]  # the lines of items, some at once, each with its line feed; can be had again
Item = dict[str, Any]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class Shape(Enum):
    """What a column holds."""

    TRUTH = "truth"
    WHOLE = "whole"
    NUMBER = "number"
    TEXT = "text"


class Column:
    """A column, and what its values have been so far."""

    __slots__ = ("_has_double", "_has_odd", "_has_text", "_has_truth", "_has_whole", "key", "name")

    def __init__(self, key: str) -> None:
        self.key = key
        self.name = key  # in the table: another one where two would be the same there
        self._has_truth = self._has_whole = self._has_double = self._has_odd = self._has_text = False

    def add(self, value: object) -> None:
        """Another value."""
        if type(value) is str:
            self._has_text = True
        elif type(value) is bool:
            self._has_truth = True
        elif type(value) is int:
            self._has_whole = True
            self._has_odd = self._has_odd or value not in EXACT_IN_DOUBLE
            self._has_text = self._has_text or value not in INT64
        elif type(value) is float:
            self._has_double = True
        elif value is not None:
            self._has_text = True

    @property
    def shape(self) -> Shape:
        """What it holds."""
        has_number = self._has_whole or self._has_double
        if self._has_text or (self._has_truth and has_number) or (self._has_double and self._has_odd):
            return Shape.TEXT
        if self._has_double:
            return Shape.NUMBER
        if self._has_whole:
            return Shape.WHOLE
        return Shape.TRUTH if self._has_truth else Shape.TEXT

    @property
    def is_mixed(self) -> bool:
        """Whether texts stand beside values of other kinds."""
        return self.shape is Shape.TEXT and (self._has_truth or self._has_whole or self._has_double)


class ItemTable:
    """The columns of some items, and the items as rows."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._columns: dict[str, Column] = {}
        self._rest: Column | None = None
        self.count = 0
        for item in self._items():
            self.count += 1
            for key, value in item.items():
                self._column(key).add(value)
        if not self._columns:
            self._column(VALUE)
        self.columns: Final = [*self._columns.values(), *([self._rest] if self._rest else [])]

    def rows(self) -> Iterator[list[Any]]:
        """The values of each item, in the order of the columns; None where it has none."""
        keys = list(self._columns)
        for item in self._items():
            row = [item.get(key) for key in keys]
            if self._rest is not None:
                rest = {key: value for key, value in item.items() if key not in self._columns}
                row.append(rest or None)
            yield row

    def _items(self) -> Iterator[Item]:
        line = 0
        for piece in self._pieces():
            for text in piece.split(b"\n"):
                if text:
                    line += 1
                    yield _item(text, line)

    def _column(self, key: str) -> Column:
        column = self._columns.get(key)
        if column is not None:
            return column
        if len(self._columns) < MAX_COLUMNS:
            column = self._columns[key] = Column(key)
            return column
        if self._rest is None:
            self._rest = Column(REST)
            self._rest.add({})
            self._rest.name = unused_name(REST, self._columns)
        return Column("")  # its shape does not matter


def text_of(value: object) -> str:
    """A value in a column of texts: a text as it is, another value as JSON."""
    return value if isinstance(value, str) else _encode(value).decode()


def unused_name(wanted: str, taken: Iterable[str]) -> str:
    """A name that is not among these: with a number behind it, if need be."""
    names, name, number = set(taken), wanted, 1
    while name in names:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _item(text: bytes, line: int) -> Item:
    try:
        found = _decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise FolderError(f"line {line:,} of the items is no JSON: {error}") from error
    return found if isinstance(found, dict) else {VALUE: found}
