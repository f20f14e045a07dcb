"""When a crawl is over: nobody has anything to do, and nothing is on its way. Pure.

When all nodes say that they are idle and own all buckets, a probe goes into each stream. A node that hears it in all of
them and is idle then says so. When all have, a second probe goes into each stream: if it stands right behind the first
everywhere, nothing was sent in between, so nobody can have become busy since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.cluster.members import Member, ProbeHeard


class Ending:
    """The table writer's part. It sends a probe when `wants_probe`, and says where it came to stand."""

    def __init__(self, life: str, buckets: int) -> None:
        self._life = life
        self._buckets = buckets
        self._number = 0
        self._first: tuple[int, ...] | None = None  # where the last probe stands, in each stream

    def wants_probe(self, members: Mapping[str, Member]) -> int | None:
        """The number of the probe to be sent now, if any."""
        if not self._all_idle(members):
            self._first = None
            return None
        if self._first is None:
            return self._number + 1
        heard = ProbeHeard(self._life, self._number)
        return self._number + 1 if all(one.heard == heard for one in members.values()) else None

    def sent(self, number: int, places: Sequence[int]) -> bool:
        """The probe came to stand there, in each stream. True: the crawl is over."""
        before, self._first, self._number = self._first, tuple(places), number
        return before is not None and all(now == then + 1 for then, now in zip(before, places, strict=True))

    def _all_idle(self, members: Mapping[str, Member]) -> bool:
        return (
            bool(members)
            and all(one.is_idle for one in members.values())
            and sum(one.buckets for one in members.values()) == self._buckets
        )


class Probes:
    """A node's part: which probe it has heard in all streams.

    It says so whenever it is idle. What it did since then was told before it was idle, so it stands behind the probe.
    """

    def __init__(self, streams: int) -> None:
        self._heard: list[ProbeHeard | None] = [None] * streams

    def hear(self, stream: int, probe: ProbeHeard) -> None:
        """A probe came, in the order of the stream."""
        self._heard[stream] = probe

    @property
    def heard_everywhere(self) -> ProbeHeard | None:
        """The last one, if it came in all streams."""
        first = self._heard[0]
        return first if all(one == first for one in self._heard) else None
