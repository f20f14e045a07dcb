"""The user's patterns: `--include` and `--exclude`, or `--rule`, which are read in order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from weft.errors import BadInput
from weft.filter.condition import Answer, Condition, is_of_answer
from weft.filter.pattern import LONGEST_TOLD
from weft.filter.rule import UrlOnlyFilter
from weft.types import Refusal

NOT_INCLUDED = "matches no --include"


class Patterns(UrlOnlyFilter):
    """Patterns for a crawl. What is still open when a link is found, the answer's head decides."""

    needs_answer: bool = False  # some of them are about the answer

    @abstractmethod
    def refuses_answer(self, url: str, host: str, answer: Answer | None) -> str | None:
        """The rule by which an answer is not wanted; None if it is, or that is still open."""

    def is_wanted_beyond(self, url: str, host: str) -> bool:
        """Whether a rule asks for a URL by its name, wherever it is."""
        return False


class PatternFilter(Patterns):
    """Nothing that matches an `exclude` pattern; if there are `include` patterns, nothing that matches none.

    Seeds (depth 0) need not match `include`: they were asked for by name, and the way to what does match
    often begins at a page that does not.
    """

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
        self._include = [_condition(pattern) for pattern in include]
        self._exclude = [_condition(pattern) for pattern in exclude]
        self.needs_answer = any(one.needs_answer for one in (*self._include, *self._exclude))
        # Hot: of the URL alone.
        self._includes = [one.matches for one in self._include if one.matches is not None and not one.needs_answer]
        self._excludes = [one.matches for one in self._exclude if one.matches is not None and not one.needs_answer]
        self._must_be_included = bool(self._include)
        self._later = [one for one in self._include if one.needs_answer]

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        for excludes in self._excludes:
            if excludes(url):
                return Refusal.PATTERN
        if not self._must_be_included or depth == 0:
            return None
        for includes in self._includes:
            if includes(url):
                return None
        if self._later and any(one.holds(url, None) is not False for one in self._later):
            return None
        return Refusal.PATTERN

    def refuses_answer(self, url: str, host: str, answer: Answer | None) -> str | None:
        for one in self._exclude:
            if one.holds(url, answer):
                return one.text
        if not self._include or any(one.holds(url, answer) is not False for one in self._include):
            return None
        return NOT_INCLUDED

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return next((one.text for one in self._exclude if one.holds(url, None)), NOT_INCLUDED)


class OrderedRules(Patterns):
    """`+PATTERN` and `-PATTERN`: of all that match, the last decides; where none does, the scope.

    A `+` asks for what it names wherever that is, also out of scope.
    """

    def __init__(self, rules: Iterable[str]) -> None:
        self._last_first = [(rule[:1] == "+", _of_rule(rule), rule) for rule in rules][::-1]
        self.needs_answer = any(condition.needs_answer for _, condition, _ in self._last_first)

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if depth == 0:
            return None
        return Refusal.PATTERN if self._decides(url, None)[0] is False else None

    def refuses_answer(self, url: str, host: str, answer: Answer | None) -> str | None:
        wants, rule = self._decides(url, answer)
        return rule if wants is False else None

    def is_wanted_beyond(self, url: str, host: str) -> bool:
        return self._decides(url, None)[0] is True

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return self._decides(url, None)[1]

    def _decides(self, url: str, answer: Answer | None) -> tuple[bool | None, str]:
        """Whether the rules want it, and which rule says so; None: none does, or that is still open."""
        may_be_wanted = False
        for wants, condition, rule in self._last_first:
            holds = condition.holds(url, answer)
            if holds is None:
                may_be_wanted = may_be_wanted or wants
            elif holds:
                return (None, "") if may_be_wanted and not wants else (wants, rule)
        return None, ""


def check_pattern(pattern: str) -> None:
    """BadInput for what is no pattern. Quicker than to make what matches it: most are no regular expressions."""
    if not pattern.strip() or pattern.startswith("re:") or is_of_answer(pattern):
        _condition(pattern)


def _condition(pattern: str) -> Condition:
    """What is to be visited. An error is known when it is too late for that."""
    made = Condition(pattern)
    if made.names_status:
        raise BadInput(f"a status is a matter of --accept, which says what is saved, not of {pattern[:LONGEST_TOLD]!r}")
    return made


def _of_rule(rule: str) -> Condition:
    if rule[:1] not in ("+", "-"):
        raise BadInput(f"a rule begins with + or -, as '+*.pdf' or '-*/old/*', not as {rule[:LONGEST_TOLD]!r}")
    return _condition(rule[1:])
