"""Bodies in memory and in spool files, and the budget that they share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weft.errors import DiskFull
from weft.fetch import FetchConfig, MemoryBudget
from weft.fetch.body import Body, SpoolFolder

CONFIG = FetchConfig(spool_over_bytes=1000, early_spool_over_bytes=100)


def new_body(budget: MemoryBudget, folder: Path) -> Body:
    return Body(CONFIG, budget, SpoolFolder(folder))


def test_short_body_stays_in_memory_and_keeps_its_budget(tmp_path: Path) -> None:
    budget = MemoryBudget()
    body = new_body(budget, tmp_path / "spool")
    for _ in range(10):
        body.append(b"x" * 100)
    assert body.finish() == (b"x" * 1000, None)
    assert budget.used_bytes == 1000
    assert not (tmp_path / "spool").exists()


def test_single_piece_is_not_copied(tmp_path: Path) -> None:
    piece = b"x" * 500
    body = new_body(MemoryBudget(), tmp_path)
    body.append(piece)
    assert body.finish().data is piece


def test_long_body_moves_to_a_file_and_gives_its_budget_back(tmp_path: Path) -> None:
    budget = MemoryBudget()
    body = new_body(budget, tmp_path / "spool")
    pieces = [bytes([number]) * 300 for number in range(20)]
    for piece in pieces:
        body.append(piece)
        assert budget.used_bytes <= 1000
    data, spool = body.finish()
    assert data is None
    assert spool is not None
    assert Path(spool).read_bytes() == b"".join(pieces)
    assert body.size_bytes == 6000
    assert budget.used_bytes == 0


def test_body_announced_as_long_never_enters_memory(tmp_path: Path) -> None:
    budget = MemoryBudget()
    body = new_body(budget, tmp_path)
    body.expect(1001)
    body.append(b"x")
    assert budget.used_bytes == 0
    assert body.finish().spool is not None


def test_body_announced_as_short_begins_in_memory(tmp_path: Path) -> None:
    body = new_body(MemoryBudget(), tmp_path)
    body.expect(1000)
    body.append(b"x" * 1000)
    assert body.finish() == (b"x" * 1000, None)


def test_body_spools_early_while_the_budget_has_no_room(tmp_path: Path) -> None:
    budget = MemoryBudget(limit_bytes=500)
    budget.add(500)
    body = new_body(budget, tmp_path)
    body.append(b"x" * 100)
    assert budget.used_bytes == 600  # short enough to stay even now
    body.append(b"x")
    assert budget.used_bytes == 500
    spool = body.finish().spool
    assert spool is not None
    assert Path(spool).read_bytes() == b"x" * 101


def test_discarded_body_leaves_neither_budget_nor_file(tmp_path: Path) -> None:
    budget = MemoryBudget()
    for size in (10, 5000):
        body = new_body(budget, tmp_path)
        body.append(b"x" * size)
        body.discard()
    assert budget.used_bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_every_spool_file_has_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / f"{os.getpid()}-2.body").write_bytes(b"left by another process")
    folder = SpoolFolder(tmp_path)
    files = [folder.create() for _ in range(3)]
    for _, descriptor in files:
        os.close(descriptor)
    assert len({path for path, _ in files}) == 3
    assert (tmp_path / f"{os.getpid()}-2.body").read_bytes() == b"left by another process"


class FullDisk(SpoolFolder):
    """A folder on a disk without space."""

    def create(self) -> tuple[str, int]:
        path, descriptor = super().create()
        os.close(descriptor)
        return path, os.open("/dev/full", os.O_WRONLY)


def test_full_disk_has_a_name_and_leaves_nothing_behind(tmp_path: Path) -> None:
    budget = MemoryBudget()
    body = Body(CONFIG, budget, FullDisk(tmp_path))
    body.append(b"x" * 900)
    with pytest.raises(DiskFull):
        body.append(b"x" * 900)
    body.discard()
    assert budget.used_bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_budget_is_full_at_its_limit_and_notices_false_returns() -> None:
    budget = MemoryBudget(limit_bytes=100)
    budget.add(99)
    assert not budget.full
    assert budget.has_room_for(1)
    assert not budget.has_room_for(2)
    budget.add(1)
    assert budget.full
    with pytest.raises(ValueError, match="given back"):
        budget.remove(101)
    budget.remove(100)
    assert budget.used_bytes == 0
