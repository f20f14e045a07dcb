"""A child that another process has forked, as `subprocess.Popen` would show it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from weft.workers.forked_child import ForkedChild

LONG_S = 600.0


def child_that(acts: Callable[[], object]) -> ForkedChild:
    """A fork; whose it is makes no difference."""
    pid = os.fork()
    if pid == 0:
        try:
            acts()
        finally:
            os._exit(7)
    return ForkedChild(pid)


def test_its_exit_code_is_told_as_often_as_it_is_asked_for() -> None:
    child = child_that(lambda: None)
    assert (child.wait(), child.wait(0), child.poll()) == (7, 7, 7)


def test_of_a_signal_the_number_is_told_below_zero() -> None:
    for end, number in ((ForkedChild.kill, signal.SIGKILL), (ForkedChild.terminate, signal.SIGTERM)):
        child = child_that(lambda: time.sleep(LONG_S))
        end(child)
        assert child.wait() == -number


def test_one_that_runs_has_no_code_and_is_not_waited_for_longer_than_asked() -> None:
    child = child_that(lambda: time.sleep(LONG_S))
    try:
        assert child.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.001)
    finally:
        child.kill()
        child.wait()


def test_a_signal_never_reaches_another_process_that_has_its_id() -> None:
    """Its id is free once it was waited for."""
    child = child_that(lambda: None)
    child.wait()
    child.kill()
    child.terminate()
    assert child.poll() == 7


def test_one_that_other_code_has_waited_for_has_ended() -> None:
    child = child_that(lambda: None)
    os.waitpid(child.pid, 0)
    assert child.wait() == 0


def test_one_that_cannot_be_known_is_ended_and_leaves_no_zombie() -> None:
    """As where no descriptor is left."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        signal.pause()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            ForkedChild(pid)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_it_keeps_no_descriptor_open_once_nobody_knows_it() -> None:
    before = os.listdir("/proc/self/fd")
    child = child_that(lambda: None)
    child.wait()
    assert len(os.listdir("/proc/self/fd")) == len(before) + 1
    del child
    assert len(os.listdir("/proc/self/fd")) == len(before)
