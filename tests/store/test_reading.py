"""Reading records back by their places: all of them, their beginnings, and none that is damaged."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from weft.errors import DamagedRecord, FolderError
from weft.store.records import MAX_RECORD_BYTES, PIECE_BYTES, block_pieces, read_record, records_from
from weft.store.warc import member
from weft.types import RecordPlace

LONG = random.Random(1).randbytes(3 * PIECE_BYTES + 77)
BLOCKS = [b"first", LONG, b"", b"last"]


@pytest.fixture
def places(tmp_path: Path) -> list[RecordPlace]:
    path = tmp_path / "file.warc.gz"
    places, at = [], 0
    with path.open("wb") as file:
        for number, block in enumerate(BLOCKS):
            length = file.write(member(f"WARC-Type: response\r\nWARC-Record-ID: <{number}>\r\n", block))
            places.append(RecordPlace(str(path), at, length))
            at += length
    return places


@pytest.mark.parametrize("most_bytes", [0, 1, 5, PIECE_BYTES, len(LONG) - 1, len(LONG), MAX_RECORD_BYTES])
def test_a_record_is_told_whole_or_by_the_first_bytes_of_its_block(places: list[RecordPlace], most_bytes: int) -> None:
    for number, (place, block) in enumerate(zip(places, BLOCKS, strict=True)):
        record = read_record(place, most_bytes)
        assert record.fields["warc-record-id"] == f"<{number}>"
        assert (record.offset, record.length) == (place.offset, place.length)
        assert (record.block, record.block_bytes) == (block[:most_bytes], len(block))


@pytest.mark.parametrize(
    "skip_bytes", [0, 1, PIECE_BYTES - 100, PIECE_BYTES, PIECE_BYTES + 1, len(LONG), len(LONG) + 9]
)
def test_a_block_comes_in_small_pieces_from_any_byte_on(places: list[RecordPlace], skip_bytes: int) -> None:
    for place, block in zip(places, BLOCKS, strict=True):
        pieces = list(block_pieces(place, skip_bytes))
        assert b"".join(pieces) == block[skip_bytes:]
        assert all(0 < len(piece) <= PIECE_BYTES for piece in pieces)


def test_records_follow_one_another_from_any_of_them_on(places: list[RecordPlace]) -> None:
    for number, place in enumerate(places):
        assert [record.block for record in records_from(place.path, place.offset)] == BLOCKS[number:]


def test_a_damaged_record_is_an_error_and_those_before_it_are_not(places: list[RecordPlace]) -> None:
    long = places[1]
    data = bytearray(Path(long.path).read_bytes())
    data[long.offset + long.length - 20] ^= 1  # near its end: its beginning can be unpacked
    Path(long.path).write_bytes(data)
    assert read_record(places[0]).block == b"first"
    assert read_record(long, 100).block == LONG[:100]
    with pytest.raises(DamagedRecord):
        read_record(long)
    with pytest.raises(DamagedRecord):
        list(block_pieces(long))
    blocks = records_from(long.path)
    assert next(blocks).block == b"first"
    with pytest.raises(DamagedRecord):
        next(blocks)


def test_a_record_that_is_cut_off_is_an_error(places: list[RecordPlace]) -> None:
    last = places[-1]
    Path(last.path).write_bytes(Path(last.path).read_bytes()[:-1])
    with pytest.raises(DamagedRecord, match="cut off"):
        read_record(last)


def test_a_file_is_found_although_it_got_its_final_name_meanwhile(places: list[RecordPlace]) -> None:
    told = RecordPlace(f"{places[1].path}.open", places[1].offset, places[1].length)
    assert read_record(told).block == b"".join(block_pieces(told)) == LONG
    assert next(records_from(told.path)).block == b"first"


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"x\.warc\.gz\.open is missing"):
        read_record(RecordPlace(str(tmp_path / "x.warc.gz.open"), 0, 1))


def test_reading_the_archive_needs_no_database() -> None:
    """A parse worker reads records, and each of them would take the memory of one."""
    script = (
        "import sys, weft.folder.archived, weft.page.bodies, weft.store.records; sys.exit('rocksdict' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
