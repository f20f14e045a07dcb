"""A node: a folder and a name, one life after the other until the crawl has ended or somebody stops it."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import time
from pathlib import Path
from typing import Final

import msgspec
from nats.aio.client import Client

from weft.cluster.errands import Errands
from weft.cluster.lease import LifeOver
from weft.cluster.life import Identity, Life
from weft.cluster.log import NatsLog
from weft.cluster.shared import (
    AWAY,
    PAUSE_S,
    SETTINGS_FILE,
    Settings,
    Shared,
    StoredSettings,
    open_shared,
    told_when_away,
)
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput, FolderError
from weft.folder.belonging import NODE_FILE, Belonging, belonging_of
from weft.folder.layout import CrawlFolder, database_of
from weft.live.summary import summary_of
from weft.live.watch import Watch
from weft.pipeline.crawl import Crawl, check
from weft.pipeline.engine import Ending
from weft.pipeline.progress import Progress
from weft.pipeline.run import alone
from weft.regex import regex
from weft.state import is_at
from weft.whole_file import appearing_whole

NAME: Final = regex(r"[a-z0-9-]{1,32}")
WEIGHTS: Final = range(1, 10_001)


class Node:
    """One node. `run` returns when the crawl has ended, or when `stop` was called and all buckets are given up."""

    def __init__(
        self, client: Client, crawl: str, settings: Settings, shared: Shared, path: Path, identity: Identity
    ) -> None:
        self._client = client
        self._crawl_name = crawl
        self._settings = settings
        self._shared = shared
        self.path = path
        self._identity = identity
        self._life: Life | None = None
        self.crawl: Crawl | None = None
        self._is_stopping = False
        self.lives = 0
        self.seconds = 0.0  # that it has run
        self.was_stopped = False  # by `weft cluster stop`, with all others

    @classmethod
    async def open(
        cls, client: Client, crawl: str, path: Path, *, name: str = "", weight: int = 100, bind: str = ""
    ) -> Node:
        """A node of a crawl in a folder. BadInput when something does not fit, before anything is written."""
        checked_name(crawl, "a crawl's name")
        if weight not in WEIGHTS:
            raise BadInput(f"--weight must be from {WEIGHTS[0]} to {WEIGHTS[-1]:,}, not {weight}")
        with told_when_away():
            shared = await open_shared(client, crawl)
            settings = await shared.settings()
            _, table = await shared.table()
        belonging = belonging_of(path)
        if table.finished and not is_at(database_of(path)):  # one that took part has index files to write
            raise BadInput(f"the crawl {crawl} has ended; `weft cluster start` begins another one")
        node = name or (belonging.node if belonging else default_name())
        checked_name(node, "a node's name")
        if belonging is None and CrawlFolder.is_one(path):
            raise FolderError(f"{path} holds a crawl of its own; choose another folder with --output")
        if belonging is not None and (belonging.crawl_id, belonging.node) != (settings.id, node):
            what = f"node {belonging.node} of the crawl {belonging.crawl}"
            raise FolderError(f"{path} belongs to {what}; choose another folder with --output")
        if belonging is None:
            belonging = Belonging(crawl, settings.id, node, secrets.token_hex(8))
        with told_when_away():
            other = await shared.member(node)
        if other is not None and other[1].folder != belonging.folder and not other[1].is_over:
            raise BadInput(f"a node named {node} lives elsewhere, at {other[1].address}; --name gives this one another")
        config = msgspec.structs.replace(settings.config, bind=bind) if bind else settings.config
        check(config)  # a filter, or a file of certificates, may be missing on this machine
        _prepare_folder(path, belonging, config, StoredSettings(settings, table.deadline))
        settings = msgspec.structs.replace(settings, config=config)
        identity = Identity(node, belonging.folder, weight, socket.gethostname())
        return cls(client, crawl, settings, shared, path, identity)

    @property
    def name(self) -> str:
        """By which others know it."""
        return self._identity.name

    def stop(self) -> None:
        """Give up all buckets in order, then end."""
        self._is_stopping = True
        if self._life is not None:
            self._life.leave()

    async def run(self) -> Ending:
        """Live until the end."""
        while (beginning := await self._beginning()) is not None:
            table, ends = beginning
            self.crawl = crawl = Crawl(CrawlFolder(self.path, must_exist=True), self._settings.config)
            if table.finished and not self.lives:  # after a life here, others have its buckets
                await self._finish(crawl)
                return _ending(table)
            log = NatsLog(self._client, self._crawl_name)
            self._life = life = Life(
                self._identity, self._settings, log, self._shared, table, ends, crawl.stop,
                Errands(self._client, self._crawl_name, self._identity.name),
            )  # fmt: skip
            self.lives += 1
            began = time.monotonic()
            try:
                watch = Watch(crawl)
                ending = await crawl.run(open_doors=watch.doors(life.doors))
            except LifeOver:
                continue
            finally:
                self.seconds += time.monotonic() - began
            watch.end(summary_of(crawl, ending.value, self.seconds))
            self.was_stopped = life.table.stopped and not self._is_stopping
            if ending is Ending.SEEDS_FAILED:  # it has fetched no page, as it had no host; others may have
                return _ending(life.table)
            return ending
        return Ending.INTERRUPTED

    async def _finish(self, crawl: Crawl) -> None:
        """The crawl has ended without this node: a run that begins nothing writes the index files."""
        crawl.stop()
        await crawl.run(open_doors=lambda context: msgspec.structs.replace(alone(context), label=self.name))

    async def _beginning(self) -> tuple[Table, list[int]] | None:
        """What a life begins with: the table, and how far the streams reach. Waits while the servers are away.

        None: there shall be no further life.
        """
        while not self._is_stopping:
            try:
                _, table = await self._shared.table()
                log = NatsLog(self._client, self._crawl_name)
                made_at, ends = await log.made_at(), await log.ends()
            except AWAY:
                await asyncio.sleep(PAUSE_S)
                continue
            if table.streams and made_at != table.streams:
                raise BadInput("the crawl's log was made again since it began; `weft cluster rebuild` makes it whole")
            return None if self._is_stopping else (table, ends)
        return None

    def progress(self) -> Progress | None:
        """How it stands; None between two lives."""
        return self.crawl.progress() if self.crawl is not None else None


def _ending(table: Table) -> Ending:
    """Of a crawl that is over."""
    return Ending.LIMIT if table.finished == "limit" else Ending.DONE


def checked_name(name: str, what: str) -> str:
    """A name that NATS and file names can bear."""
    if not NAME.fullmatch(name):
        raise BadInput(f"{what} is of 1 to 32 small letters, digits and hyphens, not {name!r}")
    return name


def default_name() -> str:
    """Of this machine."""
    return re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower()).strip("-")[:32] or "node"


def _prepare_folder(path: Path, belonging: Belonging, config: CrawlConfig, settings: StoredSettings) -> None:
    folder = CrawlFolder(path, must_exist=CrawlFolder.is_one(path))
    try:
        if is_at(folder.database):
            folder.check_database()
        folder.save_config(config)
        with appearing_whole(folder.state / SETTINGS_FILE) as file:
            file.write(msgspec.json.encode(settings))
        with appearing_whole(folder.state / NODE_FILE) as file:
            file.write(msgspec.json.encode(belonging))
    finally:
        folder.close()
