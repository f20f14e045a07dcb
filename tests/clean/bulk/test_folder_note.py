"""The note beside an unfinished output survives a write that is cut off."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weft.clean.bulk.files.note import SLOT_BYTES, Note, NoteFile

FIRST = Note("crawl", "html: paper", holes=[7, 9])


def noted(path: Path, *notes: Note) -> Note | None:
    file = NoteFile(path)
    for note in notes:
        file.save(note)
    last = file.load()
    file.close()
    return last


def damage(path: Path, slot: int) -> None:
    with path.open("r+b") as file:
        file.seek(slot * SLOT_BYTES + 12)
        file.write(b"????")


def test_the_last_note_holds(tmp_path: Path) -> None:
    path = tmp_path / "note"
    assert noted(path) is None
    for number in range(5):
        note = msgspec.structs.replace(FIRST, number=number, output_end=number * 100, upto={1: number})
        assert noted(path, note) == note
        assert noted(path) == note


@pytest.mark.parametrize("number", [1, 2])
def test_a_note_that_was_cut_off_leaves_the_one_before(tmp_path: Path, number: int) -> None:
    notes = [msgspec.structs.replace(FIRST, number=one) for one in range(number + 1)]
    noted(tmp_path / "note", *notes)
    damage(tmp_path / "note", number % 2)
    assert noted(tmp_path / "note") == notes[-2]


def test_a_shorter_note_does_not_mix_with_the_longer_one_before(tmp_path: Path) -> None:
    long = msgspec.structs.replace(FIRST, holes=list(range(10_000)))
    assert noted(tmp_path / "note", long, msgspec.structs.replace(FIRST, number=2)) == msgspec.structs.replace(
        FIRST, number=2
    )


def test_a_note_takes_little_room_on_disk(tmp_path: Path) -> None:
    noted(tmp_path / "note", FIRST, msgspec.structs.replace(FIRST, number=1))
    assert (tmp_path / "note").stat().st_blocks * 512 < 64 * 1024
