from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.scratch import files_no_longer_than
from weft.errors import DiskFull, FolderError
from weft.state import FAMILIES, State, database, is_at

NOBODY = 65_534

# Writes batches, each of which puts the same number into all families, and tells each number once it is written.
WRITE_UNTIL_KILLED = """
import os, sys
from pathlib import Path
from weft.state import FAMILIES, State
state = State(Path(sys.argv[1]))
for number in range(1, 1_000_000):
    batch = state.batch()
    for family in FAMILIES:
        batch.put(family, b"latest", number.to_bytes(4, "big"))
        batch.put(family, b"row %d" % number, b"x" * 200)
    state.write(batch)
    os.write(1, number.to_bytes(4, "big"))
"""

# Meets a limit in the middle of a batch, as on a full disk, and dies there.
FAIL_TO_WRITE = """
import os, resource, sys
from pathlib import Path
from weft.errors import WeftError
from weft.state import FAMILIES, State
state = State(Path(sys.argv[1]))
batch = state.batch()
batch.put("queue", b"before", b"1")
state.write(batch)
batch = state.batch()
for family in FAMILIES:
    batch.put(family, b"large", os.urandom(400_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    state.write(batch)
except WeftError as error:
    os.write(1, f"{type(error).__name__} {error}".encode())
os._exit(0)
"""


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "db")
    yield state
    state.close()


def put_rows(state: State, *keys: bytes) -> None:
    batch = state.batch()
    for key in keys:
        batch.put("queue", key, key.upper())
    state.write(batch)


def keys_of(rows: Iterator[tuple[bytes, bytes]]) -> list[bytes]:
    return [key for key, _ in rows]


def sentence_of(path: Path) -> str:
    with pytest.raises(FolderError) as caught:
        State(path).close()
    return str(caught.value)


# ── batches ────────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_of_a_batch_is_there_before_it_is_written(state: State) -> None:
    put_rows(state, b"old")
    batch = state.batch()
    for family in FAMILIES:
        batch.put(family, b"new", b"1")
    batch.delete("queue", b"old")
    assert [state.get(family, b"new") for family in FAMILIES] == [None] * len(FAMILIES)
    assert state.get("queue", b"old") == b"OLD"


def test_all_of_a_batch_is_there_once_it_is_written(state: State) -> None:
    put_rows(state, b"old")
    batch = state.batch()
    for family in FAMILIES:
        batch.put(family, b"new", family.encode())
    batch.delete("queue", b"old")
    state.write(batch)
    assert [state.get(family, b"new") for family in FAMILIES] == [family.encode() for family in FAMILIES]
    assert state.get("queue", b"old") is None


def test_the_last_change_of_a_row_in_a_batch_counts(state: State) -> None:
    batch = state.batch()
    batch.put("queue", b"a", b"1")
    batch.delete("queue", b"a")
    batch.put("queue", b"b", b"1")
    batch.put("queue", b"b", b"2")
    state.write(batch)
    assert list(state.scan("queue")) == [(b"b", b"2")]


def test_deleting_what_is_not_there_changes_nothing(state: State) -> None:
    put_rows(state, b"a")
    batch = state.batch()
    batch.delete("queue", b"b")
    batch.delete("seen", b"a")
    state.write(batch)
    assert keys_of(state.scan("queue")) == [b"a"]


def test_delete_range_takes_its_start_and_leaves_its_stop(state: State) -> None:
    put_rows(state, b"a", b"b", b"b\0", b"c", b"c\0", b"d")
    batch = state.batch()
    batch.put("seen", b"b", b"other family")
    batch.delete_range("queue", b"b", b"c\0")
    state.write(batch)
    assert keys_of(state.scan("queue")) == [b"a", b"c\0", b"d"]
    assert state.get("seen", b"b") == b"other family"


# ── scans ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        (b"", None, [b"\0", b"a", b"aa", b"b", b"\xff\xff"]),
        (b"a", None, [b"a", b"aa", b"b", b"\xff\xff"]),
        (b"", b"b", [b"\0", b"a", b"aa"]),
        (b"a", b"a\0", [b"a"]),
        (b"a\0", b"b\0", [b"aa", b"b"]),
        (b"c", b"d", []),
        (b"b", b"a", []),
    ],
)
def test_a_scan_begins_at_its_start_and_ends_before_its_stop(
    state: State, start: bytes, stop: bytes | None, expected: list[bytes]
) -> None:
    put_rows(state, b"b", b"\xff\xff", b"a", b"\0", b"aa")
    assert keys_of(state.scan("queue", start, stop)) == expected


def test_a_scan_shows_the_rows_as_they_were_when_it_began(state: State) -> None:
    put_rows(state, b"a", b"c")
    rows = state.scan("queue")
    batch = state.batch()
    batch.put("queue", b"b", b"")
    batch.delete("queue", b"c")
    state.write(batch)
    assert keys_of(rows) == [b"a", b"c"]


def test_the_families_are_apart(state: State) -> None:
    put_rows(state, b"a")
    others = [family for family in FAMILIES if family != "queue"]
    assert [keys_of(state.scan(family)) for family in others] == [[]] * len(others)


# ── closing and opening ────────────────────────────────────────────────────────────────────────────────


def test_a_closed_state_can_be_opened_again_in_the_same_process(tmp_path: Path) -> None:
    for run in range(3):
        state = State(tmp_path / "db")
        assert len(list(state.scan("queue"))) == run
        put_rows(state, b"run %d" % run)
        state.sync()
        state.close()


def test_tables_are_made_before_closing_while_rows_are_read(state: State, tmp_path: Path) -> None:
    put_rows(state, *map(str.encode, "abcdef"))
    assert not list((tmp_path / "db").glob("*.sst"))
    rows = state.scan("queue")
    first = next(rows)
    state.begin_to_close()
    give_up_at = time.monotonic() + 20
    while not list((tmp_path / "db").glob("*.sst")):
        assert time.monotonic() < give_up_at, "no table is made"
        time.sleep(0.01)
    assert keys_of(iter([first, *rows])) == [b"a", b"b", b"c", b"d", b"e", b"f"]
    put_rows(state, b"g")  # it may be written still
    state.close()
    again = State(tmp_path / "db")
    assert keys_of(again.scan("queue")) == [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]
    again.close()


def test_a_batch_left_behind_does_not_keep_the_lock(tmp_path: Path) -> None:
    state = State(tmp_path / "db")
    put_rows(state, b"a")
    batch = state.batch()
    batch.put("queue", b"never written", b"")
    state.close()
    again = State(tmp_path / "db")
    assert keys_of(again.scan("queue")) == [b"a"]
    again.close()


def test_closing_while_another_thread_is_within_a_scan_gives_the_lock_back_when_that_ends(tmp_path: Path) -> None:
    def scan() -> None:
        begun.set()
        with suppress(Exception):  # rocksdict raises bare Exceptions: it is closed
            while True:
                deque(state.scan("queue"), maxlen=0)  # all the time is spent within the scan

    state, begun = State(tmp_path / "db"), Event()
    put_rows(state, *(b"%d" % number for number in range(50_000)))
    thread = Thread(target=scan)
    thread.start()
    begun.wait()
    state.close()
    thread.join()
    State(tmp_path / "db").close()


def test_a_scan_left_behind_does_not_keep_the_lock(tmp_path: Path) -> None:
    state = State(tmp_path / "db")
    put_rows(state, b"a", b"b")
    rows = state.scan("queue")  # as the traceback of an error in the middle of a loop would hold it
    next(rows)
    state.close()
    again = State(tmp_path / "db")
    assert keys_of(again.scan("queue")) == [b"a", b"b"]
    again.close()


def test_an_open_state_cannot_be_opened_a_second_time(state: State, tmp_path: Path) -> None:
    assert "lock" in sentence_of(tmp_path / "db")
    put_rows(state, b"a")
    assert state.get("queue", b"a") == b"A"


def test_what_was_written_survives_the_sudden_death_of_the_process(tmp_path: Path) -> None:
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", WRITE_UNTIL_KILLED, str(tmp_path / "db")], stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            told = b""
            while len(told) < 4 * 300:
                told += child.stdout.read(4)
            child.send_signal(signal.SIGKILL)
            told += child.stdout.read()
        acknowledged = int.from_bytes(told[len(told) // 4 * 4 - 4 :][:4], "big")
        state = State(tmp_path / "db")
        latest = {state.get(family, b"latest") for family in FAMILIES}
        assert len(latest) == 1, "a batch was torn"
        number = int.from_bytes(latest.pop() or b"", "big")
        assert number >= acknowledged >= 300
        for family in FAMILIES:
            assert all(state.get(family, b"row %d" % row) is not None for row in range(1, number + 1))
        state.close()


def test_a_batch_that_cannot_be_written_leaves_nothing_and_what_was_before_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "db"
    child = subprocess.run([sys.executable, "-c", FAIL_TO_WRITE, str(path)], stdout=subprocess.PIPE, timeout=60)
    assert child.stdout.startswith(b"FolderError cannot write the crawl's state: ")
    state = State(path)
    assert state.get("queue", b"before") == b"1"
    assert [state.get(family, b"large") for family in FAMILIES] == [None] * len(FAMILIES)
    state.close()


def test_a_state_that_failed_to_write_can_be_closed_and_opened_again(tmp_path: Path) -> None:
    state = State(tmp_path / "db")
    put_rows(state, b"a")
    large = state.batch()
    large.put("queue", b"large", os.urandom(1_000_000))
    with files_no_longer_than(500_000), pytest.raises(FolderError):
        state.write(large)
    state.close()  # an error here would hide the one that ended the crawl
    again = State(tmp_path / "db")
    assert keys_of(again.scan("queue")) == [b"a"]
    again.close()


# ── folders that cannot be used ────────────────────────────────────────────────────────────────────────


def overwrite_current(database: Path) -> None:
    (database / "CURRENT").write_text("rubbish\n")


def remove_manifest(database: Path) -> None:
    for path in database.glob("MANIFEST-*"):
        path.unlink()


def spoil_manifest(database: Path) -> None:
    for path in database.glob("MANIFEST-*"):
        path.write_bytes(os.urandom(path.stat().st_size))


def remove_tables(database: Path) -> None:
    for path in database.glob("*.sst"):
        path.unlink()


@pytest.mark.parametrize("damage", [overwrite_current, remove_manifest, spoil_manifest, remove_tables])
def test_a_damaged_folder_is_refused_in_one_sentence(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "db"
    state = State(path)
    put_rows(state, b"a")
    state.close()
    State(path).close()  # what was in the log is in a table now
    damage(path)
    assert_is_a_sentence_about(path, sentence_of(path))


def test_a_file_in_the_place_of_the_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "db"
    path.write_text("not a folder")
    assert_is_a_sentence_about(path, sentence_of(path))


def test_a_folder_without_permission_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "closed" / "db"
    path.parent.mkdir(mode=0o500)
    with without_privileges():
        sentence = sentence_of(path)
    assert_is_a_sentence_about(path, sentence)
    assert "ermission denied" in sentence


def assert_is_a_sentence_about(path: Path, sentence: str) -> None:
    assert re.fullmatch(rf"cannot open the crawl's state in {re.escape(str(path))}: \S.*\S", sentence)


def test_only_a_damaged_folder_is_said_to_need_repair(state: State, tmp_path: Path) -> None:
    assert "weft repair" not in sentence_of(tmp_path / "db")  # it is in use


def test_a_folder_without_its_first_file_is_no_database(tmp_path: Path) -> None:
    assert not is_at(tmp_path / "db")
    State(tmp_path / "db").close()
    assert is_at(tmp_path / "db")
    (tmp_path / "db" / "CURRENT").unlink()
    assert not is_at(tmp_path / "db")


def test_a_reader_makes_nothing_where_there_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="`weft repair`"):
        State(tmp_path / "db", is_read_only=True)
    assert list(tmp_path.iterdir()) == []


# ── tables that are damaged ────────────────────────────────────────────────────────────────────────────

ROWS = 3000


def damaged_in_the_middle(path: Path) -> State:
    """A state that can be opened, although not all of its rows can be read."""
    state = State(path)
    batch = state.batch()
    for number in range(ROWS):
        batch.put("queue", b"%06d" % number, os.urandom(50))
    state.write(batch)
    state.close()
    (table,) = path.glob("*.sst")
    data = bytearray(table.read_bytes())
    for place in range(len(data) // 2, len(data) // 2 + 100):
        data[place] ^= 0xFF
    table.write_bytes(data)
    return State(path)


def test_a_scan_that_comes_to_a_damaged_block_fails_and_does_not_end_quietly(tmp_path: Path) -> None:
    state = damaged_in_the_middle(tmp_path / "db")
    with pytest.raises(FolderError, match=r"is damaged .*`weft repair`"):
        list(state.scan("queue"))
    with pytest.raises(FolderError, match="is damaged"):
        list(state.scan("queue", b"%06d" % (ROWS // 2 - 10), b"%06d" % (ROWS // 2 + 10)))
    assert len(list(state.scan("queue", b"", b"%06d" % 10))) == 10, "what is whole can be read"
    state.close()


def test_a_row_in_a_damaged_block_is_an_error_and_not_a_row_that_is_missing(tmp_path: Path) -> None:
    state = damaged_in_the_middle(tmp_path / "db")
    unread = 0
    for number in range(ROWS):
        try:
            value = state.get("queue", b"%06d" % number)
        except FolderError:
            unread += 1
        else:
            assert value is not None
    assert 0 < unread < ROWS
    state.close()


def test_a_scan_that_failed_does_not_keep_the_lock(tmp_path: Path) -> None:
    state = damaged_in_the_middle(tmp_path / "db")
    with pytest.raises(FolderError) as caught:
        list(state.scan("queue"))
    state.close()
    State(tmp_path / "db").close()
    assert caught.value.__traceback__ is not None  # it was held all the time


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may do anything, so the test becomes somebody else for a moment."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(own)


def test_a_family_that_an_older_folder_lacks_reads_as_empty(tmp_path: Path) -> None:
    state = State(tmp_path / "db")
    batch = state.batch()
    batch.put("meta", b"a", b"1")
    state.write(batch)
    state._db.drop_column_family("place")
    state.close()
    old = State(tmp_path / "db", is_read_only=True)
    assert old.get("meta", b"a") == b"1"
    assert old.get("place", b"a") is None
    assert list(old.scan("place")) == []
    old.close()
    again = State(tmp_path / "db")
    assert list(again.scan("place")) == []
    again.close()


@pytest.mark.parametrize("reason", ["Disk quota exceeded", "No space left on device"])
def test_a_quota_that_is_used_up_is_a_full_disk(reason: str, tmp_path: Path) -> None:
    told = Exception(f"IO error: While appending to file: db/MANIFEST-000005: {reason}")  # as RocksDB words it
    assert isinstance(database._translated(told, "cannot write"), DiskFull)
    assert str(database._unopened(told, tmp_path)) == f"cannot open the crawl's state in {tmp_path}: the disk is full"
