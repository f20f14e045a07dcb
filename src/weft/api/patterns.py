"""Patterns that do not mean what was meant: `--exclude calendar` is a URL that cannot be, and not a part of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.config import CrawlConfig
from weft.filter.pattern import matcher_of
from weft.types import PageRow, Refusal


def doubtful_patterns(config: CrawlConfig) -> Iterator[str]:
    """A sentence for each pattern that can match one URL at most, and looks as if it should match more."""
    for flag, pattern in _exact(config):
        if pattern.startswith("/"):
            yield f"{flag} {pattern} means that path alone; '{pattern}*' means all that begins so"
        elif "://" not in pattern:
            yield f"{flag} {pattern} can match no URL; '*{pattern}*' matches those that contain it"


def vain_patterns(config: CrawlConfig, refused: dict[Refusal, int], visited: Iterable[PageRow]) -> Iterator[str]:
    """A sentence for each pattern without * that is known to have matched nothing.

    What an exclude pattern matched was not visited, and is only counted: with include patterns, too, and together with
    other patterns.
    """
    exact = list(_exact(config))
    includes = {pattern: matcher_of(pattern) for flag, pattern in exact if flag == "--include"}
    found: set[str] = set()
    if includes:
        for row in visited:
            found.update(pattern for pattern, matches in includes.items() if row.depth and matches(row.url))
    has_refused = bool(refused.get(Refusal.PATTERN))
    for flag, pattern in exact:
        if pattern not in found if flag == "--include" else not has_refused:
            yield f"{flag} {pattern} matched nothing; without * a pattern means exactly that"


def _exact(config: CrawlConfig) -> Iterator[tuple[str, str]]:
    for flag, patterns in (("--include", config.include), ("--exclude", config.exclude)):
        for pattern in patterns:
            if "*" not in pattern and not pattern.startswith("re:"):
                yield flag, pattern
