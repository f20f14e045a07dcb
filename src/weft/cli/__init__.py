"""The command `weft`: what a person types, sees while it runs, and gets at the end."""

from __future__ import annotations

import sys

from weft.cli.quick import has_run

__all__ = ["main"]


def main() -> None:
    """Run weft."""
    if not has_run(sys.argv[1:]):
        from weft.cli.app import main as run  # later: Typer takes its time

        run()
