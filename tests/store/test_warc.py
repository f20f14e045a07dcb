"""The parts that records are made of."""

from __future__ import annotations

import random
import zlib
from base64 import b32encode

import pytest

from weft.store.warc import NO_DIGEST, SMALL_RECORD_BYTES, RecordIds, labelled, packed, record, warc_date

MIDNIGHT = 1_798_761_600.0  # 2027-01-01


def test_digests_are_written_in_base32() -> None:
    noise = random.Random(1)
    for digest in (bytes(20), b"\xff" * 20, *(noise.randbytes(20) for _ in range(500))):
        assert labelled(digest) == "sha1:" + b32encode(digest).decode()


def test_no_two_records_have_one_name_whoever_writes_them() -> None:
    writers = [RecordIds() for _ in range(20)]
    names = [ids.next() for ids in writers for _ in range(500)]
    assert len(set(names)) == len(names)


def test_a_date_is_that_of_its_own_second() -> None:
    before, after = "2026-12-31T23:59:59.750000Z", "2027-01-01T00:00:00.250000Z"
    assert [warc_date(MIDNIGHT + offset_s) for offset_s in (-0.25, 0.25, -0.25, 0.25)] == [before, after, before, after]
    assert warc_date(MIDNIGHT) == "2027-01-01T00:00:00.000000Z"


@pytest.mark.parametrize("size", [0, 1, SMALL_RECORD_BYTES - 200, SMALL_RECORD_BYTES, 100_000])
def test_a_record_of_any_size_is_one_gzip_member_of_the_parts_of_its_block(size: int) -> None:
    body = random.Random(size).randbytes(size)
    unpacker = zlib.decompressobj(31)
    made = unpacker.decompress(packed(record("WARC-Type: response\r\n", b"head ", body, digests=NO_DIGEST)[0]))
    assert made == b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\nhead %b\r\n\r\n" % (size + 5, body)
    assert (unpacker.eof, unpacker.unused_data) == (True, b"")
