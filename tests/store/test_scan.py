"""Reading a WARC file of which nothing is known: every whole record, and nothing that is not whole."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from weft.store.records import KEPT_BYTES, PIECE_BYTES, Record, scan_records
from weft.store.warc import member

URL = "http://site.test/"


def record(block: bytes) -> bytes:
    return member(f"WARC-Type: response\r\nWARC-Target-URI: {URL}\r\n", block)


def scanned(path: Path, data: bytes) -> list[Record]:
    path.write_bytes(data)
    return list(scan_records(path))


def test_each_record_is_told_with_its_place_fields_and_block(tmp_path: Path) -> None:
    blocks = [b"first", b"", b"\r\n\r\nthird: \xff\0"]
    members = [record(block) for block in blocks]
    found = scanned(tmp_path / "file", b"".join(members))
    assert [one.block for one in found] == blocks
    assert [one.block_bytes for one in found] == [len(block) for block in blocks]
    assert [one.length for one in found] == [len(one) for one in members]
    assert [one.offset for one in found] == [0, len(members[0]), len(members[0]) + len(members[1])]
    assert all(one.fields["warc-target-uri"] == URL for one in found)


# Sizes around which a buffer is full; what can be packed a thousandfold, what cannot be packed at all.
@pytest.mark.parametrize("filler", [b"\0", b"ab", random.Random(1).randbytes(5000)], ids=["zeros", "ab", "random"])
@pytest.mark.parametrize("size", [PIECE_BYTES - 200, PIECE_BYTES, 2 * PIECE_BYTES + 1, 5_000_000])
def test_a_long_record_is_whole_at_the_end_of_a_file_and_before_another(
    filler: bytes, size: int, tmp_path: Path
) -> None:
    long = record((filler * (size // len(filler) + 1))[:size])
    for data, count in ((long, 1), (long + record(b"next"), 2), (record(b"one before") + long, 2)):
        found = scanned(tmp_path / "file", data)
        assert len(found) == count
        assert sum(one.length for one in found) == len(data)
        kept = next(one for one in found if one.block_bytes == size).block
        assert KEPT_BYTES // 2 < len(kept) <= size
        assert len(kept) < KEPT_BYTES + 2 * PIECE_BYTES, "a long body must not be held in memory"


def test_a_record_cut_anywhere_is_none(tmp_path: Path) -> None:
    first, last = record(b"first"), record(b"last")
    for end in range(len(last)):
        assert [one.block for one in scanned(tmp_path / "file", first + last[:end])] == [b"first"], end


@pytest.mark.parametrize("block", [b"last", b"last, and long" * 200], ids=["small", "large"])
def test_a_flipped_byte_anywhere_is_no_other_record(block: bytes, tmp_path: Path) -> None:
    """Its checksum tells. What it lets pass is in the header, or in the code of a byte that is not there."""
    first, last = record(b"first"), record(block)
    noticed = 0
    for place in range(len(last)):
        spoilt = bytearray(last)
        spoilt[place] ^= 0x55
        found = [one.block for one in scanned(tmp_path / "file", first + bytes(spoilt))]
        assert found in ([b"first"], [b"first", block]), place
        noticed += found == [b"first"]
    assert noticed >= len(last) - 20


@pytest.mark.parametrize(
    "rest",
    [b"", b"\0" * 5000, os.urandom(5000), b"WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n", b"\x1f\x8b\x08"],
    ids=["nothing", "zeros", "noise", "not packed", "the first bytes of gzip"],
)
def test_what_is_no_record_ends_the_file(rest: bytes, tmp_path: Path) -> None:
    assert [one.block for one in scanned(tmp_path / "file", record(b"first") + rest)] == [b"first"]


@pytest.mark.parametrize(
    "content",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"WARC/1.1\r\nno end",
        b"WARC/1.1\r\nContent-Length: many\r\n\r\n",
        b"WARC/1.1\r\n\r\n",
        b"",
    ],
)
def test_a_packed_thing_that_is_no_record_ends_the_file(content: bytes, tmp_path: Path) -> None:
    from isal import igzip

    data = record(b"first") + igzip.compress(content) + record(b"never seen")
    assert [one.block for one in scanned(tmp_path / "file", data)] == [b"first"]
