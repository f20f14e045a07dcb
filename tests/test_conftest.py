"""The suite passes however it was started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

IGNORING = ["sh", "-c", "trap '' HUP INT TERM; exec \"$@\"", "sh"]
# What a test starts, in the usual way and as a fork of a process that has loaded weft.
STARTED = """
import os, subprocess, sys, tests.conftest
print(subprocess.run(["cat", "/proc/self/status"], stdout=subprocess.PIPE, text=True).stdout)
"""
FORKED = """
import os, tempfile, tests.conftest
from pathlib import Path
from tests.pipeline.engine_process import weft_environment
from tests.warm_weft import WarmWeft
with tempfile.TemporaryDirectory() as folder:
    os.mkfifo(folder + "/seeds")  # nobody ever writes there
    forked = WarmWeft("crawl", "--seeds", "seeds", environment=weft_environment(), cwd=Path(folder))
    print(Path(f"/proc/{forked.pid}/status").read_text())
    forked.kill()
    forked.communicate(60)
"""


@pytest.mark.parametrize("program", [STARTED, FORKED], ids=["started", "forked"])
def test_what_tests_start_ignores_no_signal_that_the_suite_was_started_to_ignore(program: str) -> None:
    ran = subprocess.run(
        [*IGNORING, sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (ignored,) = (line.split()[1] for line in ran.stdout.splitlines() if line.startswith("SigIgn"))
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        assert not int(ignored, 16) >> (number - 1) & 1, number.name


def test_a_suite_under_nohup_outlives_its_terminal() -> None:
    program = "import os, signal, tests.conftest; os.kill(os.getpid(), signal.SIGHUP)"
    ran = subprocess.run(
        [*IGNORING, sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert ran.returncode == 0


DRAWS = """
from hypothesis import given, settings, strategies as st
{imports}

drawn = []

@settings(max_examples=200)
@given(st.integers(0, 10**9), st.text(max_size=9))
def test_draws(number, text):
    drawn.append((number, text))

def test_shows():
    print("DRAWN", hash(tuple(repr(one) for one in drawn)), settings.default.phases)
"""


def draws(folder: Path, *arguments: str, imports: str = "") -> str:
    folder.mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(DRAWS.format(imports=imports))
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "tests.conftest", "test_it.py", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (line,) = (line for line in ran.stdout.splitlines() if "DRAWN" in line)
    return line[line.index("DRAWN") :]


def test_examples_depend_neither_on_earlier_runs_nor_on_what_is_imported(tmp_path: Path) -> None:
    first = draws(tmp_path)
    assert "shrink" not in first
    again = draws(tmp_path, "--hypothesis-profile", "shrinking", imports="import weft.url, weft.fetch.http1")
    assert "shrink" in again
    assert again.split()[:2] == first.split()[:2]
