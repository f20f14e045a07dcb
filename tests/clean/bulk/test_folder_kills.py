"""A job killed at any system call loses no page and doubles none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.export.judged_crawl import JudgedCrawl
from tests.scratch import scratch_folder

from .folder_rig import assert_each_page_once, crawl_to_clean

WITHIN_S = 900.0  # for a hundred jobs and more, each a fork: 10 s, and ten times that on a busy machine
FEWEST_STEPS = 25  # a handful of batches, each with two writes and two syncs


@pytest.fixture(scope="module")
def judged() -> Iterator[JudgedCrawl]:
    with crawl_to_clean() as crawl:
        yield crawl


@pytest.fixture
def scratch() -> Iterator[Path]:
    with scratch_folder() as folder:
        yield folder


@pytest.mark.parametrize(
    ("shape", "one_of"),
    [
        ("parquet", 3),  # a batch has four steps: so each of them comes
        *(pytest.param(shape, 1, marks=pytest.mark.large) for shape in ("parquet", "warc.gz")),
    ],
)
def test_a_job_killed_at_any_step_loses_and_doubles_no_page(
    judged: JudgedCrawl, scratch: Path, shape: str, one_of: int
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.clean.bulk.folder_dying", judged.folder, scratch, shape, str(one_of)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    last = int(ran.stdout)
    assert last >= FEWEST_STEPS
    for step in range(1, last + 1, one_of):
        assert_each_page_once(scratch / str(step) / f"out.{shape}", judged)
