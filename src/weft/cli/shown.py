"""Values as a person reads them on a terminal: names that may come from a server, sizes, times, a curve in a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# Nothing is cut off where no terminal sets a width: a line is as long as what it says.
PLAIN_WIDTH = 10_000
LONGEST_NAME = 253  # of a host; what else has a name is shorter, if it means something
UNSAFE = "\N{REPLACEMENT CHARACTER}"
BLOCKS, ASCII_BLOCKS = "▁▂▃▄▅▆▇█", "_.:-=+*#"
_PLAINER = str.maketrans({"…": "~", "×": "x", "µ": "u"})  # a character each: styles go by their places


def said(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that may come from a server, without what would move the cursor."""
    shown = name if len(name) <= longest else name[: longest - 1] + "…"
    return "".join(char if char.isprintable() else UNSAFE for char in shown)


def size(count_bytes: float) -> str:
    """Bytes in the unit that suits them."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count_bytes >= factor:
            return f"{count_bytes / factor:,.1f} {unit}"
    return f"{count_bytes:,.0f} B"


def span(seconds: float) -> str:
    """A short time in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:,.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def sparkline(values: Sequence[float], chars: int) -> str:
    """A curve from nothing to its highest value; of more values than characters, means of neighbours."""
    if chars <= 0:
        return ""
    if len(values) > chars:
        edges = [len(values) * char // chars for char in range(chars + 1)]
        values = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    highest = max(values, default=0.0)
    if highest <= 0:
        return BLOCKS[0] * len(values)
    return "".join(BLOCKS[min(len(BLOCKS) - 1, int(len(BLOCKS) * max(0.0, value) / highest))] for value in values)


def plain_for(text: str, encoding: str) -> str:
    """The same text, a character each, as far as a terminal of this encoding can show it."""
    if encoding.lower().replace("-", "").startswith("utf"):
        return text
    text = text.translate(_PLAINER).translate(str.maketrans(BLOCKS, ASCII_BLOCKS))
    return text.encode(encoding, "replace").decode(encoding)
