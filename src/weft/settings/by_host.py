"""What holds for a host: of all tables whose pattern means it, the most specific one that says something of a setting.

    example.org        that host
    *.example.org      example.org and every host below it; the longer name is the more specific one
    *                  every host

    [host."*"]                delay = 2, exclude = ["*/print/*"]
    [host."*.example.org"]    delay = 5                             shop.example.org: delay 1, header, exclude of *
    [host."shop.example.org"] delay = 1, header = "X-Team: a"       www.example.org: delay 5, exclude of *

Each setting goes its own way: a table that does not name it leaves it to the next one, and all of them to the crawl.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

from weft.config import HostTable

EVERY_HOST = "*"
BELOW = "*."


def named(table: HostTable) -> str:
    """A table as it stands in a file."""
    return f'[host."{table.pattern}"]'


class ByHost:
    """Tables by the hosts they mean. A look-up takes a step for each label of the name, however many tables exist."""

    def __init__(self, tables: Iterable[HostTable]) -> None:
        self._hosts: dict[str, HostTable] = {}
        self._below: dict[str, HostTable] = {}
        self._every: HostTable | None = None
        for table in tables:
            if table.pattern == EVERY_HOST:
                self._every = table
            elif table.pattern.startswith(BELOW):
                self._below[table.pattern.removeprefix(BELOW)] = table
            else:
                self._hosts[table.pattern] = table

    @classmethod
    def saying(cls, tables: Iterable[HostTable], *fields: str) -> Self | None:
        """Those tables that say something of these fields; None if no one does: then nobody needs to look."""
        chosen = [one for one in tables if any(getattr(one, field) is not None for field in fields)]
        return cls(chosen) if chosen else None

    def largest(self, field: str) -> int:
        """The largest value that a table has in a field of numbers; 0 if none has one."""
        every = () if self._every is None else (self._every,)
        tables = (*self._hosts.values(), *self._below.values(), *every)
        return max((getattr(one, field) or 0 for one in tables), default=0)

    def every(self, *fields: str) -> Iterator[str]:
        """All entries that the tables have in these fields of lists."""
        every = () if self._every is None else (self._every,)
        for table in (*self._hosts.values(), *self._below.values(), *every):
            for field in fields:
                yield from getattr(table, field) or ()

    def tables_for(self, host: str) -> Iterator[HostTable]:
        """The tables that mean a host, the most specific first."""
        host = host.rstrip(".")  # the same host with and without
        if (own := self._hosts.get(host)) is not None:
            yield own
        if self._below:
            name = host
            while name:
                if (table := self._below.get(name)) is not None:
                    yield table
                name = name.partition(".")[2]
        if self._every is not None:
            yield self._every

    def table_for(self, host: str, field: str) -> HostTable | None:
        """The table that decides a field for a host; None: no table does."""
        for table in self.tables_for(host):
            if getattr(table, field) is not None:
                return table
        return None

    def value(self, host: str, field: str) -> Any:
        """What the tables say of a field for a host; None: nothing."""
        table = self.table_for(host, field)
        return None if table is None else getattr(table, field)
