"""`weft cluster rebuild`: a new log from the rows of all nodes' folders, when the servers have lost the old one.

The crawl keeps its id, so the folders still belong to it; their rows are not changed. Nobody sees the log before it is
whole: the shared values come last. A page whose row is in no folder is fetched again, if somebody finds it: rows of a
bucket are in none while it changes hands.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from nats.aio.client import Client

from weft.cluster.connection import enough_servers
from weft.cluster.events import (
    Entries,
    Entry,
    FoundUrl,
    LogDamaged,
    Release,
    entry_parts,
    found_events,
    scope_events,
    to_bytes,
)
from weft.cluster.holdings import Shares
from weft.cluster.log import SCOPE, STREAMS, NatsLog, deeds, found
from weft.cluster.members import new_life
from weft.cluster.node import checked_name
from weft.cluster.reach import is_short
from weft.cluster.remains import Remains
from weft.cluster.shared import create, is_one, open_shared, remove
from weft.cluster.table import Table
from weft.errors import BadInput
from weft.url import host_of

AUTHOR: Final = "rebuild"
HELD_AT_ONCE: Final = 20_000  # links and entries in memory
SENT_AT_ONCE: Final = 64  # messages


class Rebuilt(msgspec.Struct, frozen=True):
    """What a new log has in it."""

    pages: int  # that are done
    links: int
    lost_links: int  # that were sent, and that neither a row nor an archived page has
    missing_files: list[str]  # in folders that were not named


async def rebuild(client: Client, crawl: str, paths: Sequence[Path], *, replicas: int = 3) -> Rebuilt:
    """Make a crawl's log again. BadInput if the crawl is there and its log is whole."""
    checked_name(crawl, "a crawl's name")
    if replicas not in (1, 3):
        raise BadInput(f"--replicas is 1 or 3, not {replicas}")
    with Remains(paths) as remains:
        if remains.crawl != crawl:
            raise BadInput(f"{paths[0]} is of the crawl {remains.crawl}, not of {crawl}")
        await enough_servers(client, replicas)
        await _refuse_whole(client, crawl, remains)
        log = NatsLog(client, crawl)
        await log.remove()  # what is left of it, or of a rebuilding that was broken off
        await remove(client, crawl)
        await log.create(replicas)
        settings = remains.settings
        writer = _Writer(log, Shares(settings.buckets))
        for data in scope_events(remains.seeds, log.most_bytes):
            await log.publish(0, SCOPE, data)
        for url in remains.waiting():
            await writer.found(url)
        unread = remains.unread()
        for url in unread.links():
            await writer.found(url)
        done = limited = 0
        for page, entry, nearer in remains.pages():
            if nearer is not None:
                await writer.found(nearer)
            if entry is not None:
                await writer.happened(host_of(page.url), entry)
                done += 1
                limited += 200 <= page.status < 300
        for note in remains.rests(time.time()):
            await writer.happened(note.host, note)
        await writer.close()
        buckets = settings.buckets
        table = Table(buckets, owners=[-1] * buckets, deadline=remains.deadline, streams=await log.made_at())
        await create(client, crawl, settings, table, replicas, pages=limited)
        return Rebuilt(done, writer.links, len(unread.lost), remains.missing_files())


async def _refuse_whole(client: Client, crawl: str, remains: Remains) -> None:
    """One that has lost a stream is not whole, nor one of which a stream was made again, or has lost its end."""
    if not await is_one(client, crawl):
        return
    _, table = await (await open_shared(client, crawl)).table()
    try:
        log = NatsLog(client, crawl)
        is_whole = await log.made_at() == table.streams
        is_whole = is_whole and not is_short(await log.ends(), remains.reached(table.streams))
    except LogDamaged:
        is_whole = False
    if is_whole:
        raise BadInput(f"the crawl {crawl} is there, and its log is whole: `weft cluster status {crawl}` shows it")


class _Writer:
    """Collects what belongs to one bucket, so that events are few."""

    def __init__(self, log: NatsLog, shares: Shares) -> None:
        self._log = log
        self._shares = shares
        self._life = new_life(0)
        self._number = 0
        self._found: dict[int, list[FoundUrl]] = {}
        self._entries: dict[int, list[Entry]] = {}
        self._held = 0
        self._done_in: set[int] = set()  # bound: buckets
        self.links = 0

    async def found(self, url: FoundUrl) -> None:
        self._found.setdefault(self._shares.of_host(url.host), []).append(url)
        self.links += 1
        await self._make_room()

    async def happened(self, host: str, entry: Entry) -> None:
        self._entries.setdefault(self._shares.of_host(host), []).append(entry)
        await self._make_room()

    async def close(self) -> None:
        """All buckets are nobody's."""
        await self._flush()
        await self._send([(bucket, deeds(bucket), to_bytes(Release(self._life, 0))) for bucket in self._done_in])

    async def _make_room(self) -> None:
        self._held += 1
        if self._held >= HELD_AT_ONCE:
            await self._flush()

    async def _flush(self) -> None:
        most_bytes = self._log.most_bytes
        messages = [
            (bucket, found(bucket), data)
            for bucket, urls in self._found.items()
            for data in found_events(urls, most_bytes)
        ]
        for bucket, entries in self._entries.items():
            for part in entry_parts(entries, most_bytes):
                self._number += 1
                event = Entries(AUTHOR, self._life, 0, self._number, part)
                messages.append((bucket, deeds(bucket), to_bytes(event)))
        self._done_in |= self._entries.keys()
        self._found, self._entries, self._held = {}, {}, 0
        await self._send(messages)

    async def _send(self, messages: list[tuple[int, str, bytes]]) -> None:
        for begin in range(0, len(messages), SENT_AT_ONCE):
            part = messages[begin : begin + SENT_AT_ONCE]
            await asyncio.gather(
                *(self._log.publish(bucket % STREAMS, subject, data) for bucket, subject, data in part)
            )
