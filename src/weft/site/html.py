"""The site report as one page that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TextIO

from weft.site.findings import SiteReport


def write_html(report: SiteReport, out: TextIO) -> None:
    """Write the page."""
    out.write(f"<!DOCTYPE html><meta charset=utf-8><title>Site report</title><h1>{escape(report.verdict)}</h1>")
    for section in report.sections:
        out.write(f"<h2>{escape(section.title)}: {section.count:,}</h2><ul>")
        for finding in section.findings:
            out.write(f"<li>{escape(finding.url)} {escape(finding.detail)}")
        out.write("</ul>")
