"""An engine that is killed on its way, and started again, until its crawl is done."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.pipeline.engine_process import ArchiveWatcher, EngineProcess, engine
from weft.cli.exits import Exit

from .options import TimeBox

COMMITS_BEFORE_A_KILL = (1, 30)
# A kill comes up to so long after the last counted write: in the middle of the next one, or of its commit.
MAX_DITHER_S = 0.01
REST_WITHIN_S = 600.0  # for what is left to crawl after the last kill

Kill = Callable[[EngineProcess, random.Random], None]


def kill_engine(process: EngineProcess, chance: random.Random) -> None:
    """SIGKILL to the engine alone; its workers follow by themselves."""
    process.kill_engine()


def kill_worker(process: EngineProcess, chance: random.Random) -> None:
    """SIGKILL to one worker; the engine goes on."""
    process.kill_worker(chance.choice)


def kill_group(process: EngineProcess, chance: random.Random) -> None:
    """SIGKILL to all at once."""
    process.kill_group()


KILLS: dict[str, Kill] = {"engine": kill_engine, "worker": kill_worker, "group": kill_group}


class CrawlBroke(Exception):
    """A crawl that was only killed ended by itself with an error, or did not come to its end."""


def run_with_kills(
    folder: Path,
    kinds: Sequence[str],
    kills: int,
    chance: random.Random,
    box: TimeBox,
    commits: tuple[int, int] = COMMITS_BEFORE_A_KILL,
) -> list[float]:
    """Run a crawl to its end, with kills of these kinds by turns; gives the times of the kills.

    There are fewer than asked for when the crawl or the time was over before.
    """
    kills_at: list[float] = []
    while True:
        watcher = ArchiveWatcher(folder)
        with engine(folder) as process:
            while len(kills_at) < kills and not box.is_over() and process.is_running():
                if watcher.wait_for_writes(chance.randint(*commits), lambda: not process.is_running()):
                    time.sleep(chance.uniform(0, MAX_DITHER_S))
                    KILLS[kinds[len(kills_at) % len(kinds)]](process, chance)
                    kills_at.append(time.monotonic())
            if has_been_killed(process):
                continue
            try:
                _, errors = process.popen.communicate(timeout=REST_WITHIN_S)
            except subprocess.TimeoutExpired:
                raise CrawlBroke("the crawl does not come to its end") from None
            if process.popen.returncode not in (Exit.DONE, Exit.LIMIT):  # LIMIT: hosts without robots.txt are left
                raise CrawlBroke(f"weft resume ended with {process.popen.returncode}: {errors.decode()}")
            return kills_at


def has_been_killed(process: EngineProcess) -> bool:
    """Whether the engine ended by a signal."""
    return not process.is_running() and process.popen.returncode < 0
