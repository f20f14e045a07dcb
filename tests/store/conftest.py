from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scratch import scratch_folder
from tests.store.rig import ArchiveRig


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place for files."""
    with scratch_folder() as folder:
        yield folder


@pytest.fixture
def rig(folder: Path) -> Iterator[ArchiveRig]:
    """An archive, closed after the test."""
    rig = ArchiveRig(folder)
    yield rig
    rig.close()
