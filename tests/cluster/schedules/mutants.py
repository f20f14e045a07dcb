"""The rules, each taken out: what the schedules must find.

By argument alone nothing is lost by these, but pages are fetched twice: rows that leave the outbox before the log
has them; an outbox that is not published at a restart; a bucket released before all is told, or whose rows stay while
its node lives; nodes that count silence from before an outage; claims without compare-and-set (lives end for nothing:
the table agrees on who wants a bucket, and the lease on who may ask).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from tests.cluster.schedules import crawler, schedule, servers, web
from weft.cluster import deeds, ending, holdings, lease, life, members, outbox, publisher, reading, taking, view
from weft.cluster.events import Claim, from_bytes, to_bytes
from weft.cluster.log import STREAMS, Refused
from weft.cluster.log import deeds as deeds_subject
from weft.cluster.log import found as found_subject
from weft.frontier import residents
from weft.seen import Seen

Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch], None]


def done_before_found(patch: Patch) -> None:
    """Rule 2: a page counts as done before its links are in the log."""
    window = publisher.Publisher._window

    async def turned(self: Any) -> int:
        last, rows = self._outbox.oldest(publisher.MOST_LINKS)
        await self._sync()
        for key, entries in outbox.entries_by_bucket(rows).items():
            await self._tell(self._deeds_of(), *key, entries)
        patch_rows = [outbox.OutboxRow(row.found, [], row.scope) for row in rows]
        self._outbox.oldest = lambda most: (last, patch_rows)
        try:
            return await window(self)
        finally:
            del self._outbox.oldest

    patch.setattr(publisher.Publisher, "_window", turned)


def newest_first(patch: Patch) -> None:
    """Rule 2: a page counts as done before the links of *earlier* pages are in the log."""
    oldest = outbox.Outbox.oldest

    def newest(self: Any, most_links: int) -> tuple[int, list[outbox.OutboxRow]]:
        _, rows = oldest(self, 1 << 30)
        return self._newest, rows[-1:]

    def of_newest(self: Any, last: int, rows: list[outbox.OutboxRow]) -> None:
        keys = [key for key, _ in self._state.scan("outbox") if int.from_bytes(key, "big") <= last]
        batch = self._state.batch()
        batch.delete("outbox", keys[-1])
        self._state.write(batch)
        self.rows -= 1
        self.links -= len(rows[0].found)

    patch.setattr(outbox.Outbox, "oldest", newest)
    patch.setattr(outbox.Outbox, "told", of_newest)


def not_synced(patch: Patch) -> None:
    """Rule 2: a page is told as done while a power cut can still take its record."""
    begin = life.Life._begin

    def lazy(self: Any, inside: Any) -> None:
        async def nothing() -> None:
            await asyncio.sleep(0)

        begin(self, inside)
        self._publisher._sync = nothing

    patch.setattr(life.Life, "_begin", lazy)


def own_links_untold(patch: Patch) -> None:
    """Rule 1: only what is another's goes to the log."""
    patch.setattr(holdings.Holdings, "_note", lambda self, found: None)


def own_skipped_always(patch: Patch) -> None:
    """Rule 4: what this process has sent itself is skipped, under whatever claim."""
    claim, apply = deeds.Deeds.claim, reading.Reading._apply
    claims: dict[Any, set[tuple[int, int]]] = {}

    async def remembered(self: Any, bucket: int, after: int) -> int | None:
        place = await claim(self, bucket, after)
        if place is not None:
            claims.setdefault(self._log._line, set()).add((bucket, place))
        return place

    def skipping(self: Any, stream: int, messages: list[Any]) -> None:
        own = claims.get(self._log._line, set())
        apply(
            self,
            stream,
            [one for one in messages if not any(one.subject == found_subject(b) and one.claim == c for b, c in own)],
        )

    patch.setattr(deeds.Deeds, "claim", remembered)
    patch.setattr(reading.Reading, "_apply", skipping)


def caches_not_wiped(patch: Patch) -> None:
    """Rule 6: what a wiped bucket had stays in the caches of `Seen`."""
    patch.setattr(Seen, "forget_range", lambda self, start, stop: None)


def rows_kept_over_restart(patch: Patch) -> None:
    """Rule 8: a new life begins with the rows of the one before, and takes its buckets with them."""
    patch.setattr(schedule, "WINDOW_S", 8.0)
    patch.setattr(crawler, "Seen", lambda state, is_new_crawl: Seen(state, is_new_crawl=False))
    patch.setattr(life, "wipe_all", lambda batch: None)
    patch.setattr(view.View, "wipe", lambda self, bucket: None)


def only_deeds_replayed(patch: Patch) -> None:
    """Rule 6: the links that were found before are not read."""
    join = reading.Reading.join

    async def half(self: Any, stream: int) -> None:
        log = self._log

        class Half:
            read = log.read

            def replay(self, stream: int, subjects: list[str], after: int, until: int) -> Any:
                return log.replay(stream, subjects, after, 0 if subjects[0].startswith("f.") else until)

        self._log = Half()
        try:
            await join(self, stream)
        finally:
            self._log = log

    patch.setattr(reading.Reading, "join", half)


def joined_from_claim(patch: Patch) -> None:
    """Rule 6: a bucket is replayed up to its claim, though the stream was read further."""
    join = reading.Reading.join

    async def short(self: Any, stream: int) -> None:
        log = self._log
        claims = [
            one.claim
            for bucket, one in self._held.items()
            if bucket % STREAMS == stream and one.stage is holdings.Stage.REPLAYING
        ]

        class Short:
            read = log.read

            def replay(self, stream: int, subjects: list[str], after: int, until: int) -> Any:
                return log.replay(stream, subjects, after, min(until, max(claims)))

        self._log = Short()
        try:
            await join(self, stream)
        finally:
            self._log = log

    patch.setattr(reading.Reading, "join", short)


def filter_changed_only(patch: Patch) -> None:
    """Rule 7: after a join the reader goes on from its end of the stream, not from the place it had read."""
    read = reading.Reading.read

    async def skipping(self: Any, stream: int) -> None:
        log = self._log

        class Skipping:
            replay = log.replay
            _stored = log._stored
            most_bytes = log.most_bytes

            def read(self, stream: int, subjects: list[str], after: int) -> Any:
                return log.read(stream, subjects, len(log._stored.streams[stream]))

        self._log = Skipping()
        await read(self, stream)

    patch.setattr(reading.Reading, "read", skipping)


def lease_unchecked(patch: Patch) -> None:
    """Lives: requests begin whether the lease holds or not."""
    patch.setattr(lease.Lease, "holds", lambda self: self._until_s > -inf)


def lease_from_acknowledgement(patch: Patch) -> None:
    """Lives: a lease runs from when its renewal was acknowledged."""
    renewed = lease.Lease.renewed
    patch.setattr(lease.Lease, "renewed", lambda self, sent_at_s: renewed(self, self._now_s()))


def over_too_early(patch: Patch) -> None:
    """Lives: "over" is written at once."""
    patch.setattr(
        members.Members,
        "silent",
        lambda self, now_s: [
            (name, one)
            for name, one in self._seen.items()
            if not one.member.is_over and now_s - one.at_s > self._lease_s / 6
        ],
    )


def not_abandoned(patch: Patch) -> None:
    """Lives: what is under way at the lease's end goes on."""

    async def never(self: Any) -> None:
        await asyncio.sleep(0)

    patch.setattr(life.Life, "_abandon_late", never)
    patch.setattr(web, "LONG_REQUESTS", 0.5)
    patch.setattr(web, "LONGEST_REQUEST_S", 40.0)


def always_free(patch: Patch) -> None:
    """Rule 6: a bucket is taken from whoever has it."""
    patch.setattr(taking.Taking, "_is_free", lambda self, last: True)


def no_rest_after_taking(patch: Patch) -> None:
    """Rule 6: hosts of a bucket that was taken are asked at once."""
    adopt = residents.Residents.adopt

    def eager(self: Any, first: bytes, last: bytes = b"") -> None:
        adopt(self, first, last)
        for bucket in range(int.from_bytes(first, "big"), int.from_bytes(last or first, "big") + 1):
            self._adopted_at[bucket] = -inf

    patch.setattr(residents.Residents, "adopt", eager)


def delays_untold(patch: Patch) -> None:
    """Rule 9: a host's own delay is not in the log."""

    async def silent(self: Any, host: str, delay_s: float) -> None:
        await asyncio.sleep(0)

    patch.setattr(life.Life, "_tell_delay", silent)


def released_under_way(patch: Patch) -> None:
    """Rule 8: a bucket is given up while visits there are under way."""
    give_up = view.View.give_up

    def at_once(self: Any, bucket: int) -> bool:
        give_up(self, bucket)
        return True

    patch.setattr(view.View, "give_up", at_once)


def one_probe(patch: Patch) -> None:
    """Rule 10: the crawl is over as soon as all say that they are idle."""
    patch.setattr(web, "CHAINS", 1.0)
    sent = ending.Ending.sent
    patch.setattr(ending.Ending, "sent", lambda self, number, places: sent(self, number, places) or True)


def probes_not_adjacent(patch: Patch) -> None:
    """Rule 10: what came between two probes does not matter."""
    patch.setattr(web, "CHAINS", 1.0)

    def lax(self: Any, number: int, places: list[int]) -> bool:
        before, self._first, self._number = self._first, tuple(places), number
        return before is not None

    patch.setattr(ending.Ending, "sent", lax)


def probe_unheard(patch: Patch) -> None:
    """Rule 10: a second probe is sent without waiting until all have heard the first."""
    patch.setattr(web, "CHAINS", 1.0)

    def hasty(self: Any, living: Any) -> int | None:
        if not self._all_idle(living):
            self._first = None
            return None
        return int(self._number + 1)

    patch.setattr(ending.Ending, "wants_probe", hasty)


def idle_with_outbox(patch: Patch) -> None:
    """Rule 10: a node is idle though it has not told everything."""
    patch.setattr(web, "CHAINS", 1.0)
    patch.setattr(servers, "PAUSE_S", 8.0)
    patch.setattr(publisher.Publisher, "is_idle", property(lambda self: True))


def late_links_dropped(patch: Patch) -> None:
    """Rule 5: what is found while its bucket is being given up is thrown away."""
    ours = holdings.Holdings.ours

    def without(self: Any, batch: Any, found: Any) -> Any:
        leaving = {bucket for bucket, one in self.held.items() if one.stage is holdings.Stage.LEAVING}
        return ours(self, batch, [one for one in found if self.shares.of_id(one.id) not in leaving])

    patch.setattr(holdings.Holdings, "ours", without)


def acknowledgement_lost_is_refusal(patch: Patch) -> None:
    """`d.<b>`: an own event whose acknowledgement was lost counts as somebody else's."""

    async def claim(self: Any, bucket: int, after: int) -> int | None:
        event = Claim(self._node, self.life)
        try:
            place = await self._log.append(bucket % STREAMS, deeds_subject(bucket), to_bytes(event), after)
        except Refused:
            return None
        self._last[bucket] = place
        return int(place)

    patch.setattr(deeds.Deeds, "claim", claim)
    patch.setattr(taking.Taking, "_is_free", _not_own_life(taking.Taking._is_free))


def _not_own_life(is_free: Any) -> Any:
    def other(self: Any, last: Any) -> bool:
        event = from_bytes(last.data)
        if isinstance(event, Claim) and event.life == self._deeds.life:
            return False
        return bool(is_free(self, last))

    return other


MOVES = ("start", "start", "drain", "undrain", "slow")
DEATHS = ("start", "kill", "kill at", "kill at", "kill at", "lose disk")
SILENCE = ("start", "pause", "cut", "pause", "slow")
ENDS = ("lose requests", "lose requests", "seeds", "start", "slow", "cut", "pause")

# First those that the first few schedules find.
MUTANTS: tuple[tuple[Mutant, tuple[str, ...]], ...] = (
    (own_links_untold, MOVES),
    (done_before_found, DEATHS),
    (late_links_dropped, MOVES),
    (only_deeds_replayed, MOVES),
    (joined_from_claim, MOVES),
    (always_free, MOVES),
    (no_rest_after_taking, MOVES),
    (released_under_way, MOVES),
    (one_probe, ENDS),
    # These take longer.
    (probes_not_adjacent, ENDS),
    (lease_from_acknowledgement, ("start", "pause")),
    (filter_changed_only, MOVES),
    (delays_untold, MOVES),
    (lease_unchecked, SILENCE),
    (not_abandoned, ("start", "cut")),
    (over_too_early, SILENCE),
    (newest_first, DEATHS),
    (not_synced, ("start", "cut power")),
    (own_skipped_always, MOVES),
    (caches_not_wiped, MOVES),
    (rows_kept_over_restart, ("start", "kill")),
    (acknowledgement_lost_is_refusal, (*MOVES, "lose acks", "lose acks")),
    (probe_unheard, ENDS),
    (idle_with_outbox, ("lose requests", "start")),
)
