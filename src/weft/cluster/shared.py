"""The values that all nodes share, in NATS' key-value store: the table, the settings, grants, and a key for each node.

Each is changed by compare-and-set: who writes says which revision he has read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, NamedTuple, TypeVar

import msgspec
import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import KeyValueConfig, StorageType
from nats.js.kv import KeyValue

from weft.cluster.members import Member
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput

ASK_WITHIN_S: Final = 5.0
PAUSE_S: Final = 0.5
TABLE, SETTINGS, GRANTS = "table", "settings", "grants"
SETTINGS_FILE: Final = "cluster.json"  # in state/ of each node's folder: they are needed when the servers are lost

AWAY: Final = (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError)

T = TypeVar("T")


@contextmanager
def told_when_away() -> Iterator[None]:
    """Where a person waits for an answer, servers that do not give one are BadInput."""
    try:
        yield
    except AWAY as error:
        raise BadInput("the NATS servers do not answer in time: are they well?") from error


class Settings(msgspec.Struct, frozen=True):
    """What a crawl is made of, once and for all."""

    id: str  # tells it from an earlier crawl of the same name
    config: CrawlConfig  # without seeds: these are in the log
    buckets: int
    lease_s: float


class StoredSettings(msgspec.Struct, frozen=True):
    """What each node's folder keeps of the crawl."""

    settings: Settings
    deadline: float  # wall time; 0: none


class Grants(msgspec.Struct, frozen=True):
    """How many pages each life may still have fetched, of a crawl that has a limit."""

    left: int = 0  # not given out
    given: dict[str, int] = {}  # by life


class Kept(NamedTuple):
    """A value, and its revision."""

    revision: int
    data: bytes


class Changed(Exception):
    """Somebody else has written meanwhile."""


class Shared:
    """The shared values of one crawl. Raises one of AWAY when the servers do not answer."""

    def __init__(self, values: KeyValue, nodes: KeyValue, node_names: Callable[[], Awaitable[list[str]]]) -> None:
        self._node_names = node_names
        self._values = values
        self._nodes = nodes

    async def table(self) -> tuple[int, Table]:
        """The table, with its revision."""
        return await self._read(TABLE, Table)

    async def write_table(self, table: Table, revision: int) -> int:
        """Changed if it has another revision by now."""
        return await _update(self._values, TABLE, table, revision)

    async def settings(self) -> Settings:
        """What the crawl began with."""
        return (await self._read(SETTINGS, Settings))[1]

    async def grants(self) -> tuple[int, Grants]:
        """The grants, with their revision."""
        return await self._read(GRANTS, Grants)

    async def write_grants(self, grants: Grants, revision: int) -> int:
        """Changed if they have another revision by now."""
        return await _update(self._values, GRANTS, grants, revision)

    async def change_table(self, change: Callable[[Table], Table]) -> Table:
        """Read, change and write the table, until nobody has come between."""
        while True:
            revision, table = await self.table()
            if (changed := change(table)) == table:
                return table
            with suppress(Changed):
                await self.write_table(msgspec.structs.replace(changed, epoch=table.epoch + 1), revision)
                return changed

    async def members(self) -> dict[str, tuple[int, Member]]:
        """All nodes, with the revisions of their entries."""
        names = await self._node_names()
        found = await asyncio.gather(*(_get(self._nodes, name) for name in names))
        return {
            name: (one.revision, msgspec.json.decode(one.data, type=Member))
            for name, one in zip(names, found, strict=True)
            if one is not None
        }

    async def member(self, name: str) -> tuple[int, Member] | None:
        """One node."""
        one = await _get(self._nodes, name)
        return None if one is None else (one.revision, msgspec.json.decode(one.data, type=Member))

    async def write_member(self, name: str, member: Member, revision: int) -> int:
        """Changed if the entry has another revision by now; 0: if there is one."""
        return await _update(self._nodes, name, member, revision)

    async def _read(self, key: str, kind: type[T]) -> tuple[int, T]:
        one = await _get(self._values, key)
        if one is None:
            raise BadInput("the crawl is gone from the cluster")
        return one.revision, msgspec.json.decode(one.data, type=kind)


async def create(
    client: Client, crawl: str, settings: Settings, table: Table, replicas: int, *, pages: int = 0
) -> Shared:
    """The shared values of a new crawl, or of one that has fetched pages. BadInput if there is one of this name."""
    js = client.jetstream(timeout=ASK_WITHIN_S)
    stores = [
        await js.create_key_value(
            KeyValueConfig(bucket=name, history=1, storage=StorageType.FILE, replicas=replicas, direct=False)
        )
        for name in _buckets(crawl)
    ]
    values, nodes = stores
    try:
        await values.create(SETTINGS, msgspec.json.encode(settings))
    except nats.js.errors.KeyWrongLastSequenceError as error:
        raise BadInput(f"there is a crawl named {crawl} already; `weft cluster status {crawl}` shows it") from error
    left = max(0, (settings.config.max_pages or 0) - pages)
    await values.put(GRANTS, msgspec.json.encode(Grants(left)))
    await values.put(TABLE, msgspec.json.encode(table))
    return Shared(values, nodes, partial(_node_names, js, crawl))


async def is_one(client: Client, crawl: str) -> bool:
    """Whether there is a crawl of this name."""
    return await _stores(client, crawl) is not None


async def open_shared(client: Client, crawl: str) -> Shared:
    """The shared values of a crawl. BadInput if there is none of this name."""
    if (stores := await _stores(client, crawl)) is None:
        raise BadInput(f"there is no crawl named {crawl} here; `weft cluster start {crawl} SEED…` begins one")
    values, nodes = stores
    return Shared(values, nodes, partial(_node_names, client.jetstream(timeout=ASK_WITHIN_S), crawl))


async def _stores(client: Client, crawl: str) -> list[KeyValue] | None:
    js = client.jetstream(timeout=ASK_WITHIN_S)
    try:
        stores = [await js.key_value(name) for name in _buckets(crawl)]
        return stores if await _get(stores[0], TABLE) is not None else None
    except nats.js.errors.NotFoundError:
        return None


async def remove(client: Client, crawl: str) -> None:
    """Take a crawl's values away."""
    js = client.jetstream(timeout=ASK_WITHIN_S)
    for name in _buckets(crawl):
        with suppress(nats.js.errors.NotFoundError):
            await js.delete_key_value(name)


async def silences_s(client: Client, crawl: str, nodes: Iterable[str]) -> dict[str, float]:
    """How long ago each node has written its entry, as far as the clocks of this machine and the servers agree."""
    js, bucket = client.jetstream(timeout=ASK_WITHIN_S), _buckets(crawl)[1]
    names = list(nodes)
    found = await asyncio.gather(*(js.get_last_msg(f"KV_{bucket}", f"$KV.{bucket}.{name}") for name in names))
    now = time.time()
    return {
        name: max(0.0, now - one.time.timestamp()) if one.time is not None else 0.0
        for name, one in zip(names, found, strict=True)
    }


async def _node_names(js: JetStreamContext, crawl: str) -> list[str]:
    """By the stream's subjects: nats-py's `keys` leaves a consumer for five minutes, and a stream may have 1,000."""
    bucket = _buckets(crawl)[1]
    keys = f"$KV.{bucket}."
    info = await js.stream_info(f"KV_{bucket}", subjects_filter=f"{keys}>")
    return sorted(subject.removeprefix(keys) for subject in info.state.subjects or ())


def _buckets(crawl: str) -> tuple[str, str]:
    return f"weft-{crawl}", f"weft-{crawl}-nodes"


async def _get(store: KeyValue, key: str) -> Kept | None:
    try:
        entry = await store.get(key)
    except nats.js.errors.KeyNotFoundError:
        return None
    return Kept(entry.revision or 0, entry.value or b"")


async def _update(store: KeyValue, key: str, value: object, revision: int) -> int:
    try:
        return await store.update(key, msgspec.json.encode(value), last=revision)
    except nats.js.errors.KeyWrongLastSequenceError as error:
        raise Changed from error
