"""Where commands lie until the crawl takes them: a file each in state/commands, by their numbers.

Whoever writes one needs no connection to the crawl; a file that is there when the crawl is killed is there when it is
resumed.
"""

from __future__ import annotations

from pathlib import Path

from weft.live.commands import Command


def put_command(folder: Path, command: Command) -> str:
    """Tell the crawl in a folder something; returns the id under which its log will have it."""
    raise NotImplementedError
