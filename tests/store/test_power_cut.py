"""A power cut takes or spoils any part of what was written since the last sync. The rows may be ahead of the files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.scratch import scratch_folder
from tests.store.items_rig import ItemsRig
from tests.store.rig import ArchiveRig, headers_of, is_sound, url_of
from weft.types import Location
from weft.url import url_id

SYNCED = 2
PAGES = 6


class Extent(NamedTuple):
    """Where one page lies in its file."""

    start: int
    response_end: int
    end: int


class CrashedArchive(NamedTuple):
    """What a power cut left; some pages were synced, all were committed."""

    folder: Path
    file: Path
    locations: list[Location]


@pytest.fixture(scope="module")
def crashed() -> Iterator[CrashedArchive]:
    with scratch_folder() as folder:
        rig = ItemsRig(folder)
        locations = [rig.page(number) for number in range(SYNCED)]
        rig.sync()
        locations += [rig.page(number) for number in range(SYNCED, PAGES)]
        file = rig.archive.path_of(1).relative_to(folder)
        rig.close()
        yield CrashedArchive(folder, file, locations)


@pytest.fixture
def after_the_cut(crashed: CrashedArchive, folder: Path) -> CrashedArchive:
    """A copy to be spoiled."""
    shutil.copytree(crashed.folder, folder, dirs_exist_ok=True)
    return CrashedArchive(folder, folder / crashed.file, crashed.locations)


Damage = Callable[[bytearray, Extent], None]
Place = Callable[[Extent], int]

PLACES: dict[str, Place] = {
    "at the page's first byte": lambda at: at.start,
    "after its first byte": lambda at: at.start + 1,
    "in the gzip header": lambda at: at.start + 9,
    "after the gzip header": lambda at: at.start + 10,
    "in the response": lambda at: (at.start + at.response_end) // 2,
    "before the response's checksum": lambda at: at.response_end - 8,
    "in the response's checksum": lambda at: at.response_end - 5,
    "before the response's last byte": lambda at: at.response_end - 1,
    "between response and request": lambda at: at.response_end,
    "in the request": lambda at: (at.response_end + at.end) // 2,
    "before the request's length": lambda at: at.end - 4,
}


def cut(place: Place) -> Damage:
    """The file is too short."""

    def damage(data: bytearray, at: Extent) -> None:
        del data[place(at) :]

    return damage


def zero_the_rest(place: Place) -> Damage:
    """The file has its length, but the last blocks never came."""

    def damage(data: bytearray, at: Extent) -> None:
        data[place(at) :] = bytes(len(data) - place(at))

    return damage


def flip(place: Place) -> Damage:
    """One bit is wrong."""

    def damage(data: bytearray, at: Extent) -> None:
        data[place(at)] ^= 0x10

    return damage


def lose_a_block(data: bytearray, at: Extent) -> None:
    """A block in the middle never came, all after it did."""
    middle = (at.start + at.response_end) // 2
    data[middle : middle + 512] = bytes(512)


def old_content(data: bytearray, at: Extent) -> None:
    """What the disk held there before: other people's bytes."""
    data[at.start : at.end] = os.urandom(at.end - at.start)


def missing_bytes(data: bytearray, at: Extent) -> None:
    """Everything after the gap stands at the wrong place."""
    del data[at.start + 100 : at.start + 101]


DAMAGES: dict[str, Damage] = {
    **{f"cut {name}": cut(place) for name, place in PLACES.items()},
    "cut before the last byte": cut(lambda at: at.end - 1),
    **{f"zeros {name}": zero_the_rest(place) for name, place in PLACES.items()},
    "bit in the magic": flip(lambda at: at.start),
    "bit in the flags": flip(lambda at: at.start + 3),
    "bit in the response": flip(PLACES["in the response"]),
    "bit in the checksum": flip(lambda at: at.response_end - 8),
    "bit in the length": flip(lambda at: at.response_end - 4),
    "bit in the request's magic": flip(lambda at: at.response_end),
    "bit in the request": flip(PLACES["in the request"]),
    "bit in the last byte": flip(lambda at: at.end - 1),
    "a block lost": lose_a_block,
    "old content": old_content,
    "a byte missing": missing_bytes,
}


# Every damage, now at one page, now at another; the large run has all of them at all of these pages.
DAMAGED = [
    pytest.param(damage, page, id=f"{name} {page}", marks=() if number % 3 == place else pytest.mark.large)
    for number, (name, damage) in enumerate(DAMAGES.items())
    for place, page in enumerate((SYNCED, SYNCED + 1, PAGES - 1))
]


@pytest.mark.parametrize(("damage", "page"), DAMAGED)
def test_exactly_the_pages_from_the_first_damaged_one_on_are_given_back(
    after_the_cut: CrashedArchive, damage: Damage, page: int
) -> None:
    location = after_the_cut.locations[page]
    data = bytearray(after_the_cut.file.read_bytes())
    damage(data, Extent(location.offset, location.offset + location.length, location.end))
    after_the_cut.file.write_bytes(data)
    rig = ArchiveRig(after_the_cut.folder)
    assert rig.recover() == [url_id(url_of(number)) for number in range(page, PAGES)]
    assert after_the_cut.file.stat().st_size == location.offset
    assert is_sound(after_the_cut.file)
    rig.close()


@pytest.mark.parametrize(("damage", "page"), DAMAGED)
def test_the_items_of_lost_pages_come_once_when_the_pages_come_again(
    after_the_cut: CrashedArchive, damage: Damage, page: int
) -> None:
    location = after_the_cut.locations[page]
    data = bytearray(after_the_cut.file.read_bytes())
    damage(data, Extent(location.offset, location.offset + location.length, location.end))
    after_the_cut.file.write_bytes(data)
    rig = ItemsRig(after_the_cut.folder)
    rig.recover()
    rig.sync()
    rig.assert_has_each_page_once(*range(page))
    for number in range(page, PAGES):
        rig.page(number)
    rig.sync()
    rig.assert_has_each_page_once(*range(PAGES))
    rig.close()


def test_without_damage_nothing_is_given_back(after_the_cut: CrashedArchive) -> None:
    before = after_the_cut.file.read_bytes()
    rig = ArchiveRig(after_the_cut.folder)
    assert rig.recover() == []
    assert after_the_cut.file.read_bytes() == before
    rig.close()


def test_the_crawl_goes_on_in_a_file_that_was_cut(after_the_cut: CrashedArchive) -> None:
    spoil(after_the_cut, after_the_cut.locations[3].offset + 40)
    rig = ArchiveRig(after_the_cut.folder)
    lost = rig.recover()
    assert len(lost) == 3
    again = [rig.page(number) for number in range(3, PAGES)]
    assert again[0].offset == after_the_cut.locations[3].offset
    rig.restart()
    assert rig.recover() == [], "the old rows of lost records are not in the way"
    rig.archive.retire_all()
    rig.sync()
    (name,) = rig.files()
    urls = [record.get("WARC-Target-URI") for record in headers_of(rig.folder / name)]
    assert urls == [None, *(url_of(number) for number in range(PAGES) for _ in range(2))]
    assert is_sound(rig.folder / name)
    rig.close()


def test_a_stop_during_the_recovery_loses_no_page(after_the_cut: CrashedArchive) -> None:
    """The file is cut already when the process dies, but the pages are not back in the queue."""
    spoil(after_the_cut, after_the_cut.locations[3].offset + 40)
    rig = ArchiveRig(after_the_cut.folder)
    first = rig.archive.recover(rig.state.batch())
    rig.restart()
    assert rig.recover() == first == [url_id(url_of(number)) for number in (3, 4, 5)]
    rig.restart()
    assert rig.recover() == []
    rig.close()


def test_each_file_is_judged_by_itself(folder: Path) -> None:
    rig = ArchiveRig(folder)
    rig.page(0, slot=0)
    rig.page(1, slot=1)
    rig.sync()
    spoilt, whole = rig.page(2, slot=0), rig.page(3, slot=1)
    spoilt_path, whole_path = rig.archive.path_of(spoilt.file), rig.archive.path_of(whole.file)
    rig.restart()
    os.truncate(spoilt_path, spoilt.end - 1)
    assert rig.recover() == [url_id(url_of(2))]
    assert whole_path.stat().st_size == whole.end
    rig.close()


@pytest.mark.parametrize("left_bytes", [0, 1, 100])
def test_a_file_that_was_never_synced_may_lose_everything(folder: Path, left_bytes: int) -> None:
    rig = ArchiveRig(folder)
    locations = [rig.page(number) for number in range(3)]
    path = rig.archive.path_of(1)
    rig.restart()
    assert left_bytes < locations[0].offset, "not even the first record is whole"
    os.truncate(path, left_bytes)
    assert rig.recover() == [url_id(url_of(number)) for number in range(3)]
    assert path.stat().st_size == 0
    rig.page(7)
    assert [record["WARC-Type"] for record in headers_of(path)] == ["warcinfo", "response", "request"]
    rig.close()


def test_a_file_whose_very_name_was_lost_gives_all_its_pages_back(folder: Path) -> None:
    rig = ArchiveRig(folder)
    for number in range(3):
        rig.page(number)
    path = rig.archive.path_of(1)
    rig.restart()
    path.unlink()
    assert rig.recover() == [url_id(url_of(number)) for number in range(3)]
    rig.close()


def spoil(archive: CrashedArchive, offset: int) -> None:
    data = bytearray(archive.file.read_bytes())
    data[offset] ^= 1
    archive.file.write_bytes(data)
