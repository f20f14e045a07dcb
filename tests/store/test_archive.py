"""The table of files: who writes where, what is safe, and what a stop of any kind leaves behind."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest
import uvloop

from tests.store.rig import INFO, ArchiveRig, fetched, headers_of, is_sound, url_of
from weft.errors import FolderError
from weft.store import WarcWriter, read_record
from weft.types import RecordPlace
from weft.url import url_id

NAME = "weft-20270115080000-00001.warc.gz"


# ── files ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_slot_keeps_its_file_and_has_it_alone(rig: ArchiveRig) -> None:
    one, other = rig.archive.file_for(0), rig.archive.file_for(1)
    assert one.id != other.id
    assert one.path != other.path
    assert rig.archive.file_for(0) == one
    assert Path(one.path).name == NAME + ".open"


def test_a_worker_goes_on_where_the_last_one_was_committed(rig: ArchiveRig) -> None:
    location = rig.page(1)
    rig.write(2)  # its worker dies before the commit
    file = rig.archive.file_for(0)
    assert (file.id, file.end) == (location.file, location.end)


def test_the_next_run_goes_on_in_the_same_file(rig: ArchiveRig) -> None:
    location = rig.page(1)
    rig.restart()
    assert rig.recover() == []
    assert rig.page(2).offset == location.end
    assert is_sound(rig.archive.path_of(location.file))


def test_a_file_is_full_when_its_committed_pages_say_so(folder: Path) -> None:
    rig = ArchiveRig(folder, rotate_at_bytes=10_000)
    ends_and_fullness = []
    for number in range(5):
        location = rig.page(number)
        ends_and_fullness.append((location.end, rig.archive.is_full(location.file)))
    rig.close()
    assert ends_and_fullness[0][0] < 10_000 < ends_and_fullness[-1][0]
    assert all(is_full == (end >= 10_000) for end, is_full in ends_and_fullness)


def test_a_retired_file_is_followed_by_a_new_one_even_within_the_same_second(rig: ArchiveRig) -> None:
    first = rig.page(1)
    rig.archive.retire(first.file)
    second = rig.page(2)
    assert second.file != first.file
    assert rig.archive.name_of(first.file) != rig.archive.name_of(second.file)
    assert not rig.archive.is_full(first.file)


def test_a_retired_file_gets_its_final_name_when_it_is_safe_on_disk(rig: ArchiveRig) -> None:
    location = rig.page(1)
    rig.archive.retire(location.file)
    assert rig.files() == [NAME + ".open"]
    rig.sync()
    assert rig.files() == [NAME]
    assert rig.archive.path_of(location.file).name == rig.archive.name_of(location.file) == NAME
    rig.restart()
    assert rig.recover() == []
    assert rig.archive.path_of(location.file).name == NAME
    assert rig.archive.file_for(0).id != location.file
    assert is_sound(rig.folder / NAME)


def test_a_file_that_is_not_retired_stays_open_however_often_it_is_synced(rig: ArchiveRig) -> None:
    rig.page(1)
    rig.sync()
    rig.sync()
    assert rig.files() == [NAME + ".open"]


def test_at_the_end_all_files_get_their_names(rig: ArchiveRig) -> None:
    for slot in range(3):
        rig.page(slot, slot)
    rig.archive.retire_all()
    rig.sync()
    assert rig.files() == [NAME.replace("-00001", f"-0000{number}") for number in (1, 2, 3)]
    assert all(is_sound(rig.folder / name) for name in rig.files())


def test_what_was_never_committed_is_not_in_a_file_with_its_final_name(rig: ArchiveRig) -> None:
    rig.page(1)
    rig.write(2)
    rig.archive.retire_all()
    rig.sync()
    assert {record.get("WARC-Target-URI") for record in headers_of(rig.folder / NAME)} == {None, url_of(1)}


def test_a_file_that_no_page_came_into_leaves_nothing_behind(rig: ArchiveRig) -> None:
    rig.archive.file_for(0)  # its worker never came to open it
    rig.writer(1)  # this one wrote who it is, and nothing more
    rig.archive.retire_all()
    rig.sync()
    assert rig.files() == []
    rig.restart()
    assert rig.recover() == []
    assert rig.page(1).offset > 0


def test_a_record_told_by_its_open_path_is_found_after_the_renaming(rig: ArchiveRig) -> None:
    location = rig.page(1)
    path = str(rig.archive.path_of(location.file))
    before = read_record(RecordPlace(path, location.offset, location.length)).block
    rig.archive.retire_all()
    rig.sync()
    assert read_record(RecordPlace(path, location.offset, location.length)).block == before


# ── syncing ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_committed_while_the_files_are_synced_does_not_count_as_safe(rig: ArchiveRig) -> None:
    rig.page(1)

    async def commit_meanwhile() -> None:
        syncing = asyncio.create_task(rig.archive.sync())
        await asyncio.sleep(0)  # by now it has read how far the files are committed
        rig.page(2)
        await syncing

    uvloop.run(commit_meanwhile())
    path = rig.archive.path_of(1)
    rig.restart()
    path.write_bytes(path.read_bytes()[:-1])
    assert rig.recover() == [url_id(url_of(2))]


def test_a_file_retired_while_it_is_synced_waits_for_the_next_time(rig: ArchiveRig) -> None:
    rig.page(1)

    async def retire_meanwhile() -> None:
        syncing = asyncio.create_task(rig.archive.sync())
        await asyncio.sleep(0)
        rig.archive.retire(rig.page(2).file)
        await syncing

    uvloop.run(retire_meanwhile())
    assert rig.files() == [NAME + ".open"]
    rig.sync()
    assert rig.files() == [NAME]
    assert len(headers_of(rig.folder / NAME)) == 5


def test_what_is_safe_is_no_longer_listed_as_not_yet_safe(rig: ArchiveRig) -> None:
    rig.page(1, slot=0)
    rig.page(2, slot=1)
    assert len(list(rig.state.scan("unsynced"))) == 2
    rig.sync()
    assert list(rig.state.scan("unsynced")) == []
    rig.page(3, slot=1)
    assert [url_id for _, url_id in rig.state.scan("unsynced")] == [url_id(url_of(3))]


# ── recovery from a sudden end ─────────────────────────────────────────────────────────────────────────


def test_what_was_never_committed_is_cut_off(rig: ArchiveRig) -> None:
    location = rig.page(1)
    rig.write(2)
    rig.write(3)
    rig.restart()
    assert rig.recover() == []
    path = rig.archive.path_of(location.file)
    assert path.stat().st_size == location.end
    assert is_sound(path)


def test_a_half_written_record_is_cut_off(rig: ArchiveRig) -> None:
    location = rig.page(1)
    path = rig.archive.path_of(location.file)
    end = rig.write(2).end
    rig.restart()
    with path.open("r+b") as file:
        file.truncate(end - 500)
    assert rig.recover() == []
    assert path.stat().st_size == location.end


def test_a_new_file_without_a_committed_page_begins_anew(rig: ArchiveRig) -> None:
    rig.write(1)
    rig.restart()
    assert rig.recover() == []
    location = rig.page(1)
    records = headers_of(rig.archive.path_of(location.file))
    assert [record["WARC-Type"] for record in records] == ["warcinfo", "response", "request"]


def test_open_files_that_the_table_does_not_know_are_removed_and_nothing_else(rig: ArchiveRig) -> None:
    rig.page(1)
    strange = ["weft-20200101000000-00009.warc.gz.open", "other.warc.gz", "notes.txt"]
    for name in strange:
        (rig.folder / name).write_bytes(b"?")
    rig.restart()
    rig.recover()
    assert rig.files() == sorted([NAME + ".open", *strange[1:]])


def test_a_stop_between_the_renaming_and_its_row_is_made_good(rig: ArchiveRig) -> None:
    location = rig.page(1)
    rig.sync()
    rig.restart()
    (rig.folder / (NAME + ".open")).rename(rig.folder / NAME)
    assert rig.recover() == []
    assert rig.files() == [NAME]
    assert rig.archive.path_of(location.file) == rig.folder / NAME
    rig.restart()
    assert rig.archive.path_of(location.file) == rig.folder / NAME, "the row was made good too"
    assert rig.archive.file_for(0).id != location.file


def test_recovering_twice_changes_nothing_more(rig: ArchiveRig) -> None:
    rig.page(1)
    rig.sync()
    rig.page(2)
    rig.write(3)
    rig.restart()
    assert rig.recover() == []
    before = rig.archive.path_of(1).read_bytes()
    rig.restart()
    assert rig.recover() == []
    assert rig.archive.path_of(1).read_bytes() == before


def test_recovery_waits_for_a_worker_that_has_not_died_yet(rig: ArchiveRig) -> None:
    location = rig.page(1)
    path = rig.archive.path_of(location.file)
    rig.restart()
    straggler = WarcWriter(str(path), location.file, location.end, INFO)
    straggler.write(fetched(url_of(2)))
    dying = threading.Event()

    def die() -> None:
        dying.set()
        straggler.close()

    timer = threading.Timer(0.1, die)
    timer.start()
    assert rig.recover() == []
    assert dying.is_set()
    timer.join()
    assert path.stat().st_size == location.end


def test_a_file_that_was_safe_and_is_gone_is_told_and_not_made_up(rig: ArchiveRig) -> None:
    """Not weft's doing, but a file of zeros in its place would hide it."""
    location = rig.page(1)
    rig.sync()
    path = rig.archive.path_of(location.file)
    rig.restart()
    path.unlink()
    with pytest.raises(FolderError, match=NAME):
        rig.recover()


def test_what_recovery_cuts_off_is_gone_from_the_disk_before_anything_is_written_in_its_place(
    rig: ArchiveRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = rig.page(1)
    rig.write(2)  # never committed
    path = rig.archive.path_of(location.file)
    assert path.stat().st_size > location.end
    rig.restart()
    synced: list[tuple[int, int]] = []  # file and its size at that moment
    fsync = os.fsync

    def noted(fd: int) -> None:
        found = os.fstat(fd)
        synced.append((found.st_ino, found.st_size))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", noted)
    rig.recover()
    assert (path.stat().st_ino, location.end) in synced
