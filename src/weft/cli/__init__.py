"""The command `weft`: what a person types, sees while it runs, and gets at the end."""

from __future__ import annotations

import sys

from weft.cli.exits import Exit
from weft.cli.process import has_lost_output
from weft.cli.quick import has_run

__all__ = ["main"]


def main() -> None:
    """Run weft."""
    code: str | int | None = None
    try:
        if not has_run(sys.argv[1:]):
            from weft.cli.app import main as run  # later: Typer takes its time

            run()
    except SystemExit as end:
        code = end.code
    if has_lost_output() and not code:
        print("weft: cannot write to standard output: the disk is full", file=sys.stderr)
        code = Exit.DISK_FULL
    sys.exit(code)
