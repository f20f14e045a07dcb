"""`weft report --site`: what is worth fixing, as tables for people, and as files to keep or to send."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.api.site_report import open_findings
from weft.cli.exits import Exit
from weft.cli.printing import printed
from weft.cli.shown import PLAIN_WIDTH, said
from weft.errors import told_in_words
from weft.site.findings import Finding, FindingKind, Section, Severity, SiteReport, kinds_named
from weft.site.html import write_html
from weft.site.report import SiteFindings
from weft.site.write_csv import write_csv
from weft.site.write_json import write_json
from weft.stats.verdict import counted
from weft.whole_file import appears_whole

FINDINGS_SHOWN = 5
REFERRERS_SHOWN = 3
LONGEST_LINE = 2_000  # characters
FINDINGS_IN_HTML = 20_000  # of a kind; CSV has all of them
REFERRERS_IN_HTML = 20  # of a finding
STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTICE: "dim"}


class SiteAsked(msgspec.Struct, frozen=True):
    """What the flags ask for."""

    as_json: bool = False
    csv: Path | None = None
    html: Path | None = None
    since: Path | None = None
    fail_on: str | None = None
    check_external: bool = False


def report_site(folders: list[Path], asked: SiteAsked) -> None:
    """Print or write the findings; the exit code says whether what must not be there is."""
    unwanted = frozenset[FindingKind]() if asked.fail_on is None else kinds_named(asked.fail_on)
    with (
        _progress() as progress,
        open_findings(folders, since=asked.since, check_external=asked.check_external, progress=progress) as findings,
    ):
        progress("", 0)
        _write_files(findings, asked)
        if asked.as_json:
            with printed() as out:
                write_json(findings, out)
        else:
            console = Console(highlight=False)
            if not console.is_terminal:
                console.width = PLAIN_WIDTH
            print_site(console, findings.report(FINDINGS_SHOWN, REFERRERS_SHOWN), shlex.join(map(str, folders)))
        found = [kind for kind in FindingKind if kind in unwanted and findings.count(kind)]
        is_judged = findings.visited > 0
    if unwanted and not is_judged:  # a pipeline should not take a site that is down for a sound one
        print("weft: --fail-on has nothing to judge by: nothing was visited", file=sys.stderr)
        raise typer.Exit(Exit.FOUND)
    if found:
        print(f"weft: found what --fail-on names: {', '.join(found)}", file=sys.stderr)
        raise typer.Exit(Exit.FOUND)


def _write_files(findings: SiteFindings, asked: SiteAsked) -> None:
    if asked.csv is not None:
        with told_in_words(asked.csv):
            written = write_csv(findings, asked.csv)
        print(f"weft: {counted(len(written), 'file')} in {asked.csv}", file=sys.stderr)
    if asked.html is not None:
        with appears_whole(asked.html, replaces=True) as out:
            write_html(findings.report(FINDINGS_IN_HTML, REFERRERS_IN_HTML), out)
        print(f"weft: {asked.html} can be opened in any browser, or sent to somebody", file=sys.stderr)


def print_site(console: Console, report: SiteReport, folders: str = "DIR") -> None:
    """Print the tables."""
    with console.capture() as capture:
        console.print(Text(report.verdict, style="bold"))
        console.print(_words(f"Crawl of {report.first_seed}, {report.last_visit}", style="dim"))
        if report.sections:
            console.print()
            console.print(_summary(report))
        for section in report.sections:
            if section.findings:
                console.print()
                _print_section(console, section)
        if report.total:
            console.print()
            console.print(_words(f"all of it: weft report {folders} --site --csv FOLDER, or --html FILE", style="dim"))
            console.print(Text("what each finding means, and how to fix it: docs/site-quality.md", style="dim"))
    for line in capture.get().splitlines():
        print(line.rstrip(), file=console.file)


def _summary(report: SiteReport) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("finding")
    table.add_column("count", justify="right")
    if report.since:
        table.add_column("new", justify="right")
        table.add_column("fixed", justify="right")
    table.add_column("kind")
    for section in report.sections:
        compared = (f"{section.new or 0:,}", f"{section.fixed or 0:,}") if report.since else ()
        title = Text(section.title, style=STYLES[section.severity])
        table.add_row(title, f"{section.count:,}", *compared, section.kind)
    return table


def _print_section(console: Console, section: Section) -> None:
    console.print(Text(f"{section.title}: {section.count:,}", style="bold"))
    for finding in section.findings:
        console.print(_line(finding))
        for referrer in finding.referrers:
            anchor = f" “{referrer.anchor}”" if referrer.anchor else ""
            place = f" ({referrer.place})" if referrer.place not in ("", "link") else ""
            console.print(_words(f"    from {referrer.url}{anchor}{place}", style="dim"))
        if finding.referrer_count > len(finding.referrers):
            more = finding.referrer_count - len(finding.referrers)
            console.print(Text(f"    and from {more:,} more", style="dim"))
    if section.count > len(section.findings):
        console.print(Text(f"  and {section.count - len(section.findings):,} more", style="dim"))


def _line(finding: Finding) -> Text:
    words = [finding.detail] if finding.detail else []
    if finding.status and finding.status != 200:
        words.insert(0, str(finding.status))
    if finding.other and finding.other not in finding.detail:
        words.append(f"→ {finding.other}")
    if finding.is_new:
        words.append("(new)")
    return _words(f"  {finding.url}  {'  '.join(words)}")


def _words(words: str, style: str = "") -> Text:
    return Text(said(words, LONGEST_LINE), style=style)


@contextmanager
def _progress() -> Iterator[Callable[[str, int], None]]:
    """What is done now, on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda stage, rows: None
        return
    with console.status("Reading …") as status:

        def told(stage: str, rows: int) -> None:
            if not stage:
                status.stop()
            else:
                status.update(f"{stage} {rows:,} …" if rows else f"{stage} …")

        yield told
