"""The table: one value that says what should be. Who owns a bucket, only the log says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from weft.cluster.members import Member, weights
from weft.cluster.ring import assign

WINDOW_S: Final = 5.0
LONGEST_WINDOW_S: Final = 60.0
BUSY_STREAM: Final = 1_000  # messages a second, of one stream
NOBODY: Final = -1


class Table(msgspec.Struct, frozen=True, omit_defaults=True):
    """Written by the first living node by name, and by commands; each time whole, if nobody else did meanwhile."""

    buckets: int
    epoch: int = 0
    nodes: list[str] = []
    owners: list[int] = []  # for each bucket, who should own it: a place in `nodes`, or NOBODY
    window_s: float = WINDOW_S
    paused: bool = False
    stopped: bool = False
    finished: str = ""  # how it ended: "done" or "limit"
    drained: list[str] = []  # nodes that shall have nothing, as a person said
    seeds: int = 0  # how often seeds were added: so that this and the end exclude each other
    deadline: float = 0.0  # wall time; 0: none
    streams: list[str] = []  # when each was made: one that was made again has lost what was in it

    def owner(self, bucket: int) -> str:
        """Who should own a bucket; empty: nobody."""
        number = self.owners[bucket] if self.owners else NOBODY
        return self.nodes[number] if number != NOBODY else ""

    def wanted_by(self, node: str) -> set[int]:
        """The buckets that a node should own."""
        if node not in self.nodes:
            return set()
        number = self.nodes.index(node)
        return {bucket for bucket, owner in enumerate(self.owners) if owner == number}


def with_owners(table: Table, members: Mapping[str, Member]) -> Table:
    """The table for these nodes; the same one if nothing is to change."""
    have = weights(members, table.drained)
    owners = assign(have, table.buckets, [table.owner(bucket) for bucket in range(table.buckets)]) if have else ()
    return _owned(table, owners)


def _owned(table: Table, owners: Sequence[str]) -> Table:
    nodes = sorted(set(owners))
    places = {name: place for place, name in enumerate(nodes)}
    numbers = [places[name] for name in owners] or [NOBODY] * table.buckets
    if nodes == table.nodes and numbers == table.owners:
        return table
    return msgspec.structs.replace(table, nodes=nodes, owners=numbers)


def next_window_s(table: Table, messages_per_s: float) -> float:
    """Longer while a stream takes too many messages, shorter again when there is room."""
    if messages_per_s > BUSY_STREAM:
        return min(LONGEST_WINDOW_S, 2 * table.window_s)
    if messages_per_s < BUSY_STREAM / 4:
        return max(WINDOW_S, table.window_s / 2)
    return table.window_s
