"""A user's own filter, by import path."""

from __future__ import annotations

import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from weft.errors import BadInput
from weft.filter.rule import Stage, UrlFilter
from weft.function_kinds import is_async, is_generator
from weft.import_path import load
from weft.types import Link, Refusal

MAX_ERRORS_REPORTED = 20
_NO_ANSWER = (Awaitable, Iterator, AsyncIterator)  # they are always true, and have judged nothing yet


class UserFilter(UrlFilter):
    """Puts a user's function or object into the form of a filter: it answers with a Refusal, or with what is true.

    Whatever it does, the page on which its link stands goes its way.
    """

    def __init__(self, found: object, refuses: Callable[[Link], object], stage: Stage, path: str) -> None:
        self.stage = stage
        self.bounds_scope = isinstance(found, UrlFilter) and found.bounds_scope
        self._found = found
        self._refuses = refuses
        self.rule = path
        self._errors = 0

    def refuses(self, link: Link) -> Refusal | None:
        try:
            answer = self._refuses(link)
            if isinstance(answer, Refusal):
                return answer
            if isinstance(answer, _NO_ANSWER):
                raise TypeError(f"it answered with a {type(answer).__name__}, which is neither yes nor no")
            return Refusal.USER if answer else None  # as `if` has it: a match of a regular expression is a yes
        except (Exception, SystemExit):  # whatever a user's code raises: it goes to the log, and the crawl goes on
            self._report()
            return Refusal.USER  # what cannot be judged is not visited

    def rule_of(self, url: str, host: str, depth: int) -> str:
        if isinstance(self._found, UrlFilter):
            try:
                return str(self._found.rule_of(url, host, depth)) or self.rule
            except (Exception, SystemExit):  # likewise
                self._report()
        return self.rule

    def _report(self) -> None:
        if self._errors < MAX_ERRORS_REPORTED:
            print(f"the filter {self.rule!r} failed, so the link is refused:", file=sys.stderr)
            traceback.print_exc()
        self._errors += 1


def load_filter(path: str) -> UrlFilter:
    """Load `package.module:Name`: a class or object with a method `refuses`, or a function of a link.

    A class is made without arguments. Raises BadInput when there is no such thing, or it is no filter.
    """
    found = load(path, "the filter")
    if isinstance(found, type):
        found = _make(found, path)
    refuses = getattr(found, "refuses", found)
    if not callable(refuses):
        raise BadInput(f"the filter {path!r} is neither a function nor has it a method 'refuses'")
    if is_async(refuses) or is_generator(refuses):
        raise BadInput(f"the filter {path!r} must answer at once: write it with def, and without yield")
    return UserFilter(found, refuses, _stage_of(found, path), path)


def _make(filter_class: type, path: str) -> Any:
    if not callable(getattr(filter_class, "refuses", None)):
        raise BadInput(f"the filter class {path!r} has no method 'refuses'")
    try:
        return filter_class()
    except TypeError as error:
        raise BadInput(f"the filter class {path!r} cannot be made without arguments: {error}") from error


def _stage_of(found: object, path: str) -> Stage:
    stage = getattr(found, "stage", Stage.SCHEDULE)
    try:
        return Stage(stage)
    except ValueError:
        raise BadInput(f"the filter {path!r} has the unknown stage {stage!r}") from None
