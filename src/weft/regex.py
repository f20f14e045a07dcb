"""Regular expressions that are compiled when they are first needed.

A process of weft imports hundreds of them, and most crawls use a few: compiling all took a third of a worker's start.
What nearly every page of a crawl needs is compiled at once, by `re.compile`, which saves each use a look-up.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_NAMES = [name for name in dir(re.Pattern) if not name.startswith("_")]


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`; a fault of the pattern is found when it is first used."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class _Later:
    """Becomes like the pattern when somebody asks for anything of it."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> object:  # called for what is not there yet
        compiled = re.compile(*self._source)
        self.__dict__.update((one, getattr(compiled, one)) for one in _NAMES)
        return getattr(compiled, name)
