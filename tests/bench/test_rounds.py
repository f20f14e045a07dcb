# mypy: disable-error-code="import-untyped"
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from bench.corpus import CORPORA, Stage
from bench.measure import run_measured
from bench.rounds import Caps, connections_for, in_turn
from bench.server import Server
from bench.table import Round
from bench.tools import EVEN_WORKERS, Job, Tool, all_tools, weft


def _tool(name: str, *, is_slow: bool = False) -> Tool:
    return Tool(name, lambda job: [name], is_slow=is_slow)


def _ends(process_id: int) -> bool:
    try:
        psutil.Process(process_id).wait(timeout=60)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True


def test_weft_is_first_and_last_in_a_round() -> None:
    tools = [weft("weft"), _tool("scrapy"), _tool("wget")]
    assert [tool.name for tool in in_turn(tools)] == ["weft", "scrapy", "wget", "weft"]
    assert [tool.name for tool in in_turn(tools[:1])] == ["weft"]
    assert [tool.name for tool in in_turn(tools[1:])] == ["scrapy", "wget"]


def test_weft_runs_to_its_end_and_slow_peers_are_stopped_sooner() -> None:
    caps = Caps(peer_s=20, slow_peer_s=8, max_pages=None)
    assert [caps.seconds_for(tool) for tool in (weft("weft"), _tool("wget"), _tool("scrapy", is_slow=True))] == [
        None,
        20,
        8,
    ]


def test_a_command_that_has_done_enough_is_ended_with_all_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    child = "import time; time.sleep(60)"
    started = (
        f"import pathlib, subprocess, sys; child = subprocess.Popen([sys.executable, '-c', {child!r}]);"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid)); child.wait()"
    )
    measured = run_measured(
        [sys.executable, "-c", started],
        log=tmp_path / "log",
        cwd=tmp_path,
        enough=lambda seconds: note.exists() and bool(note.read_text()),
    )
    assert measured.was_stopped
    assert measured.exit_code < 0
    assert _ends(int(note.read_text()))


def test_a_command_that_ends_by_itself_is_measured_whole(tmp_path: Path) -> None:
    work = "import os; sum(range(3_000_000)); print(os.environ['BENCH_WORD'])"
    measured = run_measured(
        [sys.executable, "-c", work], log=tmp_path / "log", cwd=tmp_path, environment={"BENCH_WORD": "told"}
    )
    assert (measured.exit_code, measured.was_stopped, measured.output) == (0, False, "told\n")
    assert measured.cpu_s > 0
    assert measured.peak_memory_bytes > 0


def test_a_peer_that_is_not_installed_says_so(tmp_path: Path) -> None:
    missing = {tool.name: tool.missing for tool in all_tools(tmp_path / ".peers")}
    assert missing["scrapy"] == "the package scrapy is not in .peers: make .peers/ready"
    assert missing["spider"]
    assert not missing["weft"]


@pytest.mark.parametrize("is_automatic", [False, True])
def test_weft_is_told_its_connections_unless_it_is_to_find_them(tmp_path: Path, *, is_automatic: bool) -> None:
    job = Job(["http://127.0.1.1/"], ["127.0.1.1"], 64, None, tmp_path / "run")
    command = weft("weft", is_automatic=is_automatic).command(job)
    assert ("--connections" in command) is not is_automatic
    assert command[command.index("--connections-per-host") + 1] == "64"


def _round(tool: str, most_busy: int, failure: str = "") -> Round:
    return Round(tool, 100, 1.0, 0.1, 1, 0.1, 0, 0, most_open=9_999, most_busy=most_busy, failure=failure)


def test_a_tool_may_have_as_many_connections_as_another_was_seen_to_use(tmp_path: Path) -> None:
    stage = Stage(CORPORA["c"], [], [], frozenset(), Server(0, tmp_path), None)
    alike = msgspec.structs.replace(weft("weft, alike"), as_many_as="spider")
    found = [_round("spider", 700), _round("weft", 200), _round("spider", 900), _round("spider", 5, failure="killed")]
    assert connections_for(stage, alike, found) == 900
    assert connections_for(stage, alike, []) == connections_for(stage, weft("weft"), found) == 200


def test_workers_of_the_row_nice_0_stay_as_nice_as_the_others() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import os; os.nice(5); print(os.getpriority(os.PRIO_PROCESS, 0))"],
        env={**os.environ, **EVEN_WORKERS},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(told.stdout) == os.getpriority(os.PRIO_PROCESS, 0)


@pytest.mark.parametrize("name", ["weft", "wget", "wget2", "httrack"])
def test_where_one_seed_is_given_the_other_hosts_of_its_domain_are_followed(tmp_path: Path, name: str) -> None:
    tool = next(tool for tool in all_tools(tmp_path / ".peers") if tool.name == name)
    job = Job(["http://h1.weft-bench.test/"], ["h1.weft-bench.test"], 64, None, tmp_path, domain="weft-bench.test")
    alone = msgspec.structs.replace(job, domain=None)
    more = [word for word in tool.command(job) if word not in tool.command(alone)]
    assert more in (["domain"], ["-H", "--domains=weft-bench.test"], ["-d"])
