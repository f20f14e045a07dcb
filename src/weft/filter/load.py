"""A user's own filter, by import path."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

from weft.errors import BadInput
from weft.filter.rule import Stage, UrlFilter
from weft.import_path import load
from weft.types import Link, Refusal

MAX_ERRORS_REPORTED = 20


class UserFilter(UrlFilter):
    """Puts a user's function or object into the form of a filter; it may answer simply True or False."""

    def __init__(self, refuses: Callable[[Link], object], stage: Stage, path: str) -> None:
        self.stage = stage
        self._refuses = refuses
        self.rule = path
        self._errors = 0

    def refuses(self, link: Link) -> Refusal | None:
        try:
            answer = self._refuses(link)
        except Exception:  # whatever a user's code raises: it goes to the log, and the crawl goes on
            self._report()
            return Refusal.USER  # what cannot be judged is not visited
        if answer is None or answer is False:
            return None
        if answer is True:
            return Refusal.USER
        if isinstance(answer, Refusal):
            return answer
        raise BadInput(f"the filter {self.rule!r} answered {answer!r}: it must be True, False, None or a Refusal")

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
    if isinstance(found, UrlFilter):
        found.rule = found.rule or path
        return found
    refuses = getattr(found, "refuses", found)
    if not callable(refuses):
        raise BadInput(f"the filter {path!r} is neither a function nor has it a method 'refuses'")
    return UserFilter(refuses, _stage_of(found, path), path)


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
