"""What a run tells: its progress on stderr, and its figures in a file under `results`."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import msgspec

RESULTS = Path(__file__).parent / "results"


def say(line: str) -> None:
    """Progress, beside the figures on stdout."""
    print(line, file=sys.stderr, flush=True)


def keep_figures(name: str, figures: dict[str, object]) -> None:
    """Write the figures with the machine they were measured on, in place of those of the run before."""
    machine = {"cpus": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    RESULTS.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode({"machine": machine, **figures}), indent=2)
    (RESULTS / f"{name}.json").write_bytes(text + b"\n")
