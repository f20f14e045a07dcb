"""A forked `weft` is like one that was started in the usual way."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.pipeline.engine_process import await_others, is_alive, weft_command, weft_environment
from tests.warm_weft import WarmWeft

WITHIN_S = 60.0


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["--version"], b""),
        (["crawl", "http://127.0.0.1:9/", "--depth", "deep"], b""),
        (["crawl", "--seeds", "-"], b"\nno URL\n"),
        (["resume", "nothing"], b""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_it_says_the_same_and_ends_with_the_same_code(arguments: list[str], stdin: bytes, tmp_path: Path) -> None:
    environment = weft_environment()
    usual = subprocess.run(
        weft_command(*arguments), env=environment, cwd=tmp_path, input=stdin, capture_output=True, timeout=WITHIN_S
    )
    forked = WarmWeft(*arguments, environment=environment, cwd=tmp_path, stdin=stdin)
    assert forked.communicate(timeout=WITHIN_S) == (usual.stdout, usual.stderr)
    assert forked.poll() == forked.returncode == usual.returncode


def test_it_leads_a_session_of_its_own_and_ends_with_the_signal_that_killed_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "seeds")  # nobody ever writes there
    forked = WarmWeft("crawl", "--seeds", "seeds", environment=weft_environment(), cwd=tmp_path)
    assert forked.poll() is None
    await_others(lambda: os.getsid(forked.pid) == forked.pid, "its session")
    os.killpg(forked.pid, signal.SIGKILL)
    forked.communicate(timeout=WITHIN_S)
    assert forked.returncode == -signal.SIGKILL
    assert not is_alive(forked.pid)


def test_one_that_takes_too_long_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "seeds")
    forked = WarmWeft("crawl", "--seeds", "seeds", environment=weft_environment(), cwd=tmp_path)
    with pytest.raises(subprocess.TimeoutExpired):
        forked.communicate(timeout=0.01)
    forked.kill()
    forked.communicate(timeout=WITHIN_S)
    assert forked.returncode == -signal.SIGKILL
