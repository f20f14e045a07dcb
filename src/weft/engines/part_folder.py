"""The crawl folder as one of several engines has it: its own database, items and spool, everything else together."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from weft.config import CrawlConfig
from weft.folder.databases import databases_of
from weft.folder.items_parts import items_file_of
from weft.folder.layout import CrawlFolder


class PartFolder(CrawlFolder):
    """Whoever made it sees to the folder's lock, its settings and its index files."""

    is_part = True

    def __init__(self, path: Path, number: int, keep: Callable[[CrawlConfig], None] = lambda config: None) -> None:
        self._keep = keep
        self.name = self.path = path
        self.archive = path / "archive"
        self.state = path / "state"
        self.database = databases_of(path)[number]
        self.items = items_file_of(path, self.database)
        self.spool = self.state / "spool" / str(number)
        self.worker_log = self.state / "workers.log"
        self.hook_log = self.state / "hooks.log"
        self.log = path / "crawl.log"
        self.spool.mkdir(parents=True, exist_ok=True)

    def refuse_several(self) -> None:
        """It is one of them."""

    def save_config(self, config: CrawlConfig) -> None:
        """What a person has changed is a setting of the whole crawl."""
        self._keep(config)

    def close(self) -> None:
        """The lock is not ours."""

    def remove_leftover_spools(self) -> None:
        """Bodies of requests that nobody waits for any more."""
        shutil.rmtree(self.spool)
        self.spool.mkdir()
