"""Processes that weft starts."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from weft.workers import process
from weft.workers.process import GROUP_SIGNALS, start_child

WITHIN_S = 60


@pytest.fixture(autouse=True)
def by_exec(monkeypatch: pytest.MonkeyPatch) -> None:
    """As weft starts them, and tests do not."""
    monkeypatch.setattr(process, "start_process", subprocess.Popen)


@pytest.mark.parametrize("number", GROUP_SIGNALS, ids=lambda number: number.name)
def test_a_signal_to_the_whole_group_does_not_end_a_child_that_is_still_starting(number: signal.Signals) -> None:
    child, connection = start_child("weft.pipeline.worker", subprocess.PIPE)
    assert isinstance(child, subprocess.Popen)
    connection.close()
    os.kill(child.pid, number)  # the socket is closed: once it has started it ends by itself
    _, errors = child.communicate(timeout=WITHIN_S)
    assert (child.returncode, errors) == (0, b"")


def test_who_starts_a_child_hears_signals_as_before() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    child, connection = start_child("this")
    connection.close()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
    assert child.wait(timeout=WITHIN_S) == 0
