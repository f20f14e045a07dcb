"""`weft demo`: a first crawl that needs no network, checked against the truth."""

from __future__ import annotations

import resource
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from weft.cli.demo_pace import Pace, watch_pace
from weft.cli.exits import Exit
from weft.cli.options import whole_number
from weft.cli.runner import Run, begin_process, print_summary, run_to_end
from weft.config import CrawlConfig
from weft.cores import core_count
from weft.live.summary import cpu_s
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.stats.verdict import counted
from weft.types import Outcome

# On loopback nobody is disturbed. All of weft's usual waits are divided by this, so that it shows in half a minute how
# they work together: a second between requests to a host is 0.2 s, ten requests a second to an address are fifty.
HURRY = 5
USUAL = CrawlConfig()


def demo(
    hosts: Annotated[
        int, typer.Option(metavar="N", parser=whole_number("--hosts", at_least=1), help="Hosts of the synthetic web.")
    ] = 300,
    pages: Annotated[
        int, typer.Option(metavar="N", parser=whole_number("--pages", at_least=1), help="Pages of the synthetic web.")
    ] = 6000,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The crawl folder. [default: a new one in /tmp]"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Crawl a synthetic web on this machine, and check the result.

    It needs no network. Exit codes: 0 if the crawl found what there is, neither more nor less; else 1.
    """
    begin_process()
    console = Console(highlight=False, soft_wrap=True)
    temporary = None if output else Path(tempfile.mkdtemp(prefix="weft-demo-"))
    folder = output or Path(str(temporary)) / "crawl"
    spec = web_of(hosts, pages)
    console.print(
        f"A web of {counted(hosts, 'host')} and {counted(spec.pages, 'page')} is served on this machine, with\n"
        "redirects, dead links, broken connections and robots.txt. It is crawled as politely as the\n"
        f"real one, {HURRY} times as fast: one connection a host, {USUAL.delay_s / HURRY:g} s between its requests.\n"
    )
    pace = Pace()
    with SimProcess(spec) as web:
        crawl = Crawl.create(folder, config_for(web))
        run = run_to_end(crawl, "`weft demo` begins another one", quiet=quiet, companion=watch_pace(crawl, pace))
        truth = web.web.truth()
        before_s = cpu_s(resource.getrusage(resource.RUSAGE_CHILDREN))
    web_cpu_s = cpu_s(resource.getrusage(resource.RUSAGE_CHILDREN)) - before_s
    if isinstance(run, int) or run.ending is not Ending.DONE:
        if temporary is not None:  # its web is gone, so nobody can go on with it
            shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(run, int):
            raise typer.Exit(run)
        print_summary(crawl, run.summary, _last_word(run))
        raise typer.Exit(run.exit_code)
    print_summary(crawl, run.summary, _last_word(run))
    cores = core_count()
    cpu_share = (run.summary.cpu_s + web_cpu_s) / (cores * run.summary.seconds)
    found = _compare(folder, truth.fetchable)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("peak", f"{pace.peak_per_s():,.0f} pages/s")
    table.add_row("limited by", pace.limit(run.summary.pages, hosts))
    table.add_row("CPU", f"{cpu_share:.0%} of {counted(cores, 'core')}; of it {web_cpu_s:,.1f} s for serving the web")
    table.add_row("the truth", f"{counted(len(truth.fetchable), 'URL')}: {found.in_words}")
    table.add_row("connections", f"at most {max(web.log.peak_concurrency().values())} to a host at once")
    console.print()
    Console(highlight=False).print(table)
    console.print(
        f"\nNow, for example:\n{activation()}"
        f"  weft report {folder}\n"
        f"  weft export {folder} --to jsonl --with markdown\n"
        "  weft crawl https://example.org --depth 2 --max-time 5min"
    )
    if temporary is not None:
        console.print(f"\nNothing else needs this crawl: `rm -r {temporary}` removes it.")
    raise typer.Exit(Exit.DONE if found.is_right else Exit.FAILED)


def activation(executable: Path | None = None) -> str:
    """The line that makes a shell find this weft, if it would not: `make demo` runs it from an environment."""
    beside = (executable or Path(sys.executable)).parent
    script = beside / "activate"
    if shutil.which("weft") == str(beside / "weft") or not script.is_file():
        return ""
    here = Path.cwd()
    return f"  . {shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))}\n"


def web_of(hosts: int, pages: int) -> WebSpec:
    """Many hosts of like size: no single one keeps the others waiting for it."""
    return WebSpec(
        hosts=hosts,
        pages=max(pages, hosts),
        seed_hosts=max(1, hosts // 5),
        size_spread=0.0,
        addresses=max(1, hosts // 3),
        page_bytes=8_000,
        reset_share=0.01,
        failing_attempts=1,
        latency_ms=(1, 50),
    )


def config_for(web: SimProcess) -> CrawlConfig:
    """weft as it is, with each of its waits divided by the same number."""
    return CrawlConfig(
        seeds=tuple(web.seeds),
        scope="any",
        delay_s=USUAL.delay_s / HURRY,  # the time between requests to an address follows it
        max_host_wait_s=USUAL.max_host_wait_s / HURRY,
        retry_wait_scale=USUAL.retry_wait_scale / HURRY,
        dns_servers=(web.dns,),
        allow_private=True,
        user_agent="weft-demo",
    )


class _Row(msgspec.Struct):
    url: str
    outcome: Outcome


def _last_word(run: Run) -> str:
    if run.ending is Ending.DONE:
        return "Done."
    return "Stopped, and the web with it; `weft demo` begins another one."


class _Comparison(NamedTuple):
    missed: int
    twice: int
    not_allowed: int

    @property
    def is_right(self) -> bool:
        return not any(self)

    @property
    def in_words(self) -> str:
        return f"missed {self.missed:,}, fetched twice {self.twice:,}, not allowed but fetched {self.not_allowed:,}"


def _compare(folder: Path, truth: frozenset[str]) -> _Comparison:
    """Whether the crawl found what there is."""
    lines = (folder / "pages.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=_Row) for line in lines]
    fetched = Counter(row.url for row in rows if row.outcome is Outcome.RESPONSE)
    twice = sum(times > 1 for times in fetched.values())
    return _Comparison(len(truth - fetched.keys()), twice, len(fetched.keys() - truth))
