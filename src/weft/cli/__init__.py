"""The command `weft`: what a person types, sees while it runs, and gets at the end."""

from __future__ import annotations

import sys

from weft.cli.exits import Exit
from weft.cli.process import has_lost_output
from weft.cli.quick import has_run

__all__ = ["main"]


def main() -> None:
    """Run weft."""
    ended: SystemExit | None = None
    try:
        if not has_run(sys.argv[1:]):
            from weft.cli.app import main as run  # later: Typer takes its time

            run()
    except SystemExit as end:
        ended = end
    if has_lost_output() and not (ended and ended.code):
        print("weft: cannot write to standard output: the disk is full", file=sys.stderr)
        sys.exit(Exit.DISK_FULL)
    if ended is not None:
        raise ended
