"""From the outbox to the log, in windows: first all links, then what became of pages; then the rows go.

So no page counts as done in the log before every link that it and all earlier pages found is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from weft.cluster.deeds import Deeds
from weft.cluster.events import Entry, entry_parts, found_events, scope_events
from weft.cluster.log import SCOPE, STREAMS, Log, found
from weft.cluster.outbox import Outbox, by_bucket, entries_by_bucket
from weft.crash_points import crash_point

MOST_LINKS: Final = 5_000  # of a window
AT_ONCE: Final = 64  # messages on their way


class Publisher:
    """Carries the outbox to the log."""

    def __init__(
        self,
        log: Log,
        outbox: Outbox,
        deeds_of: Callable[[], Deeds],
        sync: Callable[[], Awaitable[None]],
        write_row: Callable[[], None],
        keep_reach: Callable[[], None],
    ) -> None:
        self._log = log
        self._outbox = outbox
        self._deeds_of = deeds_of
        self._sync = sync  # makes all that is committed survive a power cut
        self._write_row = write_row  # puts into the outbox what no commit has put there
        self._keep_reach = keep_reach  # remembers how far the log reaches, with these rows in it
        self._busy = asyncio.Lock()
        self.sent = 0  # links

    @property
    def is_idle(self) -> bool:
        """Whether everything has been told."""
        return not self._outbox.rows and not self._busy.locked()

    async def flush(self) -> None:
        """Tell all that is in the outbox now, and what would come there with the next commit."""
        self._write_row()
        async with self._busy:
            wanted = self._outbox.rows
            while wanted > 0 and self._outbox.rows:
                wanted -= await self._window()

    async def _window(self) -> int:
        last, rows = self._outbox.oldest(MOST_LINKS)
        await self._sync()
        crash_point("cluster-synced")
        messages = [
            (bucket, claim, data)
            for bucket, claim, urls in by_bucket(rows)
            for data in found_events(urls, self._log.most_bytes)
        ]
        seeds = [seed for row in rows for seed in row.scope]
        for data in scope_events(seeds, self._log.most_bytes):
            await self._log.publish(0, SCOPE, data)
        for begin in range(0, len(messages), AT_ONCE):
            await asyncio.gather(
                *(
                    self._log.publish(bucket % STREAMS, found(bucket), data, claim)
                    for bucket, claim, data in messages[begin : begin + AT_ONCE]
                )
            )
        crash_point("cluster-found")
        deeds_of_life = self._deeds_of()
        done = list(entries_by_bucket(rows).items())
        for begin in range(0, len(done), AT_ONCE):
            await asyncio.gather(
                *(self._tell(deeds_of_life, *key, entries) for key, entries in done[begin : begin + AT_ONCE])
            )
        crash_point("cluster-done")
        self._keep_reach()
        self._outbox.told(last, rows)
        self.sent += sum(not one.claim for row in rows for one in row.found)
        return len(rows)

    async def _tell(self, deeds_of_life: Deeds, bucket: int, claim: int, entries: list[Entry]) -> None:
        for part in entry_parts(entries, self._log.most_bytes):
            await deeds_of_life.write(bucket, claim, part)
