from __future__ import annotations

import gzip
import os
import tracemalloc
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pytest

from weft.store.records import READ_BYTES, whole_until


@pytest.fixture
def fd(folder: Path) -> Iterator[int]:
    fd = os.open(folder / "file", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


def write(fd: int, *members: bytes) -> list[int]:
    """Write the members; gives the boundaries between them."""
    os.write(fd, b"".join(members))
    return list(accumulate(map(len, members), initial=0))


def test_a_whole_file_is_whole_to_its_end(fd: int) -> None:
    boundaries = write(fd, gzip.compress(b"one"), gzip.compress(b"two" * 1000), gzip.compress(b""))
    assert whole_until(fd, boundaries) == boundaries[-1]


def test_the_first_boundary_is_taken_as_good(fd: int) -> None:
    boundaries = write(fd, b"not gzip at all", gzip.compress(b"one"))
    assert whole_until(fd, boundaries[1:]) == boundaries[-1]
    assert whole_until(fd, boundaries[1:2]) == boundaries[1]


def test_several_members_may_lie_between_two_boundaries(fd: int) -> None:
    boundaries = write(fd, *(gzip.compress(b"%d" % number) for number in range(6)))
    assert whole_until(fd, boundaries[::2]) == boundaries[-1]
    os.ftruncate(fd, boundaries[5] + 1)
    assert whole_until(fd, boundaries[::2]) == boundaries[4]


@pytest.mark.parametrize("size", [READ_BYTES - 1, READ_BYTES, READ_BYTES + 1, 5 * READ_BYTES])
def test_members_of_any_size_are_read_whole(fd: int, size: int) -> None:
    member = gzip.compress(os.urandom(size), 0)
    exactly = gzip.compress(bytes(READ_BYTES - len(member) % READ_BYTES), 0)
    boundaries = write(fd, member, exactly, member)
    assert whole_until(fd, boundaries) == boundaries[-1]
    os.pwrite(fd, bytes([member[-9] ^ 1]), boundaries[-1] - 9)  # the last byte before the checksum
    assert whole_until(fd, boundaries) == boundaries[2]


def test_a_boundary_in_the_middle_of_a_member_ends_what_is_whole(fd: int) -> None:
    member = gzip.compress(os.urandom(100))
    write(fd, member, member)
    assert whole_until(fd, [0, len(member), len(member) + 50, 2 * len(member)]) == len(member)
    assert whole_until(fd, [0, len(member) - 1]) == 0


def test_after_the_first_bad_part_nothing_counts(fd: int) -> None:
    boundaries = write(fd, gzip.compress(b"one"), b"x" * 30, gzip.compress(b"three"))
    assert whole_until(fd, boundaries) == boundaries[1]


def test_a_body_that_unpacks_to_very_much_needs_little_memory(fd: int) -> None:
    bomb = gzip.compress(bytes(100_000_000), 1)
    assert len(bomb) > 10 * READ_BYTES
    boundaries = write(fd, bomb)
    tracemalloc.start()
    try:
        assert whole_until(fd, boundaries) == boundaries[-1]
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 20_000_000
