"""Times and spans in sentences."""

from __future__ import annotations

from datetime import UTC, datetime

_UNITS = (("day", 86_400.0), ("h", 3_600.0), ("min", 60.0))


def moment(wall_s: float) -> str:
    """A wall time as 2026-01-31T12:00:00Z; empty when it is none, as that of a clock gone wrong."""
    if wall_s <= 0:
        return ""
    try:
        return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return ""


def said(wall_s: float) -> str:
    """The same for a sentence."""
    text = moment(wall_s)
    return text.replace("T", " ").replace("Z", " UTC") if text else "a time that no calendar has"


def span(seconds: float) -> str:
    """How long something takes, roughly."""
    for unit, factor in _UNITS:
        if seconds >= 2 * factor:
            return f"{seconds / factor:,.0f} {unit}{'s' if unit == 'day' else ''}"
    return f"{seconds:.3g} s"
