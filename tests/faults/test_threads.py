"""The system refuses another thread, as where a user has too many processes: a sentence says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import own_environment
from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, quick_config
from tests.pipeline.engine_process import prepare_folder
from weft.simweb import SimProcess, WebSpec

from .crawls import WITHIN_S, resuming

FAILED = 1
# More than can be addressed: so Python's threads are refused. `ulimit -u` would not hold for root.
REFUSED = "import threading; threading.stack_size(1 << 46); from weft.cli import main; main()"


@pytest.mark.parametrize("engines", [1, 2])
def test_where_no_thread_may_begin_a_sentence_says_what_to_do(engines: int, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WebSpec(hosts=4, pages=20, seed=3)) as sim:
        prepare_folder(folder, quick_config(sim))
        done = subprocess.run(
            [sys.executable, "-c", REFUSED, "resume", str(folder), "--quiet", "--engines", str(engines)],
            env=own_environment(),
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )
        assert done.returncode == FAILED
        assert done.stderr.endswith("may run at once: `ulimit -u` allows more; `weft resume` goes on\n")
        assert "Traceback" not in done.stderr
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())
