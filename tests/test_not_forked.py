"""What this process holds alone: no process that a user's program forks keeps a crawl folder or an output locked."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from weft.config import CrawlConfig
from weft.errors import FolderError
from weft.extract.journal import Journal
from weft.folder.layout import CrawlFolder


def crawl_folder(path: Path) -> CrawlFolder:
    folder = CrawlFolder(path / "crawl", must_exist=CrawlFolder.is_one(path / "crawl"))
    folder.save_config(CrawlConfig(seeds=("http://example.org/",)))
    return folder


def journal(path: Path) -> Journal:
    return Journal(path / "journal")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("locked", [crawl_folder, journal])
def test_a_fork_that_lives_longer_keeps_nothing_locked(
    locked: Callable[[Path], CrawlFolder | Journal], tmp_path: Path
) -> None:
    readable, writable = os.pipe()
    with closing(locked(tmp_path)):
        if not (forked := os.fork()):
            os.write(writable, b"x")
            signal.pause()
        try:
            os.read(readable, 1)
            with pytest.raises(FolderError, match="in use"):  # what the fork closed was its own
                locked(tmp_path)
        except BaseException:
            os.kill(forked, signal.SIGKILL)
            raise
    try:
        locked(tmp_path).close()
    finally:
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)
        os.close(readable)
        os.close(writable)
