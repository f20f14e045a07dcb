"""`python -m tests.torture`: the long run. Ends with 1 if a promise is broken."""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from .options import Options

# Modules of this package. The `run(options)` of each prints what it found, and says whether every promise held.
PARTS = ("points", "politeness", "kills", "power-cut", "fuzz")
MINUTES = 20.0


def main() -> int:
    """Run the parts that are asked for, all of them even if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description="What weft promises, under torture.")
    parser.add_argument("--kills", type=int, default=300, help="SIGKILLs in all (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the webs and of the moments")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="time of each part (20), then it comes to an end"
    )
    parser.add_argument("--only", action="append", choices=PARTS, help="this part only; may be given several times")
    given = parser.parse_args()
    options = Options(given.kills, given.seed, given.minutes)
    failed = [name for name in given.only or PARTS if not _run(name, options)]
    print(f"\nbroken: {', '.join(failed)}" if failed else "\nall promises held")
    return 1 if failed else 0


def _run(name: str, options: Options) -> bool:
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    holds = bool(import_module(f"{__package__}.{name.replace('-', '_')}").run(options))
    print(f"({time.monotonic() - began:.0f} s)", flush=True)
    return holds


if __name__ == "__main__":
    sys.exit(main())
