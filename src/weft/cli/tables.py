"""What all tables on a terminal have in common."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

# Nothing is cut off where no terminal sets a width: a line is as long as what it says.
PLAIN_WIDTH = 10_000
LONGEST_LINE = 2_000


def plain_console() -> Console:
    """Standard output; into a file or a pipe without colours and as wide as need be."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def said(words: str, most_chars: int = LONGEST_LINE, style: str = "") -> Text:
    """Words that may come from a server, without what would move the cursor."""
    shown = words if len(words) <= most_chars else words[: most_chars - 1] + "…"
    return Text("".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in shown), style=style)
