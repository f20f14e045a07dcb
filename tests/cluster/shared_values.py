"""The shared values of a crawl in memory, with the same methods as `cluster.shared.Shared`."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from weft.cluster.members import Member
from weft.cluster.shared import Changed, Grants, Settings, Shared
from weft.cluster.table import Table


class SharedInMemory(Shared):
    """Values under compare-and-set; `loses_ack` has the next write succeed without its writer's knowing."""

    def __init__(self, grants: Grants, table: Table | None = None) -> None:
        self._grants = (1, grants)
        self._table = (1, table or Table(64, owners=[-1] * 64))
        self._members: dict[str, tuple[int, Member]] = {}
        self.loses_ack = False
        self.before_write: Callable[[], None] = lambda: None  # somebody else comes between read and write

    async def table(self) -> tuple[int, Table]:
        return self._table

    async def write_table(self, table: Table, revision: int) -> int:
        self._table = (self._next(self._table[0], revision), table)
        return self._table[0]

    async def settings(self) -> Settings:
        raise NotImplementedError

    async def grants(self) -> tuple[int, Grants]:
        return self._grants

    async def write_grants(self, grants: Grants, revision: int) -> int:
        self.before_write()
        self._grants = (self._next(self._grants[0], revision), grants)
        self._acknowledge()
        return self._grants[0]

    async def members(self) -> dict[str, tuple[int, Member]]:
        return dict(self._members)

    async def member(self, name: str) -> tuple[int, Member] | None:
        return self._members.get(name)

    async def write_member(self, name: str, member: Member, revision: int) -> int:
        self._members[name] = (self._next(self._members.get(name, (0,))[0], revision), member)
        self._acknowledge()
        return self._members[name][0]

    def _next(self, now: int, revision: int) -> int:
        if now != revision:
            raise Changed
        return now + 1

    def _acknowledge(self) -> None:
        if self.loses_ack:
            self.loses_ack = False
            raise TimeoutError


def decoded(member: Member) -> Member:
    """As another node reads it."""
    return msgspec.json.decode(msgspec.json.encode(member), type=Member)
