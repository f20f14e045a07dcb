"""Settings by host: refused before a crawl begins where no crawl could go by them; changed where one is steered."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.config import CrawlConfig, HostTable
from weft.errors import BadInput
from weft.filter.by_host import pattern_filter
from weft.filter.patterns import check_pattern
from weft.robots.by_host import RobotsByHost
from weft.settings.by_host import named


def check_hosts(config: CrawlConfig) -> None:
    """Refuse what no crawl could go by, with table and key. Headers are the fetcher's to look at."""
    if not config.hosts:
        return
    robots = RobotsByHost(config)
    for table in config.hosts:
        for key, patterns in (("include", table.include), ("exclude", table.exclude)):
            try:
                for pattern in patterns or ():
                    check_pattern(pattern)
            except BadInput as error:
                raise BadInput(f"{named(table)} {key!r}: {error}") from error
        if table.user_agent is not None or table.robots_agent is not None:
            key = "robots-agent" if table.robots_agent else "user-agent"
            try:
                # As of a host that no more specific table means; each of those is looked at for itself.
                robots.name_for(table.pattern)
            except BadInput as error:
                raise BadInput(f"{named(table)} {key!r}: {error}") from error


def without(tables: Iterable[HostTable], *fields: str) -> tuple[HostTable, ...]:
    """The tables, but for what they say of these fields."""
    nothing: dict[str, None] = dict.fromkeys(fields)
    return tuple(msgspec.structs.replace(table, **nothing) for table in tables)


def excluding(config: CrawlConfig, pattern: str) -> CrawlConfig:
    """The settings with one more pattern to exclude, for all hosts. BadInput where no crawl could go by them."""
    check_pattern(pattern)

    def with_it(patterns: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*patterns, pattern)))

    hosts = tuple(
        table if table.exclude is None else msgspec.structs.replace(table, exclude=with_it(table.exclude))
        for table in config.hosts
    )
    changed = msgspec.structs.replace(config, exclude=with_it(config.exclude), hosts=hosts)
    pattern_filter(changed)  # some settings bear no pattern beside them
    return changed
