"""report.json, as it is written."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from weft.live.status_file import load_status, write_status

from .statuses import a_status


def test_what_cannot_be_written_leaves_the_last_figures_and_nothing_else(tmp_path: Path) -> None:
    write_status(tmp_path, a_status())
    before = load_status(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_status(tmp_path, a_status())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert before is not None
    assert load_status(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
