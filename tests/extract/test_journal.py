"""The journal of an extraction: what is entered survives, half an entry does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import FolderError
from weft.extract.journal import Begun, DoneTable, Entry, Journal
from weft.extract.parts import Mark, PartFile, next_number, read_mark, stretches_of

BEGUN = Begun(["crawl"], ["module:name"], "all")


def entry(start: int, end: int, file: str = "a.warc.gz") -> Entry:
    return Entry(file, start, end, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0)


def load(path: Path) -> tuple[Begun | None, list[Entry]]:
    journal = Journal(path)
    try:
        return journal.load()
    finally:
        journal.close()


def test_a_journal_cut_at_any_byte_has_the_entries_before_it_and_can_be_gone_on_with(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    assert journal.load() == (None, [])
    journal.begin(BEGUN)
    ends = [(tmp_path / "journal").stat().st_size]
    for number in range(3):
        journal.add([entry(number, number + 1), entry(number, number + 1, "b.warc.gz")])
        ends.append((tmp_path / "journal").stat().st_size)
    journal.close()
    whole = (tmp_path / "journal").read_bytes()
    for length in range(len(whole) + 1):
        path = tmp_path / "cut"
        path.write_bytes(whole[:length] + b"\xff\xfe\xfd" * (length % 3))
        began = sum(end <= length for end in ends)
        again = Journal(path)
        begun, entries = again.load()
        assert (begun, len(entries)) == (BEGUN if began else None, 2 * max(0, began - 1))
        if begun is not None:
            again.add([entry(100, 101)])
        again.close()
        if begun is not None:
            assert load(path)[1] == [*entries, entry(100, 101)]


def test_a_journal_with_a_changed_byte_ends_before_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.begin(BEGUN)
    journal.add([entry(1, 2)])
    journal.add([entry(3, 4)])
    journal.close()
    data = bytearray((tmp_path / "journal").read_bytes())
    data[-3] ^= 1
    (tmp_path / "journal").write_bytes(data)
    assert load(tmp_path / "journal") == (BEGUN, [entry(1, 2)])


def test_a_journal_has_one_owner(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    with pytest.raises(FolderError, match="in use"):
        Journal(tmp_path / "journal")
    journal.close()
    Journal(tmp_path / "journal").close()


def test_what_lies_in_a_stretch_that_is_done_is_done() -> None:
    entries = [entry(10, 20), entry(40, 41), entry(20, 30), entry(5, 6, "b.warc.gz")]
    done = DoneTable(entries)
    for offset in range(50):
        assert done.is_done("a.warc.gz", offset) == any(one.start <= offset < one.end for one in entries[:3])
        assert done.is_done("b.warc.gz", offset) == (offset == 5)
    assert not done.is_done("c.warc.gz", 10)


def test_lines_are_read_from_where_the_journal_says_they_lie(tmp_path: Path) -> None:
    parts = [PartFile(tmp_path / f"{number:06}.items") for number in range(70)]
    places = []
    for number, part in enumerate(parts):
        part.append(b"never entered\n")
        start = part.end
        part.append(b"%d a\n%d b\n" % (number, number))
        places.append((number, start, part.end))
        part.append(b"half a li")
        part.close()
    places.append((69, 0, 0))
    lines = b"".join(stretches_of(tmp_path, ".items", reversed(places)))
    assert lines == b"".join(b"%d a\n%d b\n" % (number, number) for number in reversed(range(70)))
    assert next_number(tmp_path) == 70
    with pytest.raises(FolderError, match="lost"):
        list(stretches_of(tmp_path, ".items", [(0, 0, 10_000)]))
    with pytest.raises(FolderError, match="cannot read"):
        list(stretches_of(tmp_path, ".items", [(71, 0, 1)]))


def test_a_mark_tells_which_page_a_worker_was_at(tmp_path: Path) -> None:
    assert read_mark(tmp_path / "1.at") == (0, 0)
    Mark(tmp_path / "1.at").set(7, 3)
    assert read_mark(tmp_path / "1.at") == (7, 3)
