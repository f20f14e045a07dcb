"""How much of the machine is free, and how much of it is ours."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from weft.cores import usable_cores
from weft.workers.cores import CoreMeter, idle_s_of

STAT = """cpu  600 0 0 900 60 0 0 0 0 0
cpu0 100 0 0 200 10 0 0 0 0 0
cpu1 200 0 0 300 20 0 0 0 0 0
cpu10 300 0 0 400 30 0 0 0 0 0
intr 1 2 3
"""


@pytest.mark.parametrize(("cores", "idle_s"), [({0}, 2.1), ({1}, 3.2), ({0, 10}, 6.4), ({0, 1, 10}, 9.6)])
def test_only_cores_that_may_be_used_count(cores: set[int], idle_s: float) -> None:
    assert idle_s_of(STAT, cores) == pytest.approx(idle_s)  # a tick is 10 ms on every Linux


@pytest.mark.parametrize("stat", ["", "cpu 1 2 3 4 5\n", "cpu0 1 2 3\n"])
def test_what_the_system_does_not_tell_is_not_known(stat: str) -> None:
    assert idle_s_of(stat, {0}) is None


def test_what_our_other_processes_take_is_ours() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with_it, without = CoreMeter([busy.pid]), CoreMeter()
        while True:  # until it has had its turn
            time.sleep(0.01)
            both, one = with_it.read([busy.pid]), without.read([])
            assert both is not None
            assert one is not None
            if both.ours > one.ours + 0.05:
                break
        assert both.all == len(usable_cores())
    finally:
        busy.kill()
        busy.wait()
    gone = with_it.read([busy.pid])
    assert gone is not None
    assert gone.ours >= 0.0, "one that has ended must not be taken from the others"


def test_what_is_free_is_no_more_than_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    idle_ticks = iter((0, 10_000_000))  # as if the cores had rested for a day meanwhile

    def stat() -> str:
        ticks = next(idle_ticks)
        return "".join(f"cpu{core} 0 0 0 {ticks} 0\n" for core in usable_cores())

    monkeypatch.setattr("weft.workers.cores._stat", stat)
    monkeypatch.setattr("weft.workers.cores.granted_cores", lambda: 1e4)
    meter = CoreMeter()
    found = meter.read([])
    assert found is not None
    assert found.all == 1e4
    assert found.free == pytest.approx(1e4 - found.ours)
