"""One extraction: its folder beside the output, what is done, and what is left to do.

    FILE                 the output, once it is whole
    FILE.failed.jsonl    the pages on which a function failed, with the reason; only if there are any
    FILE.log             what workers and functions had to say; only if it was something
    FILE.parts/          until then: `journal`, and the parts

One that was stopped, however, goes on where it was when it is opened again, with what the crawl has committed by then.
Without a journal, what has these names may be the user's: it stays unless --force was given.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

from weft.crash_points import crash_point
from weft.errors import BadInput, told_in_words
from weft.export.selection import Selection
from weft.extract.journal import Begun, DoneTable, Entry, Journal
from weft.extract.output import FAILED_SUFFIX, is_failure, write_output
from weft.extract.parts import FAILED, ITEMS, PartFile, is_part, next_number, part_path
from weft.extract.stretches import ToDo
from weft.folder.readings import open_reader
from weft.state import sync_path
from weft.store.items import check_items_file
from weft.store.sorted_lines import SCRATCH_PREFIX
from weft.whole_file import refuse_to_replace

PARTS_SUFFIX: Final = ".parts"
LOG_SUFFIX: Final = ".log"
JOURNAL: Final = "journal"


class Bounds(NamedTuple):
    """Of the functions."""

    time_s: float  # that a call may take
    memory_bytes: int  # by which they may let a worker grow


class ExtractJob:
    """What is to be made of a crawl, and of which pages. `replaces` begins again."""

    def __init__(
        self,
        folders: Sequence[Path],
        functions: tuple[str, ...],
        out: Path,
        selection: Selection,
        pages: str,
        bounds: Bounds,
        *,
        replaces: bool = False,
    ) -> None:
        self.functions = functions
        self.bounds = bounds
        self.out = out
        self.log = out.with_name(out.name + LOG_SUFFIX)
        self.failed_path = out.with_name(out.name + FAILED_SUFFIX)
        self.folder = out.with_name(out.name + PARTS_SUFFIX)
        check_items_file(out)
        has_journal = (self.folder / JOURNAL).exists()
        if replaces or not has_journal:
            for path in (out, self.failed_path, self.log):
                refuse_to_replace(path, replaces=replaces)
        if not has_journal:
            _refuse_foreign(self.folder)
        wanted = Begun(sorted(str(path.resolve()) for path in folders), list(functions), pages)
        with ExitStack() as opened:
            self._reader = opened.enter_context(open_reader(folders))
            self._reader.refuse_without_archive()
            self._reader.refuse_missing()
            with told_in_words(self.folder):
                self.folder.mkdir(exist_ok=True)
            self._journal = Journal(self.folder / JOURNAL)
            opened.callback(self._journal.close)
            self.entries = self._begin(wanted, replaces=replaces)
            self._next_part = next_number(self.folder)
            self._own_number = self.new_part()
            self._own_part = PartFile(part_path(self.folder, self._own_number, FAILED))
            self._selection = selection
            self.to_do: ToDo | None = None
            self._is_finished = False
            self._opened = opened.pop_all()

    def _begin(self, wanted: Begun, *, replaces: bool) -> list[Entry]:
        """The entries to go on with."""
        found, entries = self._journal.load()
        if found is not None and not replaces:
            for what, begun, now in (
                ("from", found.folders, wanted.folders),
                ("with", found.functions, wanted.functions),
                ("of", [found.pages], [wanted.pages]),
            ):
                if begun != now:
                    words = f"begun {what} {', '.join(begun)}, not {', '.join(now)}"
                    raise BadInput(f"{self.out} was {words}; --force begins it again")
            return entries
        if not replaces and not self._journal.is_empty:
            raise BadInput(f"{self.folder / JOURNAL} is not a journal of weft's; --force replaces it")
        with told_in_words(self.folder):
            for path in self.folder.iterdir():
                if _is_own(path) and path.name != JOURNAL:
                    path.unlink()
            self.log.unlink(missing_ok=True)
        self._journal.begin(wanted)
        return []

    def sort(self) -> ToDo:
        """Find the pages that are left, and bring them into the archive's order."""
        self.to_do = ToDo(self._reader, self._selection, DoneTable(self.entries), self.folder)
        self._opened.callback(self.to_do.close)
        return self.to_do

    def new_part(self) -> int:
        """The number of a part that nobody has begun."""
        number = self._next_part
        self._next_part += 1
        return number

    def own_failure(self, line: bytes) -> tuple[int, int, int]:
        """Keep a line about a page that no worker could tell: its part, start and end."""
        start = self._own_part.end
        self._own_part.append(line)
        return self._own_number, start, self._own_part.end

    def commit(self, entries: list[Entry]) -> None:
        """Make stretches count: first their items are safe, then the journal says so."""
        with told_in_words(self.folder):
            for number in {entry.part for entry in entries}:
                for suffix in (ITEMS, FAILED):
                    _sync(part_path(self.folder, number, suffix))
            sync_path(self.folder)
        crash_point("extract-synced")
        self._journal.add(entries)
        crash_point("extract-entered")
        self.entries += entries

    @property
    def is_failure(self) -> bool:
        """Whether there is nothing but failures."""
        return is_failure(self.entries)

    def finish(self) -> bool:
        """All pages are done: make the output; False if it was better to leave the one that is there."""
        is_written = write_output(self.entries, self.folder, self.out, self.failed_path)
        crash_point("extract-written")
        self._journal.remove()
        crash_point("extract-finished")
        self._is_finished = True
        return is_written

    def close(self) -> None:
        """Let go of everything."""
        self._own_part.close()
        self._opened.close()
        if self._is_finished:
            _remove(self.folder)
        if self.log.exists() and not self.log.stat().st_size:
            self.log.unlink(missing_ok=True)


def _is_own(path: Path) -> bool:
    """Whether a file in the folder of parts has a name as weft makes them."""
    return path.name == JOURNAL or is_part(path) or path.name.startswith(SCRATCH_PREFIX)


def _refuse_foreign(folder: Path) -> None:
    """Raise BadInput if a folder of this name is there and holds what a killed extraction cannot have left."""
    if folder.is_dir() and (foreign := next((path for path in folder.iterdir() if not _is_own(path)), None)):
        raise BadInput(f"{foreign} is not weft's own, and parts of the output would lie beside it: name another output")


def _remove(folder: Path) -> None:
    """With all that is weft's own in it."""
    with suppress(OSError):  # it does no harm
        for path in filter(_is_own, folder.iterdir()):
            path.unlink()
        folder.rmdir()


def _sync(path: Path) -> None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:  # nothing was written to it
        return
    try:
        os.fdatasync(fd)
    finally:
        os.close(fd)
