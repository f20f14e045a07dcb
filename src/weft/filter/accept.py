"""`--accept`: pages are visited, and only some of all that is there is saved.

before the request   what says by its ending that it is no page, and matches no pattern, is not asked for
with the head        what is no page and matches no pattern is not received
at the end           of what came, only what matches becomes a file; pages of errors if a pattern names their status
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.filter.condition import Answer, Condition
from weft.filter.reach import is_file
from weft.filter.rule import UrlOnlyFilter
from weft.media.medium import may_lead
from weft.types import Refusal

NOT_ACCEPTED = "matches no --accept"


class Accepting:
    """What is saved."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._conditions = [Condition(pattern) for pattern in patterns]
        self.saves_errors = any(one.names_status for one in self._conditions)

    def saves(self, url: str, answer: Answer | None) -> bool | None:
        """Whether it becomes a file; None: that is still open."""
        found = [one.holds(url, answer) for one in self._conditions]
        if True in found:
            return True
        return None if None in found else False

    def refuses_answer(self, url: str, answer: Answer) -> str | None:
        """The rule by which an answer is of no use: it is neither to be saved, nor does it lead on."""
        if self.saves(url, answer) is not False or leads_on(answer.media_type):
            return None
        return NOT_ACCEPTED


class AcceptFilter(UrlOnlyFilter):
    """No file, as far as its URL says that it is one, which would not be saved."""

    rule = NOT_ACCEPTED

    def __init__(self, accepting: Accepting) -> None:
        self._accepting = accepting

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if depth == 0 or not is_file(url) or self._accepting.saves(url, None) is not False:
            return None
        return Refusal.PATTERN


def leads_on(media_type: str) -> bool:
    """Whether an answer is a page, by which others are found."""
    return may_lead(media_type) and media_type != "text/css"
