"""Patterns that do not mean what was meant: `--exclude calendar` is a URL that cannot be, and not a part of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from weft.config import CrawlConfig
from weft.filter.condition import is_of_answer
from weft.filter.pattern import matcher_of
from weft.settings.by_host import BELOW, EVERY_HOST, named
from weft.types import PageRow, Refusal
from weft.url import host_of, registrable_domain

NAMED = 5


def doubtful_patterns(config: CrawlConfig) -> Iterator[str]:
    """A sentence for each pattern that can match one URL at most, and looks as if it should match more."""
    for flag, pattern in _exact(config):
        if pattern.startswith("/"):
            yield f"{flag} {pattern} means that path alone; '{pattern}*' means all that begins so"
        elif "://" not in pattern:
            yield f"{flag} {pattern} can match no URL; '*{pattern}*' matches those that contain it"


def doubtful_hosts(config: CrawlConfig) -> Iterator[str]:
    """A sentence for each table of settings by host that can mean no host of the crawl.

    A seed may redirect within its domain, so a table for a host of that is no mistake.
    """
    if config.scope == "any" or config.requisites_anywhere:
        return
    domains = {registrable_domain(host_of(seed)) for seed in config.seeds}
    above = {domain.split(".", labels)[-1] for domain in domains for labels in range(domain.count(".") + 1)}
    vain = (one for one in config.hosts if one.pattern != EVERY_HOST and not _may_mean(one.pattern, domains, above))
    for table in islice(vain, NAMED):
        yield f"{named(table)} can mean no host of this crawl: --scope {config.scope} keeps it to {_some(domains)}"


def _may_mean(pattern: str, domains: set[str], above: set[str]) -> bool:
    """Whether a pattern can mean a host of these domains, or of one of those above them."""
    name = pattern.removeprefix(BELOW)
    return registrable_domain(name) in domains or (pattern != name and name in above)


def _some(names: set[str]) -> str:
    shown = sorted(names)[:NAMED]
    return ", ".join(shown) + f" and {len(names) - NAMED:,} more" * (len(names) > NAMED)


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
            if "*" not in pattern and not pattern.startswith("re:") and not is_of_answer(pattern):
                yield flag, pattern
