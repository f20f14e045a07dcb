"""The CPU of other engines, which the system tells their parent only when they have ended, and not apart."""

from __future__ import annotations

import resource
from collections.abc import Iterable

import msgspec


class Cpu(msgspec.Struct, frozen=True):
    """Of one engine and of its parse workers that have ended, in seconds."""

    engine_s: float = 0.0
    workers_s: float = 0.0


def cpu_now() -> Cpu:
    """Of this process."""
    return Cpu(_seconds(resource.RUSAGE_SELF), _seconds(resource.RUSAGE_CHILDREN))


def beside_ours(ended: Iterable[Cpu], running: Iterable[Cpu]) -> Cpu:
    """What is to be added to `cpu_now` of engine 0, so that it tells of all engines and of all workers.

    An engine that has ended is a child of ours, with its workers; so it is taken from the workers again.
    """
    of_ended, of_running = sum(one.engine_s for one in ended), list(running)
    return Cpu(of_ended + sum(one.engine_s for one in of_running), sum(one.workers_s for one in of_running) - of_ended)


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
