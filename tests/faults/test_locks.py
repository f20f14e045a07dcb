"""Two processes on one crawl folder: the second one is told who holds it, and changes nothing. Readers may look on."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import msgspec

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, quick_config
from tests.pipeline.engine_process import await_others, prepare_folder
from weft.folder import layout
from weft.folder.layout import Holder
from weft.live.reader import read_status
from weft.simweb import SimProcess, WebSpec

from .crawls import resuming, wait_for_writes, weft

FOLDER = 6
WEB = WebSpec(hosts=4, pages=40, seed=1, latency_ms=(5, 20))


def totals(folder: Path) -> dict[str, int]:
    """What a report says while the crawl runs."""
    report = weft("report", str(folder), "--json")
    assert (report.code, report.errors) == (0, "")
    found: dict[str, int] = json.loads(report.out)["totals"]
    return found


def test_while_a_crawl_runs_others_may_read_its_folder_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        # Slow: it must not be over before all the others have had their turn.
        prepare_folder(folder, quick_config(sim, delay_s=10.0, connections_per_host=1))
        with resuming(folder) as holder:
            assert wait_for_writes(folder, holder, 3)
            # Those may all be of robots.txt; the first page comes a delay later.
            await_others(lambda: (now := read_status(folder)) is not None and now.pages > 0, "a page")
            await_others(lambda: totals(folder)["visits"] > 0, "a page in a report")
            for refused in (["resume", str(folder)], ["repair", str(folder)]):
                done = weft(*refused)
                assert done.code == FOLDER, done.errors
                assert f"is in use by process {holder.pid} on " in done.sentence()
            begun = weft("crawl", sim.seeds[0], "-o", str(folder), "--quiet")
            assert begun.code == FOLDER
            assert "already holds a crawl" in begun.sentence()
            assert totals(folder)["visits"] > 0
            export = weft("export", str(folder), "--to", "urls", "-o", "-")
            assert (export.code, export.errors) == (0, "")
            assert set(export.out.split()) <= sim.web.truth().fetchable
            assert not holder.is_over(), "it was over too soon for this test to tell anything"
            os.kill(holder.pid, signal.SIGTERM)  # it has been slow for long enough
            holder.wait()
        with resuming(folder, "--delay", "0", "--connections-per-host", "4") as run:
            assert run.wait() == 0, run.errors
        assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth())


def test_a_holder_whose_end_nobody_has_asked_for_is_gone(tmp_path: Path) -> None:
    """Its other engines let go in a moment: whoever resumes waits for them instead of being refused."""
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        lock.write_bytes(msgspec.json.encode(Holder(process.pid, socket.gethostname(), "now")))
        assert not layout._is_left(lock)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert layout._is_left(lock)
