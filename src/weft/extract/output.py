"""The parts made into the output, when all pages are done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from weft.errors import told_in_words
from weft.export.items import write_items
from weft.extract.journal import Entry
from weft.extract.parts import FAILED, ITEMS, stretches_of
from weft.whole_file import appears_whole

FAILED_SUFFIX: Final = ".failed.jsonl"


def write_output(entries: Sequence[Entry], folder: Path, out: Path, failed_path: Path) -> bool:
    """Write the items, and beside them what failed; False if every call did, and a good file is better left.

    It may be done again after a stop of any kind.
    """
    ordered = sorted(entries, key=lambda entry: (entry.file, entry.start))
    _write_failed(ordered, folder, failed_path)
    if is_failure(entries) and out.exists() and out.stat().st_size:
        return False

    def items() -> Iterator[bytes]:
        return stretches_of(folder, ITEMS, ((one.part, one.items_start, one.items_end) for one in ordered))

    write_items(items, out, replaces=True)
    return True


def is_failure(entries: Sequence[Entry]) -> bool:
    """Whether there is nothing but failures."""
    return not any(entry.items for entry in entries) and any(entry.failed or entry.unreadable for entry in entries)


def _write_failed(ordered: Sequence[Entry], folder: Path, path: Path) -> None:
    places = [(one.part, one.failed_start, one.failed_end) for one in ordered if one.failed_start < one.failed_end]
    if not places:
        with told_in_words(path):
            path.unlink(missing_ok=True)  # that of an earlier output
        return
    with appears_whole(path, replaces=True) as out:
        for piece in stretches_of(folder, FAILED, places):
            out.write(piece)
