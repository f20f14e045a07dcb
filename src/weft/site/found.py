"""Findings while they are gathered: some 30 bytes each, as a whole site may have the same fault."""

from __future__ import annotations

from array import array

from weft.site.findings import FindingKind
from weft.site.pages import NOWHERE


class Kept:
    """The findings of one kind, in columns."""

    def __init__(self) -> None:
        self.subjects = array("I")
        self.weights = array("d")  # the greatest comes first
        self.details: list[str] = []
        self.others: list[int | str] = []  # a subject, or a URL that is none


class Found:
    """All kinds."""

    def __init__(self) -> None:
        self._kept: dict[FindingKind, Kept] = {}
        self._texts: dict[str, str] = {"": ""}  # details that come again and again

    def add(
        self, kind: FindingKind, subject: int, detail: str = "", other: int | str = NOWHERE, weight: float = 0.0
    ) -> None:
        """One more; each subject once a kind."""
        kept = self.of(kind)
        kept.subjects.append(subject)
        kept.weights.append(weight)
        kept.details.append(self._texts.setdefault(detail, detail))
        kept.others.append(other)

    def of(self, kind: FindingKind) -> Kept:
        """Those of a kind."""
        if kind not in self._kept:
            self._kept[kind] = Kept()
        return self._kept[kind]

    def count(self, kind: FindingKind) -> int:
        """How many there are."""
        return len(self._kept[kind].subjects) if kind in self._kept else 0

    def subjects(self) -> set[int]:
        """What they are about."""
        return {subject for kept in self._kept.values() for subject in kept.subjects}
