"""The findings as tables, a file a kind; a line for each page that refers to what was found.

Anchors and titles are what others wrote. A spreadsheet takes a cell that begins with `=` for a formula and runs it, so
such a cell gets an apostrophe before it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from weft.site.findings import Finding, FindingKind
from weft.site.report import SiteFindings
from weft.whole_file import appearing_whole

COLUMNS: Final = ("url", "status", "detail", "other", "new", "referrers", "referrer", "anchor", "place", "rel")
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_LINES_AT_ONCE: Final = 1_000


def write_csv(findings: SiteFindings, folder: Path) -> list[Path]:
    """Write the files, and return their paths. Files of kinds of which nothing is found any more are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for kind in FindingKind:
        path = folder / f"{kind}.csv"
        if not findings.count(kind):
            path.unlink(missing_ok=True)
            continue
        with appearing_whole(path) as out:
            for text in _texts(findings, kind):
                out.write(text.encode())
        written.append(path)
    return written


def defused(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def _texts(findings: SiteFindings, kind: FindingKind) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for number, cells in enumerate(_lines(findings, kind), 1):
        writer.writerow(cells)
        if not number % _LINES_AT_ONCE:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _lines(findings: SiteFindings, kind: FindingKind) -> Iterator[tuple[object, ...]]:
    for subject, finding in findings.subjects(kind):
        cells = _cells(finding)
        for referrer in findings.referrers(subject):
            yield *cells, *map(defused, (referrer.url, referrer.anchor, referrer.place, referrer.rel))
        if not finding.referrer_count:
            yield *cells, "", "", "", ""


def _cells(finding: Finding) -> tuple[object, ...]:
    is_new = "" if finding.is_new is None else "new" if finding.is_new else "known"
    url, detail, other = map(defused, (finding.url, finding.detail, finding.other))
    return url, finding.status or "", detail, other, is_new, finding.referrer_count
