"""Fuzzing for as long as one likes: every property of tests/fuzz, in turns, with ever new inputs."""

from __future__ import annotations

import time
import traceback
from typing import Protocol

from tests.fuzz import ALL_PROPERTIES, Property

EXAMPLES_A_TURN = 300
MOST_MINUTES = 10.0  # there is always another input: it must end somewhere


class Options(Protocol):
    """What a run is given."""

    @property
    def seed(self) -> int:
        """Runs with the same seed try the same inputs, as far as their time goes."""

    @property
    def minutes(self) -> float:
        """How long to go on."""


def run(options: Options) -> bool:
    """Try all properties in turns until the time is over; true if all of them hold."""
    until = time.monotonic() + min(options.minutes, MOST_MINUTES) * 60
    tried = dict.fromkeys((rule.name for rule in ALL_PROPERTIES), 0)
    broken: dict[str, str] = {}
    number = options.seed * 1_000_000
    while time.monotonic() < until and len(broken) < len(ALL_PROPERTIES):
        number += 1
        for rule in ALL_PROPERTIES:
            if rule.name not in broken and time.monotonic() < until:
                if (error := _error_of(rule, number)) is not None:
                    broken[rule.name] = error
                tried[rule.name] += EXAMPLES_A_TURN
    _print_table(tried, broken)
    return not broken


def _error_of(rule: Property, number: int) -> str | None:
    try:
        rule.try_out(EXAMPLES_A_TURN, number)
    except Exception:  # whatever it is, it is what was looked for
        return f"turn {number}\n{traceback.format_exc()}"
    return None


def _print_table(tried: dict[str, int], broken: dict[str, str]) -> None:
    print(f"{'property':58}{'inputs':>10}  holds")
    for name, inputs in tried.items():
        print(f"{name:58}{inputs:>10,}  {'NO' if name in broken else 'yes'}")
    for name, error in broken.items():
        print(f"\n── {name}: {error}")
