"""Ctrl-C: the first one finishes what is under way, the second stops at once; both leave what resumes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent, assert_fetched_the_truth
from tests.pipeline.engine_process import ArchiveWatcher, weft_command
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Fixed

from .running import (
    FEW_WRITES,
    SLOWED,
    UNSLOWED,
    WITHIN_S,
    Finished,
    logged,
    own_environment,
    running_crawl,
    simweb_flags,
)

LONG_WEB = WebSpec(hosts=3, pages=150, seed=7, latency_ms=(20, 40))
SITE = "site.test"
# Makes standard input the terminal of its session, and becomes the command that follows.
ON_A_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


def site_with_a_page_that_never_comes(pages: int) -> dict[tuple[str, str], Behaviour]:
    """A page whose first response never comes, before many that come at once."""
    paths = ["/never", *(f"/{number}" for number in range(pages))]
    links = "".join(f'<a href="{path}">x</a>' for path in paths).encode()
    site: dict[tuple[str, str], Behaviour] = {(SITE, path): Fixed(b"<!DOCTYPE html>") for path in paths}
    site[SITE, "/"] = Fixed(b"<!DOCTYPE html>" + links)
    site[SITE, "/never"] = Broken(Fault.STALL_BEFORE_HEAD, attempts=1, stall_s=2 * WITHIN_S)
    return site


SIGNALS = pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 130, id="SIGINT"),
        pytest.param(signal.SIGTERM, 143, id="SIGTERM"),
        pytest.param(signal.SIGHUP, 129, id="SIGHUP", marks=pytest.mark.large),
    ],
)


@SIGNALS
def test_the_first_signal_finishes_what_is_under_way_exits_as_shells_do_and_the_crawl_resumes(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    with SimProcess(LONG_WEB) as sim:
        with running_crawl(sim, tmp_path) as process:
            os.killpg(process.pid, number)  # as a terminal does: to the workers, too
            out, errors = process.communicate(timeout=WITHIN_S)
        assert process.returncode == code, errors
        assert "Traceback" not in errors
        assert "press Ctrl-C again" in errors
        assert json.loads(out.splitlines()[-1])["exit"] == "interrupted"
        assert_archive_is_consistent(CrawlFiles(tmp_path / "crawl"))
        resumed = Finished("resume", "crawl", "--json", *UNSLOWED, cwd=tmp_path)
        truth = sim.web.truth()
    assert resumed.code == 0, resumed.errors
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
    whole = [request for request in sim.log if request.whole and request.path != "/robots.txt"]
    assert len(whole) == len({(request.host, request.path) for request in whole})  # nothing was wasted


@SIGNALS
def test_a_second_signal_stops_at_once_exits_as_shells_do_and_the_crawl_resumes(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    pages = site_with_a_page_that_never_comes(pages=300)
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        with running_crawl(sim, tmp_path, sim.web.url(SITE, "/")) as process:
            os.killpg(process.pid, number)
            assert process.stderr is not None
            assert any("press Ctrl-C again" in line for line in process.stderr)
            with pytest.raises(subprocess.TimeoutExpired):  # it waits for the page that never comes
                process.wait(timeout=1)
            os.killpg(process.pid, number)
            out, stopped = process.communicate(timeout=WITHIN_S)
        assert process.returncode == code, stopped
        (ended,) = logged(stopped, "crawl")
        assert ended.startswith("ended: ")
        assert f"(exit code {code}). stopped at once" in ended
        assert "`weft resume crawl` goes on" in ended
        assert out == ""
        resumed = Finished("resume", "crawl", "--json", *UNSLOWED, cwd=tmp_path)
    assert resumed.code == 0, resumed.errors
    files = CrawlFiles(tmp_path / "crawl")
    assert set(files.responses()) == {sim.web.url(SITE, path) for _, path in pages}
    assert_archive_is_consistent(files)


def test_a_closed_terminal_ends_a_crawl_as_sigterm_does_and_it_resumes(tmp_path: Path) -> None:
    with SimProcess(LONG_WEB) as sim:
        (tmp_path / "crawl" / "archive").mkdir(parents=True)
        watcher = ArchiveWatcher(tmp_path / "crawl")
        ours, terminal = os.openpty()
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                ON_A_TERMINAL,
                *weft_command("crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim), *SLOWED),
            ],
            env=own_environment(),
            cwd=tmp_path,
            start_new_session=True,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        assert watcher.wait_for_writes(FEW_WRITES, lambda: process.poll() is not None)
        os.close(ours)
        assert process.wait(timeout=WITHIN_S) == 129
        assert (tmp_path / "crawl" / "report.json").exists()  # it ended in order
        resumed = Finished("resume", "crawl", "--json", *UNSLOWED, cwd=tmp_path)
    assert resumed.code == 0, resumed.errors


def test_under_nohup_a_crawl_goes_on_when_its_terminal_is_closed(tmp_path: Path) -> None:
    with SimProcess(LONG_WEB) as sim:
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does; children inherit it
        try:
            with running_crawl(sim, tmp_path) as process:
                os.killpg(process.pid, signal.SIGHUP)
                watcher = ArchiveWatcher(tmp_path / "crawl")
                assert watcher.wait_for_writes(FEW_WRITES, lambda: process.poll() is not None)
                os.killpg(process.pid, signal.SIGTERM)
                _, errors = process.communicate(timeout=WITHIN_S)
        finally:
            signal.signal(signal.SIGHUP, before)
    assert process.returncode == 143, errors  # of the first signal that it heard
