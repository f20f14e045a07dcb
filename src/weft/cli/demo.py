"""`weft demo`: a first crawl that needs no network, checked against the truth."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from weft.cli.exits import Exit
from weft.cli.runner import run_crawl
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.simweb import SimProcess, WebSpec
from weft.stats.verdict import counted
from weft.types import Outcome

# On loopback nobody is disturbed; a fiftieth of the usual delay still shows politeness at work.
DELAY_S = 0.02


def demo(
    hosts: Annotated[int, typer.Option(min=1, metavar="N", help="Hosts of the synthetic web.")] = 60,
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="Pages of the synthetic web.")] = 1000,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The crawl folder. [default: a new one in /tmp]"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Crawl a synthetic web on this machine, and check the result.

    It needs no network. Exit codes: 0 if the crawl found what there is, neither more nor less; else 1.
    """
    console = Console(highlight=False, soft_wrap=True)
    folder = output or Path(tempfile.mkdtemp(prefix="weft-demo-")) / "crawl"
    spec = WebSpec(hosts=hosts, pages=max(pages, hosts), reset_share=0.01, failing_attempts=1, latency_ms=(1, 50))
    console.print(
        f"A web of {counted(hosts, 'host')} and {counted(spec.pages, 'page')} is served on loopback, with redirects,"
        " dead links, broken\n"
        f"connections and robots.txt, and crawled: one connection a host, {DELAY_S} s between its requests.\n"
    )
    with SimProcess(spec) as web:
        config = CrawlConfig(
            seeds=tuple(web.seeds),
            scope="any",
            delay_s=DELAY_S,
            dns_servers=(web.dns,),
            allow_private=True,
            retry_wait_scale=0.2,
            user_agent="weft-demo",
        )
        code = run_crawl(Crawl.create(folder, config), quiet=quiet)
        truth = web.web.truth()
    if code == Exit.DONE:
        code = _compare(console, folder, truth.fetchable, web.log.peak_concurrency())
        console.print(f"\nLook at {folder}/pages.jsonl; the folder may be removed.")
    raise typer.Exit(code)


class _Row(msgspec.Struct):
    url: str
    outcome: Outcome


def _compare(console: Console, folder: Path, truth: frozenset[str], connections: dict[str, int]) -> int:
    """Say plainly whether the crawl found what there is."""
    lines = (folder / "pages.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=_Row) for line in lines]
    fetched = Counter(row.url for row in rows if row.outcome is Outcome.RESPONSE)
    missed = truth - fetched.keys()
    unknown = fetched.keys() - truth
    twice = [url for url, times in fetched.items() if times > 1]
    console.print(
        f"\nThe truth has {counted(len(truth), 'URL')}: missed {len(missed):,}, fetched twice {len(twice):,}, "
        f"not allowed but fetched {len(unknown):,}; connections to a host at once: at most {max(connections.values())}."
    )
    return Exit.FAILED if missed or unknown or twice else Exit.DONE
