"""The processes that write a mirror's files."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from weft.errors import CrawlFolderError
from weft.mirror.site.messages import BEGIN
from weft.mirror.site.writers import Writers

TIMEOUT_S = 60


def writer(root: Path, told: bytes) -> subprocess.CompletedProcess[bytes]:
    """A writer by itself; the folder has no mirror, so one that begins says so."""
    words = [str(root), "0", "1", "complete", str(os.getpid())]
    return subprocess.run(
        [sys.executable, "-m", "weft.mirror.site.writer", *words],
        input=told,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_writer_begins_only_when_it_is_told(tmp_path: Path) -> None:
    assert writer(tmp_path, BEGIN).stdout
    never = writer(tmp_path, b"")
    assert (never.returncode, never.stdout) == (0, b"")


def test_what_a_writer_cannot_do_ends_all_with_its_reason(tmp_path: Path) -> None:
    with closing(Writers(tmp_path, 2, is_complete=True)) as writers, pytest.raises(CrawlFolderError, match="no"):
        writers.write(lambda files: None)


def test_writers_that_are_not_needed_end(tmp_path: Path) -> None:
    writers = Writers(tmp_path, 2, is_complete=True)
    writers.close()
    assert _children() == []


def test_a_writer_does_not_load_the_engine() -> None:
    code = "import sys, weft.mirror.site.writer; print('weft.pipeline.engine' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=TIMEOUT_S, check=True, text=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert told.stdout == "False\n"


def _children() -> list[str]:
    """Processes of this one that run a writer."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"weft.mirror.site.writer" in words:
                found.append(pid)
    return found
