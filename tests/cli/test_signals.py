"""Which signals end work, where those who started it ignore some."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from weft.cli.exits import Exit
from weft.cli.signals import StopSignals

GIVE_UP_AFTER_S = 30.0


@pytest.fixture(autouse=True)
def signals_as_they_were() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Work:
    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    def stop(self) -> None:
        self.stopped.set()


async def exit_code_after(*numbers: signal.Signals) -> Exit:
    """Of work that is sent these signals, the last of which ends it."""
    signals = StopSignals(quiet=True)
    signals.attach(work := Work())
    for number in numbers:
        os.kill(os.getpid(), number)
    await asyncio.wait_for(work.stopped.wait(), GIVE_UP_AFTER_S)
    return signals.exit_code


def test_a_job_that_a_shell_started_in_the_background_ends_by_sigint() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert asyncio.run(exit_code_after(signal.SIGINT)) is Exit.INTERRUPTED


def test_a_job_of_nohup_does_not_end_by_sighup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert asyncio.run(exit_code_after(signal.SIGHUP, signal.SIGTERM)) is Exit.TERMINATED
