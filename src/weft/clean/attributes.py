"""Which attributes go."""

from __future__ import annotations

from collections.abc import Iterable

from turbohtml import Document

from weft.clean.rules import Rules


class AttributeDeletion:
    """The rules for attributes."""

    __slots__ = ("_dropped", "_kept", "is_needed")

    def __init__(self, rules: Rules) -> None:
        self._kept = _Names(rules.keep_attributes)
        self._dropped = _Names(rules.drop_attributes)
        # What makes a page safe looks at every attribute anyway, and knows which are kept.
        keeps_all = rules.safe or "*" in rules.keep_attributes
        self.is_needed = bool(rules.drop_attributes) or not keeps_all

    def apply(self, document: Document) -> None:
        """Delete attributes from all elements."""
        goes: dict[str, bool] = {}  # a page has few names of attributes, each many times
        for element in document.select("*"):
            attributes = element.attrs
            for name in tuple(attributes):
                if (gone := goes.get(name)) is None:
                    gone = goes[name] = name not in self._kept or name in self._dropped
                if gone:
                    del attributes[name]


class _Names:
    """Whole names and beginnings of names, whatever their case."""

    __slots__ = ("_beginnings", "_whole")

    def __init__(self, patterns: Iterable[str]) -> None:
        patterns = [pattern.lower() for pattern in patterns]
        self._whole = frozenset(pattern for pattern in patterns if not pattern.endswith("*"))
        self._beginnings = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))

    def __contains__(self, name: str) -> bool:
        name = name.lower()
        return name in self._whole or name.startswith(self._beginnings)
