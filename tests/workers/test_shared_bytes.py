"""Memory that processes share, also on a Python that cannot make it without a file."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.workers.shared_bytes import make_shared_bytes


@pytest.fixture(params=["in memory", "in a file"])
def descriptor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[int]:
    if request.param == "in a file":
        monkeypatch.delattr(os, "memfd_create")
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = make_shared_bytes("weft-of-tests", 5_000)
    assert not list(tmp_path.iterdir()), "nothing is left to be removed"
    yield made
    os.close(made)


def test_what_one_writes_the_others_read(descriptor: int) -> None:
    one = mmap.mmap(descriptor, 5_000)
    assert one[:] == bytes(5_000)
    if (pid := os.fork()) == 0:
        try:
            mmap.mmap(descriptor, 5_000)[4_999] = 7
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert one[4_998:] == b"\0\7"


def test_it_is_for_those_alone_that_are_given_it(descriptor: int) -> None:
    assert not os.get_inheritable(descriptor)


def test_a_file_has_its_room_on_the_disk_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes where the disk has no room for it would be killed."""
    monkeypatch.delattr(os, "memfd_create")
    descriptor = make_shared_bytes("weft-of-tests", 5_000)
    assert os.fstat(descriptor).st_blocks * 512 >= 5_000
    os.close(descriptor)
