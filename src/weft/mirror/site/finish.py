"""After the crawl: all that makes its files."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec

from weft._version import __version__
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.folder.history import UPDATE_AT, forget_earlier
from weft.folder.layout import CRAWL_FOLDER, CrawlFolder
from weft.in_thread import never
from weft.mirror.paths import INDEX
from weft.mirror.rows import FILES, FILES_AT, LINKS, forget_kept, put_damaged, put_folders
from weft.mirror.site.changes import Changes
from weft.mirror.site.disk_file import MirrorFiles
from weft.mirror.site.index_page import index_page
from weft.mirror.site.known import file_of, files_by_path
from weft.mirror.site.layout import DONE, LEFT_FOR_LATER
from weft.mirror.site.messages import Told
from weft.mirror.site.placing import forget_missing, place_all
from weft.mirror.site.saving import remember_saving
from weft.mirror.site.targets import Targets
from weft.mirror.site.versions import Version, prune, version_name
from weft.mirror.site.writers import Progress, Writers
from weft.pipeline.doors import may_end_early
from weft.pipeline.engine import Ending
from weft.state import Batch, State
from weft.state.database import READ_ONLY_CACHE_BYTES
from weft.store import Archive
from weft.url import url_id
from weft.workers.malloc import give_memory_back

CHANGES: Final = "changes.json"


class Finished(msgspec.Struct):
    """What became of the files."""

    files: int
    written: int  # of these: they are new, or were something else before
    deleted: int
    first: str  # the file to begin with; empty when no seed could be saved
    changes: dict[str, int]
    kept_packed: int = 0  # files that unpack to more than they may, and are as they came
    for_example: list[str] = []  # URLs of these
    by_scripts: int = 0  # pages written that a server shows more of: scripts fill them, or are modules
    filled_for_example: list[str] = []  # URLs of those
    not_rewritten: int = 0  # files whose links could not be made local, by a fault of weft's: they are as they came
    not_rewritten_for_example: list[str] = []
    damaged: int = 0  # files that were not written, because their records in the archive cannot be read
    damaged_for_example: list[str] = []


class Placed(msgspec.Struct, frozen=True):
    """All files have their names."""

    version: str  # where this update keeps what it replaces; empty if nobody wants that, or this is none
    changes: dict[str, int]  # how many files are new, changed, gone, …


def place_files(
    state: State, folder: CrawlFolder, config: CrawlConfig, ending: Ending, is_halted: Callable[[], bool] = never
) -> Placed:
    """Give each URL its file."""
    archive = Archive(state, folder.archive, Clock())
    place_all(state, archive, config, is_complete=ending is Ending.DONE, is_halted=is_halted)
    began = state.get("meta", UPDATE_AT)
    version = version_name(float(began)) if config.keep_versions and began is not None else ""
    return Placed(version, Changes(state, config).counts(is_halted))


def finish_mirror(
    root: Path, ending: Ending, writers: Writers, placed: Placed | None, *, has_parked: bool, progress: Progress
) -> Finished:
    """Make the files be what the crawl found; `placed`: they have their names. Done again after a stop, it goes on."""
    is_complete = ending is Ending.DONE
    with closing(CrawlFolder(root / CRAWL_FOLDER, must_exist=True)) as folder:
        config = folder.load_config()
        if placed is None:
            with closing(State(folder.database)) as state:
                placed = place_files(state, folder, config, ending)
        version, counts = placed.version, placed.changes
        gc.collect()
        give_memory_back()  # what the crawl took: the writers need theirs
        told = _write_files(root, folder, writers, version, is_complete, progress)
        with closing(State(folder.database, cache_bytes=READ_ONLY_CACHE_BYTES)) as state:
            changes = Changes(state, config, frozenset(told.mended_ids))
            if told.mended_ids:
                counts = changes.counts()
            changes.write(folder.path / CHANGES, counts, is_complete=is_complete)
            right_at_ns = (folder.path / CHANGES).stat().st_ctime_ns
            kept = Version(root, version) if version else None
            files = MirrorFiles(root, kept)
            deleted = sum(map(files.delete, changes.gone())) if is_complete and counts["gone"] else 0
            if is_complete and kept is not None:
                kept.settle()
                prune(root, config.keep_versions)
            if config.index:
                MirrorFiles(root).save(INDEX, index_page(state, config, root))
            _sync_all(root)
            is_left_for_later = has_parked and ending is not Ending.INTERRUPTED and not may_end_early(config)
            batch = state.batch()
            put_damaged(batch, told.damaged_ids)
            if is_complete or is_left_for_later:
                numbers = ((folder, files.folder_number(folder)) for folder in _folders(state))
                put_folders(state, ((folder, number) for folder, number in numbers if number is not None))
                batch.put("meta", FILES_AT, str(right_at_ns).encode())
            _mark(state, batch, config, is_complete=is_complete, is_left_for_later=is_left_for_later)
            first = INDEX if config.index else next(filter(None, map(Targets(state, config).path_of, config.seeds)), "")
    return Finished(
        told.files - told.damaged.count,
        told.written,
        deleted,
        first,
        counts,
        *(told.kept_packed.count, told.kept_packed.for_example),
        *(told.by_scripts.count, told.by_scripts.for_example),
        *(told.not_rewritten.count, told.not_rewritten.for_example),
        *(told.damaged.count, told.damaged.for_example),
    )


def _write_files(
    root: Path, folder: CrawlFolder, writers: Writers, version: str, is_complete: bool, progress: Progress
) -> Told:
    """Make all files. If some cannot be made, links must not lead to them: then all are looked at a second time.

    The database is closed while they are written: open, it takes the more memory the more pages it has.
    """
    writers.begin(is_complete=is_complete, version=version)
    told = writers.end(progress)
    if told.damaged_ids:
        with closing(State(folder.database, cache_bytes=READ_ONLY_CACHE_BYTES)) as state:
            are_missing = forget_missing(state, root, told.damaged_ids)
        if are_missing:
            writers.begin(is_complete=is_complete, version=version)
            told.written = max(told.written, writers.end(progress).written)  # most are the same ones
    return told


def _mark(state: State, batch: Batch, config: CrawlConfig, *, is_complete: bool, is_left_for_later: bool) -> None:
    """Say that the files are as the crawl is; a run that was stopped has more to do, and does not."""
    if is_complete or is_left_for_later:
        batch.put("meta", LINKS, __version__.encode())
    if is_complete:
        remember_saving(batch, config)
        forget_earlier(batch)
        forget_kept(batch)
        batch.put("meta", FILES, DONE)
    elif is_left_for_later:
        batch.put("meta", FILES, LEFT_FOR_LATER)
    state.write(batch)
    state.sync()


def _folders(state: State) -> Iterator[str]:
    """Those that files lie in, some of them several times."""
    paths = (file_of(state, url_id(url)) for url in files_by_path(state))
    return (folder for folder, _ in groupby(path.rpartition("/")[0] for path in paths if path is not None))


def _sync_all(root: Path) -> None:
    """Once for all files, before anything says that they are there."""
    syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
    if syncfs is None:
        os.sync()
        return
    fd = os.open(root, os.O_RDONLY)
    try:
        syncfs(fd)
    finally:
        os.close(fd)
