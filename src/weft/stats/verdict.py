"""The report in one line, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from weft.stats.figures import Count, Host, LeftOut, Totals

MINUTE_S = 60
HOUR_S = 3600
REASONS_TOLD = 3


def verdict_of(
    totals: Totals, outcomes: list[Count], slowest: list[Host], left_out: Iterable[LeftOut] = (), beyond_depth: int = 0
) -> str:
    """What came of a crawl, as one would tell it. That nothing failed is said of a crawl that lacks nothing."""
    queued = f"{counted(totals.queued, 'URL')} still queued" if totals.queued else ""
    lacking = [
        _left_out(left_out),
        f"{counted(beyond_depth, 'link')} beyond the depth limit" if beyond_depth else "",
        queued,
    ]
    if not totals.visits:
        return _joined("Nothing was visited yet", *lacking)
    if not totals.pages:
        reasons = ", ".join(f"{row.name} × {row.count:,}" for row in outcomes[:3])
        return _joined(f"Not one page came of {counted(totals.visits, 'visit')} ({reasons})", *lacking)
    came = f"{counted(totals.pages, 'page')} of {counted(totals.hosts, 'host')}"
    if totals.seconds:
        came += f" in {duration(totals.seconds)}"
    slow = f"slowest: {slowest[0].name} ({_wait(slowest[0].mean_wait_s)} to answer)" if slowest else ""
    trouble = _trouble(totals, outcomes) or ("" if any(lacking) else "nothing failed and nothing was left out")
    return _joined(came, trouble, *lacking[:2], slow, queued)


def duration(seconds: float) -> str:
    """A span of time in the two units that matter."""
    if seconds < MINUTE_S:
        return f"{seconds:.1f} s"
    if seconds < HOUR_S:
        return f"{int(seconds // MINUTE_S)} min {int(seconds % MINUTE_S)} s"
    return f"{int(seconds // HOUR_S):,} h {int(seconds % HOUR_S // MINUTE_S)} min"


def _trouble(totals: Totals, outcomes: list[Count]) -> str:
    errors = sum(row.count for row in outcomes if row.name.isdigit() and int(row.name) >= 400)
    parts = []
    if totals.failed:
        parts.append(f"{_percent(totals.failed, totals.visits)} of visits failed")
    if errors:
        share = _percent(errors, totals.visits)
        parts.append(f"{share} met an error page" if parts else f"{share} of visits met an error page")
    return ", ".join(parts)


def _left_out(rows: Iterable[LeftOut]) -> str:
    reasons: Counter[str] = Counter()
    for row in rows:
        reasons[row.reason] += row.count
    if not reasons:
        return ""
    told = [f"{reason} × {count:,}" for reason, count in reasons.most_common(REASONS_TOLD)]
    others = ", …" if len(reasons) > REASONS_TOLD else ""
    return f"{counted(reasons.total(), 'URL')} left out ({', '.join(told)}{others})"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part) + "."


def counted(count: int, what: str) -> str:
    """A number of things, as one says it: 1 page, 2 pages."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _percent(part: int, whole: int) -> str:
    percent = 100 * part / whole
    return "< 0.1 %" if percent < 0.1 else f"{percent:.1f} %"


def _wait(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
