"""A database that is damaged or gone: a sentence that names `weft repair`, and never a silent loss."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.crawling import assert_fetched_the_truth, crawl_all, quick_config, resume
from tests.pipeline.engine_process import prepare_folder
from tests.scratch import scratch_folder
from weft.errors import FolderError
from weft.folder.layout import database_of
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

from .crawls import resuming, wait_for_writes, weft

FOLDER = 6
WEB = WebSpec(hosts=6, pages=100, seed=2)
PAGES = 60
SPOILT_BYTES = 400


def remove(pattern: str) -> Callable[[Path], None]:
    def damage(database: Path) -> None:
        removed = list(database.glob(pattern))
        assert removed
        for path in removed:
            path.unlink()

    damage.__name__ = f"without {pattern}"
    return damage


def spoil_beginning(database: Path) -> None:
    """Flip bytes of every table where its first rows are."""
    for path in database.glob("*.sst"):
        spoil(path, 0)


def spoil_somewhere(database: Path) -> None:
    chance = random.Random(3)
    for path in database.glob("*.sst"):
        spoil(path, chance.randrange(max(1, path.stat().st_size - SPOILT_BYTES)))


def spoil(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    for place in range(offset, min(offset + SPOILT_BYTES, len(data))):
        data[place] ^= 0x5A
    path.write_bytes(data)


def empty(database: Path) -> None:
    remove("*")(database)


def replace_by_rubbish(database: Path) -> None:
    (database / "CURRENT").write_bytes(os.urandom(30))


DAMAGES = [
    shutil.rmtree,
    empty,
    remove("CURRENT"),
    remove("MANIFEST-*"),
    remove("*.sst"),
    spoil_beginning,
    spoil_somewhere,
    replace_by_rubbish,
]


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with SimProcess(WEB) as process:
        yield process


@pytest.fixture(scope="module")
def half_done(sim: SimProcess) -> Iterator[Path]:
    """A crawl stopped in the middle; to be copied, not to be changed."""
    with scratch_folder() as folder:
        crawl_all(folder / "crawl", quick_config(sim, max_pages=PAGES))
        yield folder / "crawl"


@pytest.fixture
def folder(half_done: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(half_done, tmp_path / "crawl"))


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_database_is_refused_with_the_way_out_and_nothing_is_touched(
    damage: Callable[[Path], None], folder: Path
) -> None:
    archive = contents(folder / "archive")
    damage(database_of(folder))
    with pytest.raises(FolderError, match="`weft repair"):
        read_all(folder)
    with pytest.raises(FolderError, match="`weft repair"):
        resume(folder, max_pages=None)
    assert contents(folder / "archive") == archive


def read_all(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        assert list(reader.rows())
        assert list(reader.sides())


def test_the_command_line_says_so_in_one_sentence(folder: Path) -> None:
    remove("CURRENT")(database_of(folder))
    for command in (["report", str(folder)], ["export", str(folder), "--to", "wacz"], ["resume", str(folder)]):
        done = weft(*command)
        assert done.code == FOLDER, (command, done.errors)
        assert "`weft repair" in done.sentence()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "damage",
    [pytest.param(damage, marks=pytest.mark.large) for damage in DAMAGES],
    ids=lambda damage: damage.__name__,
)
def test_repair_and_resume_come_to_the_whole_result(
    damage: Callable[[Path], None], folder: Path, sim: SimProcess
) -> None:
    damage(database_of(folder))
    repair(folder)
    ending, files = resume(folder, max_pages=None)
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, sim.web.truth())


# ── damage that is met only while the crawl runs ───────────────────────────────────────────────────────


@pytest.mark.large
@pytest.mark.parametrize("seed", range(60))
def test_bytes_flipped_anywhere_in_the_tables_lose_nothing_in_silence(seed: int, folder: Path, sim: SimProcess) -> None:
    """Either the crawl comes to the whole result, or it says that its database is damaged."""
    chance = random.Random(seed)
    tables = sorted(database_of(folder).glob("*.sst"))
    table = chance.choice(tables)
    spoil(table, chance.randrange(table.stat().st_size))
    assert_complete_or_repaired(folder, sim, max_pages=None)


def assert_complete_or_repaired(folder: Path, sim: SimProcess, **changes: Any) -> None:
    said = ""
    try:
        resume(folder, **changes)
    except FolderError as error:
        said = str(error)
    if said:
        assert "`weft repair" in said
        repair(folder)
    ending, files = resume(folder, **changes)
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, sim.web.truth())


# ── the log of the database ────────────────────────────────────────────────────────────────────────────


def killed_with_a_log(folder: Path, sim: SimProcess) -> Path:
    """A crawl killed in the middle; gives the log that holds its latest rows."""
    prepare_folder(folder, quick_config(sim, max_pages=None, rate=20))  # so it is not over before
    with resuming(folder) as run:
        assert wait_for_writes(folder, run, 20)
    return max(database_of(folder).glob("*.log"), key=lambda path: path.stat().st_size)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 20))])
def test_a_log_spoilt_in_the_middle_loses_no_page(seed: int, tmp_path: Path) -> None:
    """The database is then as it was at an earlier moment; the pages since then are fetched again."""
    chance = random.Random(seed)
    folder = tmp_path / "crawl"
    with SimProcess(WebSpec(hosts=6, pages=150, seed=2, latency_ms=(2, 20))) as sim:
        log = killed_with_a_log(folder, sim)
        spoil(log, chance.randrange(log.stat().st_size))
        assert_complete_or_repaired(folder, sim, rate=None)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 10))])
def test_a_database_that_is_older_than_finished_files_is_refused(seed: int, tmp_path: Path) -> None:
    """Killed when the files had their final names; then the log was spoilt, so that the rows are older than they."""
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        prepare_folder(folder, quick_config(sim))
        with resuming(folder, crash_at="index") as run:
            assert run.wait() == -signal.SIGKILL
        archive = contents(folder / "archive")
        log = max(database_of(folder).glob("*.log"), key=lambda path: path.stat().st_size)
        spoil(log, random.Random(seed).randrange(log.stat().st_size - SPOILT_BYTES))
        with pytest.raises(FolderError, match="`weft repair"):
            resume(folder)
        assert contents(folder / "archive") == archive
        repair(folder)
        ending, files = resume(folder)
        assert ending is Ending.DONE
        assert_fetched_the_truth(files, sim.web.truth())


@pytest.mark.large
def test_rubbish_behind_the_log_is_passed_over(tmp_path: Path) -> None:
    """A power cut may leave it there."""
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        log = killed_with_a_log(folder, sim)
        with log.open("ab") as file:
            file.write(os.urandom(5000))
        ending, files = resume(folder, rate=None)
        assert ending is Ending.DONE
        assert_fetched_the_truth(files, sim.web.truth())
