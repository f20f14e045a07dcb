"""`weft report`: what came of a crawl, as tables or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from weft.api.report import report as read_report
from weft.cli.options import whole_number
from weft.cli.shown import PLAIN_WIDTH, said, size, span
from weft.stats.figures import Count, Host, LeftOut, Report, Volume
from weft.stats.report import HOSTS_SHOWN
from weft.stats.verdict import counted, duration

# What is rare is counted, but not shown: --json has all of it.
ROWS_SHOWN = 12
BAR_CHARS = 12
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
WIDE = 110  # characters; from here on, two tables fit beside each other
GAP = 2  # characters between them, at least


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="A crawl folder, or a mirror; or those of nodes of one cluster's crawl."),
    ],
    hosts: Annotated[
        int,
        typer.Option(metavar="N", parser=whole_number("--hosts", at_least=1), help="Hosts in each table of hosts."),
    ] = HOSTS_SHOWN,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    site: Annotated[
        bool, typer.Option("--site", help="Say what is worth fixing on the site; the flags below imply it.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write all findings as tables, a file a kind.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write them as one page to open or to send.")
    ] = None,
    since: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Compare with an earlier crawl: what is new, what is fixed.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="KINDS", help="End with exit code 8 if these are found: broken,mixed or errors or any."),
    ] = None,
    check_external: Annotated[
        bool, typer.Option("--check-external", help="Ask once for each URL of other sites that is linked to.")
    ] = False,
) -> None:
    """Summarize a crawl: answers, failures, hosts, times; with --site, what is worth fixing.

    The crawl may be finished, killed or running. docs/report.md explains each table, docs/site-quality.md each
    finding.
    """
    if site or check_external or any(one is not None for one in (csv, html, since, fail_on)):
        from weft.cli.site_report import SiteAsked, report_site  # only for this

        report_site(folders, SiteAsked(as_json, csv, html, since, fail_on, check_external))
        return
    found = read_report(folders, hosts=hosts)
    if as_json:
        print(msgspec.json.encode(found).decode())
    else:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = PLAIN_WIDTH
        print_report(console, found, " ".join(map(str, folders)))


def print_report(console: Console, found: Report, folders: str = "DIR") -> None:
    """Print the tables that have something to say; on a terminal, side by side where there is room."""
    with console.capture() as capture:
        console.print(Text(found.verdict, style="bold"))
        console.print(Text(_origin(found), style="dim"))
        if found.left_out:
            console.print()
            console.print(_left_out(found.left_out))
            console.print(Text(f"each URL: weft export {folders} --to refused -o -", style="dim"))
        for line in _lines_of(console, _tables(found, has_bars=console.is_terminal)):
            console.print()
            console.print(line)
    for line in capture.get().splitlines():
        print(line.rstrip(), file=console.file)


def _lines_of(console: Console, tables: Iterable[Table]) -> Iterator[RenderableType]:
    """What stands beside each other: two tables where there is room and no reader but a person."""
    column = console.width // 2
    may_pair = console.is_terminal and console.width >= WIDE
    waiting: Table | None = None
    for table in tables:
        is_narrow = may_pair and Measurement.get(console, console.options, table).maximum <= column - GAP
        if waiting is not None and is_narrow:
            grid = Table.grid()
            grid.add_column(width=column)
            grid.add_row(waiting, table)
            yield grid
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting = table if is_narrow else None
        if not is_narrow:
            yield table
    if waiting is not None:
        yield waiting


def _tables(found: Report, has_bars: bool) -> Iterator[Table]:
    """The tables in the order in which one asks: how much, how it ended, what came, how long it took, from whom."""
    yield _totals(found)
    if found.responses.total:
        yield _responses(found, has_bars)
    if found.outcomes:
        yield _counts("Statuses and failures", "visit ended with", found.outcomes, has_bars)
    if found.depths:
        yield _counts("Depths", "links from a seed", found.depths, has_bars)
    if found.media_types:
        yield _volumes("Media types", "of pages", found.media_types)
    if found.charsets:
        yield _counts("Charsets", "of pages", found.charsets, has_bars)
    if found.refusals:
        yield _counts("Links not followed", "reason", found.refusals, has_bars)
    if found.truncated:
        yield _counts("Cut off", "reason", found.truncated, has_bars)
    if found.unread:
        yield _counts("Links not all read", "reason", found.unread, has_bars)
    if found.stages:
        yield _stages(found)
    if found.seen.asked:
        yield _seen(found, has_bars)
    yield from _hosts(found)


def _left_out(rows: Sequence[LeftOut]) -> Table:
    table = _table("Left out", "reason", ("rule", "URLs", "such as"))
    for row in rows[:ROWS_SHOWN]:
        table.add_row(row.reason, Text(said(row.rule)), f"{row.count:,}", Text(said(row.example)))
    _say_what_is_left_out(table, len(rows))
    return table


def _totals(found: Report) -> Table:
    totals, sizes, duplicates, items = found.totals, found.sizes, found.duplicates, found.items
    table = Table(box=None, show_header=False, title="In all", title_justify="left", title_style="bold", pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    tried_again = f", {totals.retries:,} of them tries again" if totals.retries else ""
    rows = [
        ("pages", f"{totals.pages:,}, {totals.pages_per_s:,.1f} a second"),
        ("visits", f"{totals.visits:,}, {totals.failed:,} failed"),
        ("requests", f"{totals.requests:,}{tried_again}"),
        ("received", f"{size(totals.bytes)}, {totals.kb_per_s:,.0f} KB/s"),
        ("URLs known", f"{totals.seen:,}"),
    ]
    if totals.queued:
        rows.append(("still queued", f"{totals.queued:,}"))
    if totals.pages:
        rows.append(("page size", f"mean {size(sizes.mean_bytes)}, median {size(sizes.p50_bytes)},"))
        rows.append(("", f"95 % up to {size(sizes.p95_bytes)}, largest {size(sizes.largest_bytes)}"))
    if duplicates.revisits:
        rows.append(
            ("stored before", f"{counted(duplicates.revisits, 'payload')}, {size(duplicates.saved_bytes)} saved")
        )
    if duplicates.near is not None:
        rows.append(("nearly alike", counted(duplicates.near, "page")))
    if (value := found.value) is not None:
        rows.append(("value", f"{value.fetched_percent:g} % of what {value.order} found was fetched"))
        if value.relevant is not None:
            rows.append(("on the topic", f"{counted(value.relevant, 'page')}, {value.relevant_percent:g} %"))
    if items.hooks_failed:
        rows.append(("hooks", f"{counted(items.hooks_failed, 'call')} failed"))
    if items.written or items.calls_failed:
        failed = f", {counted(items.calls_failed, 'call')} failed" if items.calls_failed else ""
        rows.append(("items", f"{items.written:,}{failed}"))
    if totals.relaxed:
        rows.append(("read again", f"{counted(totals.relaxed, 'page')}, for their links"))
    if totals.workers_died:
        rows.append(("workers died", f"{totals.workers_died:,}"))
    for row in rows:
        table.add_row(*row)
    return table


def _responses(found: Report, has_bars: bool) -> Table:
    responses, redirects = found.responses, found.responses.redirects
    table = _counts("Responses", "kind", responses.kinds, has_bars)
    table.add_row("total", f"{responses.total:,}", style="bold")
    if redirects.count:
        table.add_row("besides, redirects", f"{redirects.count:,}", f"{redirects.percent:.2f} %", style="dim")
    if responses.leading_back:
        table.add_row("that lead back (try --cookies)", f"{responses.leading_back:,}", "", style="dim")
    return table


def _counts(title: str, head: str, rows: Sequence[Count], has_bars: bool) -> Table:
    table = _table(title, head, ("count", "share", *([""] if has_bars else [])))
    for row in rows[:ROWS_SHOWN]:
        bar = [_bar(row.percent)] if has_bars else []
        table.add_row(Text(said(row.name)), f"{row.count:,}", f"{row.percent:.2f} %", *bar)
    _say_what_is_left_out(table, len(rows))
    return table


def _volumes(title: str, head: str, rows: Sequence[Volume]) -> Table:
    table = _table(title, head, ("count", "share", "received"))
    for row in rows[:ROWS_SHOWN]:
        table.add_row(Text(said(row.name)), f"{row.count:,}", f"{row.percent:.2f} %", size(row.bytes))
    _say_what_is_left_out(table, len(rows))
    return table


def _stages(found: Report) -> Table:
    table = _table("Time by stage", "stage", ("times", "mean", "median", "95 % within", "in all"))
    for stage in found.stages:
        table.add_row(
            stage.name,
            f"{stage.times:,}",
            span(stage.mean_s),
            "" if stage.p50_s is None else span(stage.p50_s),
            "" if stage.p95_s is None else span(stage.p95_s),
            duration(stage.total_s),
        )
    return table


def _seen(found: Report, has_bars: bool) -> Table:
    seen = found.seen
    table = _counts("Is a URL known?", "answered by", seen.answered_by, has_bars)
    table.add_row("false positives", f"{seen.false_positives:,}", f"{seen.false_positive_percent:.4f} %", style="dim")
    return table


def _hosts(found: Report) -> Iterator[Table]:
    hosts = found.hosts
    if hosts.by_pages:
        yield _host_table("Hosts with most pages", hosts.by_pages, ("pages", "share", "received"))
    if [host.name for host in hosts.by_bytes] != [host.name for host in hosts.by_pages]:
        yield _host_table("Hosts with most bytes", hosts.by_bytes, ("received", "pages", "share"))
    if hosts.slowest:
        yield _host_table("Slowest hosts", hosts.slowest, ("mean wait", "visits", "pages"))
    if hosts.failing:
        yield _host_table("Hosts with most failures", hosts.failing, ("failed", "visits", "mostly"))


def _host_table(title: str, rows: Sequence[Host], columns: tuple[str, ...]) -> Table:
    table = _table(title, "host", columns)
    for host in rows:
        cells = {
            "pages": f"{host.pages:,}",
            "share": f"{host.percent:.2f} %",
            "received": size(host.bytes),
            "visits": f"{host.visits:,}",
            "failed": f"{host.failed:,}",
            "mostly": host.main_failure,
            "mean wait": span(host.mean_wait_s),
        }
        table.add_row(Text(said(host.name)), *(cells[column] for column in columns))
    return table


def _table(title: str, head: str, columns: Iterable[str]) -> Table:
    """A table without lines: the first column names, the others are numbers."""
    table = Table(
        box=None,
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        caption_style="dim",
        header_style="dim",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    table.add_column(head, overflow="fold")
    for column in columns:
        is_text = column in ("", "mostly", "rule", "such as")
        is_long = column in ("rule", "such as")
        justify: Literal["left", "right"] = "left" if is_text else "right"
        table.add_column(column, justify=justify, no_wrap=not is_long, overflow="fold" if is_long else "ellipsis")
    return table


def _say_what_is_left_out(table: Table, rows: int) -> None:
    if rows > ROWS_SHOWN:
        table.caption = f"and {rows - ROWS_SHOWN:,} more; --json has them"


def _origin(found: Report) -> str:
    crawl = found.crawl
    others = f" and {crawl.seeds - 1:,} more" if crawl.seeds > 1 else ""
    depth = "" if crawl.max_depth is None else f", depth up to {crawl.max_depth}"
    when = f", {_period(crawl.first_visit, crawl.last_visit)}" if crawl.first_visit else ""
    return f"Crawl of {crawl.first_seed}{others}, scope {crawl.scope}{depth}{when}"


def _period(first: str, last: str) -> str:
    """From one moment to another, both as 2026-01-31T12:00:00Z; the same day is said once."""
    begin, end = first.removesuffix("Z").split("T"), last.removesuffix("Z").split("T")
    until = end[1] if begin[0] == end[0] else " ".join(end)
    return f"{' '.join(begin)} to {until} UTC"


def _bar(percent: float) -> Text:
    eighths = max(1, round(percent / 100 * BAR_CHARS * 8)) if percent else 0
    return Text("█" * (eighths // 8) + EIGHTHS[eighths % 8], style="cyan")
