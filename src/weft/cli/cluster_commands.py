"""The commands of `weft cluster` that talk to a running cluster."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer
from nats.aio.client import Client
from rich.console import Console
from rich.table import Table

from weft.cli.cluster_options import Ca, Creds, Nats, split_urls
from weft.cli.options import takes
from weft.cli.seeds import read_seeds
from weft.cli.settings import SETTINGS
from weft.cli.show_config import ConfigFile
from weft.cli.sources import effective
from weft.cluster import control
from weft.cluster.connection import connect
from weft.errors import BadInput
from weft.stats.verdict import counted

T = TypeVar("T")

CrawlName = Annotated[str, typer.Argument(metavar="CRAWL", help="The crawl's name.")]
# What is of no use where a crawl has no folder of its own.
ELSEWHERE = ("output", "quiet", "json")


@takes(tuple(setting for setting in SETTINGS if setting.name not in ELSEWHERE))
def start(
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="A name for it: small letters, digits, hyphens.")],
    nats: Nats,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin.")] = None,
    buckets: Annotated[
        int, typer.Option(metavar="N", help="Parts that hosts are shared out in; 16 to 64 for each node.")
    ] = control.BUCKETS,
    replicas: Annotated[int, typer.Option(metavar="1|3", help="NATS servers that keep each event.")] = 3,
    lease: Annotated[
        float, typer.Option(metavar="SECONDS", help="A node that is silent for longer has lost its hosts.")
    ] = control.LEASE_S,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Begin a crawl that nodes take part in.

    Its settings and seeds live in the cluster; `weft node CRAWL` on each machine does the work.

    Exit codes: 0 begun; 1 unexpected error; 2 bad input.
    """
    settings = effective(flags, config, os.environ)
    seeds = read_seeds(urls or (), settings["seeds"])

    async def begin(client: Client) -> None:
        await control.start(client, crawl, settings.config(seeds), buckets=buckets, replicas=replicas, lease_s=lease)

    _with_cluster(nats, nats_creds, nats_ca, begin)
    print(f"Begun. `weft node {crawl} --nats {nats}` takes part in it, on this machine or another.")


def status(
    crawl: CrawlName,
    nats: Nats,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Show a crawl's nodes: what each has and does, and who found links for whom.

    Exit codes: 0 shown; 1 unexpected error; 2 bad input.
    """
    found = _with_cluster(nats, nats_creds, nats_ca, lambda client: control.status(client, crawl))
    if as_json:
        print(msgspec.json.encode(found).decode())
    else:
        _print_status(found)


def seeds(
    crawl: CrawlName,
    nats: Nats,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin, too.")] = None,
    file: Annotated[
        Path | None, typer.Option("--seeds", metavar="FILE", help="Seeds from a file, one a line; - is standard input.")
    ] = None,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Add seeds to a crawl that has not ended.

    Exit codes: 0 added; 1 unexpected error; 2 bad input.
    """
    wanted = read_seeds(urls or (), str(file) if file else None)
    added = _with_cluster(nats, nats_creds, nats_ca, lambda client: control.add_seeds(client, crawl, wanted))
    print(f"Added {counted(added, 'seed')}.")


def pause(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Have no request begin, on any node, until `weft cluster resume`.

    Exit codes: 0 paused; 1 unexpected error; 2 bad input.
    """
    _with_cluster(nats, nats_creds, nats_ca, lambda client: control.pause(client, crawl, paused=True))


def resume(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Go on with a crawl that was paused or stopped; nodes that have ended must be started again.

    Exit codes: 0 it goes on; 1 unexpected error; 2 bad input.
    """
    _with_cluster(nats, nats_creds, nats_ca, lambda client: control.pause(client, crawl, paused=False))


def drain(
    crawl: CrawlName,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The node's name.")],
    nats: Nats,
    back: Annotated[bool, typer.Option("--back", help="Let it have hosts again.")] = False,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Have a node hand its hosts to the others; it finishes what is under way, and stays without work.

    Exit codes: 0 it will; 1 unexpected error; 2 bad input.
    """
    _with_cluster(nats, nats_creds, nats_ca, lambda client: control.drain(client, crawl, node, back=back))


def stop(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Have all nodes finish what is under way and end; nothing is lost, and `resume` goes on.

    Exit codes: 0 they will; 1 unexpected error; 2 bad input.
    """
    _with_cluster(nats, nats_creds, nats_ca, lambda client: control.stop(client, crawl))


def _with_cluster(nats: str, creds: Path | None, ca: Path | None, work: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        client = await connect(split_urls(nats), name="weft cluster", creds=creds, ca=ca)
        try:
            async with asyncio.timeout(60):
                return await work(client)
        except TimeoutError as error:
            raise BadInput("the NATS servers do not answer in time: are they well?") from error
        finally:
            await client.close()

    return asyncio.run(run())


def _print_status(found: control.Status) -> None:
    console = Console()
    state = "ended" if found.finished else "stopped" if found.stopped else "paused" if found.paused else "running"
    how = f" ({found.finished})" if found.finished else ""
    console.print(f"{found.crawl}: {state}{how}; {found.pages:,} pages, {found.queued:,} queued", highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("node", "state", "weight", "buckets", "pages", "queued", "received", "sent", "untold"):
        table.add_column(title, justify="left" if title in ("node", "state") else "right")
    for node in found.nodes:
        counts = node.counts
        how = "over" if not node.lives else "leaving" if node.leaves else "idle" if node.is_idle else "busy"
        figures = (counts.pages, counts.queued, counts.received, counts.sent, counts.unsent)
        table.add_row(node.name, how, str(node.weight), str(node.buckets), *(f"{figure:,}" for figure in figures))
    console.print(table)
    names = sorted({name for node in found.nodes for name in node.sent_to} | {node.name for node in found.nodes})
    if any(node.sent_to for node in found.nodes):
        console.print("\nlinks found by (row) for (column):", highlight=False)
        matrix = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("", *(name or "nobody" for name in names)):
            matrix.add_column(title, justify="right" if title else "left")
        for node in found.nodes:
            matrix.add_row(node.name, *(f"{node.sent_to.get(name, 0):,}" for name in names))
        console.print(matrix)
