"""items.jsonl: the items of each archived page, exactly once, whatever happens in between."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tests.store.items_rig import SEVERAL, ItemsRig
from tests.store.rig import url_of
from weft.errors import DiskFull, FolderError
from weft.url import url_id


@pytest.fixture
def items(folder: Path) -> Iterator[ItemsRig]:
    rig = ItemsRig(folder)
    yield rig
    rig.close()


def test_items_reach_the_file_once_their_page_is_safe(items: ItemsRig) -> None:
    items.page(1)
    assert items.lines() == []
    items.sync()
    items.assert_has_each_page_once(1)
    items.sync()
    items.assert_has_each_page_once(1)


def test_pages_of_several_files_come_once_each_and_those_of_one_file_in_its_order(items: ItemsRig) -> None:
    for number in range(9):
        items.page(number, slot=number % 3)
        if number % 4 == 0:
            items.sync()
    items.sync()
    items.assert_has_each_page_once(*range(9))
    assert [page for page, item in items.lines() if not item and page % 3 == 0] == [0, 3, 6]


def test_a_page_without_items_leaves_no_trace(items: ItemsRig) -> None:
    items.page(1, items=0)
    items.sync()
    assert not items.path.exists()
    items.page(2)
    items.sync()
    items.assert_has_each_page_once(2)


def test_what_is_in_the_file_is_no_longer_in_the_database(items: ItemsRig) -> None:
    for number in range(3):
        items.page(number, slot=number % 2)
    items.sync()
    assert list(items.state.scan("items")) == []


def test_a_page_committed_while_the_file_is_written_comes_with_the_next_sync(items: ItemsRig) -> None:
    items.page(1)

    async def commit_meanwhile() -> None:
        syncing = asyncio.create_task(items.archive.sync())
        for number in (2, 3, 4):
            await asyncio.sleep(0)
            items.page(number)
        await syncing

    uvloop.run(commit_meanwhile())
    assert {page for page, _ in items.lines()} >= {1}
    items.sync()
    items.assert_has_each_page_once(1, 2, 3, 4)


def test_two_syncs_at_once_write_nothing_twice(items: ItemsRig) -> None:
    for number in range(5):
        items.page(number)

    async def both() -> None:
        await asyncio.gather(items.archive.sync(), items.archive.sync())

    uvloop.run(both())
    items.assert_has_each_page_once(*range(5))


# ── a stop at any point ────────────────────────────────────────────────────────────────────────────────


def test_a_stop_before_the_sync_costs_no_item(items: ItemsRig) -> None:
    items.page(1)
    assert items.go_on() == []
    items.sync()
    items.assert_has_each_page_once(1)


def test_a_stop_between_the_file_and_the_batch_writes_no_item_twice(items: ItemsRig) -> None:
    """The lines are in the file, but the rows do not know of it."""
    items.page(1)
    items.sync()
    items.page(2)
    items.page(3)
    append_as_a_sync_would(items, 2, 3)
    assert items.go_on() == []
    items.page(4)
    items.sync()
    items.assert_has_each_page_once(1, 2, 3, 4)


@pytest.mark.parametrize("left_bytes", [0, 1, 20, 40])
def test_a_stop_in_the_middle_of_a_line_is_made_good(items: ItemsRig, left_bytes: int) -> None:
    items.page(1)
    items.sync()
    whole = items.path.stat().st_size
    items.page(2)
    append_as_a_sync_would(items, 2)
    os.truncate(items.path, whole + left_bytes)
    assert items.go_on() == []
    assert items.path.stat().st_size == whole
    items.sync()
    items.assert_has_each_page_once(1, 2)


def test_a_stop_after_the_batch_writes_no_item_twice(items: ItemsRig) -> None:
    items.page(1)
    items.sync()
    assert items.go_on() == []
    items.sync()
    items.assert_has_each_page_once(1)


def test_stops_without_number_change_nothing(items: ItemsRig) -> None:
    for number in range(20):
        items.page(number, slot=number % 2)
        if number % 3 == 0:
            items.sync()
        if number % 5 == 0:
            append_as_a_sync_would(items, number)
        if number % 2:
            items.go_on()
    items.archive.retire_all()
    items.sync()
    items.assert_has_each_page_once(*range(20))


def test_pages_written_but_never_committed_have_no_items(items: ItemsRig) -> None:
    items.page(1)
    items.write(2)
    items.go_on()
    items.archive.retire_all()
    items.sync()
    items.assert_has_each_page_once(1)


def append_as_a_sync_would(items: ItemsRig, *pages: int) -> None:
    with items.path.open("ab") as file:
        for page in pages:
            file.writelines(json.dumps({"page": page, "item": item}).encode() + b"\n" for item in range(SEVERAL))


# ── a power cut ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("lost_from", [2, 3, 4])
def test_a_page_that_a_power_cut_takes_has_no_items_until_it_is_visited_again(items: ItemsRig, lost_from: int) -> None:
    locations = {number: items.page(number) for number in (0, 1)}
    items.sync()
    locations |= {number: items.page(number) for number in (2, 3, 4)}
    path = items.archive.path_of(1)
    items.restart()
    os.truncate(path, locations[lost_from].end - 1)
    lost = items.recover()
    assert lost == [url_id(url_of(number)) for number in range(lost_from, 5)]
    items.sync()
    items.assert_has_each_page_once(*range(lost_from))
    for number in range(lost_from, 5):
        items.page(number)
    items.sync()
    items.assert_has_each_page_once(*range(5))


def test_a_power_cut_that_leaves_lines_but_takes_their_pages_takes_the_lines_too(items: ItemsRig) -> None:
    """Both files were on their way; the lines arrived, the record did not."""
    items.page(0)
    items.sync()
    at = items.page(1)
    append_as_a_sync_would(items, 1)
    path = items.archive.path_of(at.file)
    items.restart()
    os.truncate(path, at.offset)
    assert items.recover() == [url_id(url_of(1))]
    items.assert_has_each_page_once(0)
    items.page(1)
    items.sync()
    items.assert_has_each_page_once(0, 1)


def test_a_page_visited_again_at_the_same_place_does_not_bring_back_its_old_items(items: ItemsRig) -> None:
    at = items.page(1, items=7)
    path = items.archive.path_of(at.file)
    items.restart()
    os.truncate(path, at.end - 1)
    items.recover()
    again = items.page(1)
    assert (again.file, again.offset) == (at.file, at.offset)
    items.sync()
    items.assert_has_each_page_once(1)


def test_a_stop_during_the_recovery_brings_back_no_items_of_lost_pages(items: ItemsRig) -> None:
    at = items.page(1)
    path = items.archive.path_of(at.file)
    items.restart()
    os.truncate(path, at.end - 1)
    items.archive.recover(items.state.batch())  # the batch is never written
    assert items.go_on() == [1]
    items.sync()
    items.assert_has_each_page_once(1)


# ── other people's hands ───────────────────────────────────────────────────────────────────────────────


def test_a_file_that_was_taken_away_begins_anew(items: ItemsRig) -> None:
    items.page(1)
    items.sync()
    items.path.unlink()
    items.go_on()
    items.page(2)
    items.sync()
    items.assert_has_each_page_once(2)


def test_a_file_that_was_taken_away_counts_from_nothing(items: ItemsRig) -> None:
    items.page(1)
    items.sync()
    items.path.unlink()
    items.go_on()
    assert items.archive.items.count == 0


@pytest.mark.parametrize("is_written", [False, True])
def test_a_stop_after_a_file_was_taken_away_is_like_any_other(items: ItemsRig, is_written: bool) -> None:
    """The new file is shorter than the old one was: nobody took anything from it."""
    for number in range(5):
        items.page(number)
    items.sync()
    items.path.unlink()
    items.go_on()
    items.page(7)
    if is_written:
        append_as_a_sync_would(items, 7)
    items.go_on()
    items.page(8)
    items.sync()
    items.assert_has_each_page_once(7, 8)


@pytest.mark.parametrize("left", [0.0, 0.5, 0.99])
def test_a_file_that_was_shortened_is_told_and_not_filled_with_zeros(items: ItemsRig, left: float) -> None:
    items.page(1)
    items.sync()
    data = items.path.read_bytes()
    items.path.write_bytes(data[: int(left * len(data))])
    items.restart()
    with pytest.raises(FolderError, match=r"items\.jsonl has lost lines"):
        items.recover()
    assert items.path.read_bytes() == data[: int(left * len(data))]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_goes_while_the_crawl_runs_is_told_and_costs_no_later_item(items: ItemsRig, is_there: bool) -> None:
    items.page(1)
    items.sync()
    if is_there:
        items.path.write_bytes(b"")
    else:
        items.path.unlink()
    items.page(2)
    with pytest.raises(FolderError, match="has lost lines" if is_there else "taken away"):
        items.sync()
    items.path.unlink(missing_ok=True)
    items.go_on()
    items.sync()
    items.assert_has_each_page_once(2)


def test_moving_a_shortened_file_away_is_the_way_on_that_the_error_names(items: ItemsRig) -> None:
    items.page(1)
    items.sync()
    items.path.write_bytes(b"{")
    items.restart()
    with pytest.raises(FolderError, match="move it away"):
        items.recover()
    items.path.rename(items.path.with_suffix(".old"))
    items.go_on()
    items.page(2)
    items.sync()
    items.assert_has_each_page_once(2)


def test_lines_that_somebody_added_are_not_kept(items: ItemsRig) -> None:
    items.page(1)
    items.sync()
    with items.path.open("ab") as file:
        file.write(b'{"mine": true}\n')
    items.go_on()
    items.assert_has_each_page_once(1)


# ── no room ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_full_disk_is_told_as_such_and_no_item_is_lost(items: ItemsRig, monkeypatch: pytest.MonkeyPatch) -> None:
    items.page(1)

    def no_room(fd: int) -> None:
        if os.readlink(f"/proc/self/fd/{fd}").endswith("items.jsonl"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_room)
        with pytest.raises(DiskFull):
            items.sync()
    items.go_on()
    items.sync()
    items.assert_has_each_page_once(1)
