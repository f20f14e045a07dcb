"""A forked worker is like one that was started in the usual way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests import warm_children
from tests.pipeline.engine_process import await_others, children_of, is_alive, is_worker
from tests.warm_children import WarmChild
from weft.parse.scan import NO_SCANNER
from weft.workers.process import start_child

WITHIN_S = 60.0
WORKER = "weft.pipeline.worker"


def test_it_is_a_child_that_is_shown_as_what_it_is_and_ends_with_its_socket() -> None:
    child, connection = start_child(WORKER, subprocess.PIPE)
    assert type(child) is WarmChild
    assert child.pid in children_of(os.getpid())
    await_others(lambda: is_worker(child.pid), "its command line")
    connection.close()
    assert child.communicate(timeout=WITHIN_S) == (b"", b"")
    assert child.returncode == 0


def test_it_ends_with_the_signal_that_killed_it() -> None:
    child, connection = start_child(WORKER)
    with connection:
        child.kill()
        assert child.wait(WITHIN_S) == -signal.SIGKILL


def test_it_says_what_is_wrong_and_ends_with_a_code() -> None:
    """Its parent is not process 1."""
    arguments = [sys.executable, "-m", WORKER, "0", "1"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    forked = warm_children.start_process(arguments, env=environment, stderr=subprocess.PIPE)
    assert type(forked) is WarmChild
    _, errors = forked.communicate(timeout=WITHIN_S)
    assert errors == b"the process that wanted this one is gone\n"
    assert forked.returncode == 1


def test_it_and_its_nursery_die_with_the_engine() -> None:
    program = f"""
import signal, tests.conftest, weft.workers.process
from tests import warm_children
weft.workers.process.start_process = warm_children.start_process
child, connection = weft.workers.process.start_child("{WORKER}")
print(child.pid, flush=True)
signal.pause()
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE) as engine:
        assert engine.stdout is not None
        worker = int(engine.stdout.readline())
        pids = children_of(engine.pid)
        engine.kill()
    assert len(pids) == 2
    assert worker in pids
    await_others(lambda: not any(map(is_alive, pids)), "their end")


def test_where_it_would_import_something_else_it_is_started_in_the_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_SCANNER, "1")
    child, connection = start_child(WORKER)
    connection.close()
    assert type(child) is subprocess.Popen
    assert child.wait(WITHIN_S) == 0
