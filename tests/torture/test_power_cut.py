"""Power cuts in short: every pairing of what log and WARC files may lose, and the lossy disk of the long run itself."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

from tests.scratch import scratch_folder
from tests.store.items_rig import ItemsRig
from tests.store.rig import headers_of, is_sound, url_of
from tests.torture.lossy_fs import CutTo, Fate, File, Folder, LossyDisk, Written, all_kept
from tests.torture.power_cut_results import FATES, PAIRINGS, Pairing
from tests.torture.power_cut_trace import Player, calls_in, in_hex
from weft.types import Location

SYNCED = range(6)
UNSYNCED = range(6, 14)
SLOTS = 2
# Cuts of each pairing: chance decides only where something is torn.
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(1, 4))]


class Disks(NamedTuple):
    """One crawl at three moments."""

    synced: Path  # everything written is safe
    written: Path  # more pages are committed, nothing of them is safe
    synced_again: Path
    locations: dict[int, Location]


@pytest.fixture(scope="module")
def disks() -> Iterator[Disks]:
    with scratch_folder() as place:
        live = place / "live"
        live.mkdir()
        rig = ItemsRig(live)
        locations = {number: rig.page(number, slot=number % SLOTS) for number in SYNCED}
        rig.sync()
        shutil.copytree(live, place / "synced")
        for number in UNSYNCED:
            rig.page(number, slot=number % SLOTS)
        shutil.copytree(live, place / "written")
        rig.sync()
        shutil.copytree(live, place / "synced again")
        rig.close()
        yield Disks(place / "synced", place / "written", place / "synced again", locations)


@pytest.fixture
def scratch() -> Iterator[Path]:
    with scratch_folder() as place:
        yield place


def is_log(path: Path) -> bool:
    return path.suffix == ".log"


def shorten(path: Path, least: Path, fate: Fate, chance: random.Random) -> None:
    """A file loses some of what it has more than at the last sync."""
    least_bytes, full_bytes = least.stat().st_size, path.stat().st_size
    assert least_bytes < full_bytes, "it has something to lose"
    lengths = {"synced": least_bytes, "torn": chance.randint(least_bytes + 1, full_bytes - 1), "full": full_bytes}
    os.truncate(path, lengths[fate])


def go_on_to_the_end(folder: Path, locations: dict[int, Location]) -> None:
    """Recover, fetch what is not there, finish; each page is there once then, and the safe ones are untouched."""
    rig = ItemsRig(folder)
    rig.recover()
    archived = Counter(url for path in rig.folder.iterdir() for url in responses_in(path))
    for number in (*SYNCED, *UNSYNCED):
        if not archived[url_of(number)]:
            assert number not in SYNCED, "it was safe"
            rig.page(number, slot=number % SLOTS)
    rig.restart()
    assert rig.recover() == []
    rig.archive.retire_all()
    rig.sync()
    paths = [rig.folder / name for name in rig.files()]
    assert [path.suffix for path in paths] == [".gz"] * SLOTS
    assert all(map(is_sound, paths))
    assert Counter(url for path in paths for url in responses_in(path)) == Counter(map(url_of, (*SYNCED, *UNSYNCED)))
    for number, location in locations.items():
        assert url_of(number) == headers_at(rig.archive.path_of(location.file), location.offset)
    rig.assert_has_each_page_once(*SYNCED, *UNSYNCED)
    rig.close()


def responses_in(path: Path) -> list[str]:
    return [record["WARC-Target-URI"] for record in headers_of(path) if record["WARC-Type"] == "response"]


def headers_at(path: Path, offset: int) -> str:
    """The URL of the first record from an offset on."""
    rest = path.with_suffix(".rest")
    rest.write_bytes(path.read_bytes()[offset:])
    url = headers_of(rest)[0]["WARC-Target-URI"]
    rest.unlink()
    return url


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pairing", PAIRINGS, ids="log {0[0]}, WARC {0[1]}".format)
def test_whatever_log_and_archive_lose_of_what_was_not_synced_each_page_is_there_once(
    disks: Disks, pairing: Pairing, seed: int, scratch: Path
) -> None:
    chance = random.Random(f"{pairing} {seed}")
    folder = scratch / "disk"
    shutil.copytree(disks.written, folder)
    files = [path for path in folder.rglob("*") if is_log(path) or path.suffix == ".open"]
    assert [is_log(path) for path in files].count(True) == 1
    assert len(files) == 1 + SLOTS
    for path in files:
        shorten(path, disks.synced / path.relative_to(folder), pairing[not is_log(path)], chance)
    go_on_to_the_end(folder, disks.locations)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("log", "items"), [*product(FATES, FATES)])
def test_whatever_log_and_items_lose_in_the_middle_of_a_sync_each_item_is_there_once(
    disks: Disks, log: Fate, items: Fate, seed: int, scratch: Path
) -> None:
    """The WARC files are safe by then; the row that tells of the items is written once they are."""
    chance = random.Random(f"{log} {items} {seed}")
    folder = scratch / "disk"
    shutil.copytree(disks.synced_again, folder)
    (log_path,) = (path for path in folder.rglob("*") if is_log(path))
    if items != "full":
        shutil.copy(disks.written / log_path.relative_to(folder), log_path)
    shorten(log_path, disks.synced / log_path.relative_to(folder), log, chance)
    shorten(folder / "items.jsonl", disks.synced / "items.jsonl", items, chance)
    go_on_to_the_end(folder, disks.locations)


# ---- The lossy disk of the long run.

NAME = PurePosixPath("name")


def after_cut(disk: LossyDisk, scratch: Path, file: Fate, folder: Fate, seed: int = 1) -> dict[str, bytes]:
    """What a power cut leaves."""
    place = Path(tempfile.mkdtemp(dir=scratch))
    disk.write_image(place, lambda _, node: file if isinstance(node, File) else folder, random.Random(seed))
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.fixture
def disk(scratch: Path) -> LossyDisk:
    empty = scratch / "empty"
    empty.mkdir()
    return LossyDisk(empty)


def test_what_was_there_before_is_safe(scratch: Path) -> None:
    (scratch / "base" / "folder").mkdir(parents=True)
    (scratch / "base" / "folder" / "file").write_bytes(b"old")
    disk = LossyDisk(scratch / "base")
    assert after_cut(disk, scratch, "synced", "synced") == {"folder/file": b"old"}


@pytest.mark.parametrize("fate", FATES)
def test_what_was_synced_with_its_name_stays(disk: LossyDisk, fate: Fate, scratch: Path) -> None:
    file = disk.create(NAME)
    file.changes.append(Written(0, b"safe"))
    file.sync(file.mark())
    disk.root.sync(disk.root.mark())
    assert after_cut(disk, scratch, fate, fate) == {"name": b"safe"}


def test_a_name_without_a_sync_of_its_folder_may_be_lost(disk: LossyDisk, scratch: Path) -> None:
    file = disk.create(NAME)
    file.changes.append(Written(0, b"safe"))
    file.sync(file.mark())
    assert after_cut(disk, scratch, "full", "synced") == {}
    assert after_cut(disk, scratch, "full", "full") == {"name": b"safe"}


def test_a_sync_makes_nothing_safe_that_came_after_its_beginning(disk: LossyDisk, scratch: Path) -> None:
    file = disk.create(NAME)
    disk.root.sync(disk.root.mark())
    file.changes.append(Written(0, b"before"))
    begun = file.mark()
    file.changes.append(Written(6, b" after"))
    file.sync(begun)
    assert after_cut(disk, scratch, "synced", "synced") == {"name": b"before"}
    assert after_cut(disk, scratch, "full", "synced") == {"name": b"before after"}


def test_a_torn_file_has_a_part_of_its_changes_in_their_order() -> None:
    file = File(bytearray(b"safe"), [Written(4, b"abc"), Written(7, b"defg"), CutTo(6), Written(6, b"XY")])
    seen = {bytes(file.after_cut("torn", random.Random(seed))) for seed in range(300)}
    whole = {
        b"safe",
        b"safea",
        b"safeab",
        b"safeabc",
        b"safeabcd",
        b"safeabcde",
        b"safeabcdef",
        b"safeabcdefg",
    }
    assert whole <= seen
    assert all(content[:4] == b"safe" for content in seen)
    assert b"safeabXY" not in seen, "some of it is lost"
    assert any(b"\0" in content for content in seen), "the length came, a block did not"


def test_a_name_that_is_exchanged_is_never_gone(disk: LossyDisk, scratch: Path) -> None:
    for name, data in (("name", b"old"), ("name.tmp", b"new")):
        file = disk.create(PurePosixPath(name))
        file.changes.append(Written(0, data))
        file.sync(file.mark())
    disk.root.sync(disk.root.mark())
    disk.rename(PurePosixPath("name.tmp"), NAME)
    seen = [after_cut(disk, scratch, "full", "torn", seed) for seed in range(20)]
    assert {files["name"] for files in seen} == {b"old", b"new"}


def test_a_folder_lost_takes_its_files_with_it(disk: LossyDisk, scratch: Path) -> None:
    disk.make_folder(PurePosixPath("folder"))
    disk.create(PurePosixPath("folder/file"))
    folder = disk.find(PurePosixPath("folder"))
    assert isinstance(folder, Folder)
    folder.sync(folder.mark())
    assert after_cut(disk, scratch, "synced", "synced") == {}
    disk.root.sync(disk.root.mark())
    assert after_cut(disk, scratch, "synced", "synced") == {"folder/file": b""}


TRACE = """\
7  openat(AT_FDCWD<{/}>, "{/d/a.tmp}", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0666) = 3<{/d/a.tmp}>
7  write(3<{/d/a.tmp}>, "{one}", 3) = 3
7  fsync(3<{/d/a.tmp}> <unfinished ...>
8  openat(AT_FDCWD<{/}>, "{/d/log}", O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0666 <unfinished ...>
9  write(5<{/elsewhere}>, "{other}", 5) = 5
8  <... openat resumed>)             = 4<{/d/log}>
7  <... fsync resumed>)              = 0
8  write(4<{/d/log}>, "{12}", 2) = 2
8  lseek(4<{/d/log}>, 0, SEEK_SET) = 0
8  write(4<{/d/log}>, "{34}", 2 <unfinished ...>
7  rename("{/d/a.tmp}", "{/d/a}") = 0
8  <... write resumed>)              = 2
7  lseek(3<{/d/a}>, 1, SEEK_SET) = 1
7  write(3<{/d/a}>, "{NE!}", 3) = 3
7  pwrite64(3<{/d/a}>, "{O}", 1, 0) = 1
7  ftruncate(3<{/d/a}>, 3) = 0
7  mkdir("{/d/f}", 0777) = 0
7  mkdir("{/d/f}", 0777) = -1 EEXIST (File exists)
7  openat(AT_FDCWD<{/}>, "{/d/f/x}", O_RDWR|O_CREAT, 0666) = 6<{/d/f/x}>
7  unlinkat(5<{/d/f}>, "{x}", 0) = 0
7  openat(AT_FDCWD<{/}>, "{/d/f/x}", O_RDWR|O_CREAT, 0666) = 7<{/d/f/x}>
7  write(6<{/d/f/x}>(deleted), "{gone}", 4) = 4
7  fsync(8<{/d}>) = 0
8  --- SIGCHLD ---
8  write(4<{/d/log}>, "{56}", 2 <unfinished ...>
8  <... write resumed> <unfinished ...>) = ?
8  +++ killed by SIGKILL +++
"""


def as_strace_writes(template: str) -> bytes:
    """Names and data in hexadecimal."""
    parts = template.split("{")
    rest = (part.partition("}") for part in parts[1:])
    return parts[0].encode() + b"".join(in_hex(text) + after.encode() for text, _, after in rest)


def test_a_trace_gives_the_files_as_they_were(disk: LossyDisk, scratch: Path) -> None:
    trace = scratch / "trace"
    trace.write_bytes(as_strace_writes(TRACE))
    player = Player(disk, Path("/d"))
    for call in calls_in(trace, Path("/d")):
        player.play(call)
    place = scratch / "image"
    place.mkdir()
    disk.write_image(place, all_kept, random.Random(1))
    assert (place / "a").read_bytes() == b"ONE"
    assert (place / "log").read_bytes() == b"1234"
    assert (place / "f" / "x").read_bytes() == b"", "what was written went to a file of that name which is gone"
    assert sorted(path.name for path in place.iterdir()) == ["a", "f", "log"]
    assert after_cut(disk, scratch, "synced", "synced") == {"a": b"one", "log": b""}
