"""The commands of `weft cluster` that talk to a running cluster."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer

from weft.cli.cluster_options import Ca, Creds, Nats, split_urls
from weft.cli.cluster_status import print_status
from weft.cli.options import a_time, takes, whole_number
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.settings import SETTINGS
from weft.cli.show_config import ConfigFile
from weft.cli.sources import effective
from weft.cluster.holdings import USUAL_BUCKETS
from weft.cluster.lease import LEASE_S, SHORTEST_LEASE_S
from weft.settings.setting import Group
from weft.stats.verdict import counted

# What needs NATS' library is imported when a command runs: its help is there without.
if TYPE_CHECKING:
    from nats.aio.client import Client

    from weft.cluster.rebuild import Rebuilt

T = TypeVar("T")

CrawlName = Annotated[str, typer.Argument(metavar="CRAWL", help="The crawl's name.")]
Replicas = Annotated[
    int,
    typer.Option(
        metavar="1|3",
        parser=whole_number("--replicas", at_least=1),
        help="NATS servers that keep each event. [default: 3]",
        show_default=False,
    ),
]
# What a node says for itself, and not the crawl.
OF_NODES = ("output", "quiet", "json", "bind", "dashboard", "log", "log-every", "log-level")
PATIENCE_S = 60.0  # there may be many seeds


@takes(tuple(setting for setting in SETTINGS if setting.name not in OF_NODES and setting.group != Group.FILES))
def start(
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="A name for it: small letters, digits, hyphens.")],
    nats: Nats,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin.")] = None,
    buckets: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number("--buckets", at_least=1),
            help="Parts in which hosts are shared out, a power of 2: 16 to 64 for each node. [default: 256]",
            show_default=False,
        ),
    ] = USUAL_BUCKETS,
    replicas: Replicas = 3,
    lease: Annotated[
        float,
        typer.Option(
            metavar="TIME",
            parser=a_time("--lease", at_least=SHORTEST_LEASE_S),
            help="A node that is silent for longer loses its hosts to the others. [default: 30s]",
            show_default=False,
        ),
    ] = LEASE_S,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Begin a crawl that nodes take part in.

    Its settings and seeds live in the cluster; `weft node CRAWL` on each machine does the work. It takes the flags of
    `weft crawl`, but those that are a node's own: --output, --bind, --dashboard, --json, --quiet, --log and its like.

    Exit codes: 0 begun; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control
    from weft.cluster.node import checked_name

    checked_name(crawl, "a crawl's name")  # first: a URL may stand in its place
    settings = effective(flags, config, os.environ)
    seeds = read_seeds(urls or (), settings["seeds"])
    tell_meant(urls or ())
    whole = msgspec.structs.replace(settings.config(seeds), bind="")

    async def begin(client: Client) -> None:
        await control.start(client, crawl, whole, buckets=buckets, replicas=replicas, lease_s=lease)

    with_cluster(nats, nats_creds, nats_ca, begin)
    print(f"Begun. `weft node {crawl}` takes part in it, on this machine or another.")


def status(
    crawl: CrawlName,
    nats: Nats,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as one JSON object.")] = False,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Show how a crawl and its nodes stand.

    Exit codes: 0 shown; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    found = with_cluster(nats, nats_creds, nats_ca, lambda client: control.status(client, crawl))
    if as_json:
        print(msgspec.json.encode(found).decode())
    else:
        print_status(found)


def seeds(
    crawl: CrawlName,
    nats: Nats,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin, too.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--seeds", metavar="FILE|-", help="A file of seed URLs, one a line; - reads standard input."),
    ] = None,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Add seeds to a crawl that has not ended.

    Exit codes: 0 added; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    wanted = read_seeds(urls or (), str(file) if file else None)
    tell_meant(urls or ())
    added = with_cluster(nats, nats_creds, nats_ca, lambda client: control.add_seeds(client, crawl, wanted))
    print(f"Added {counted(added, 'seed')}.")


def pause(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Have no request begin, on any node, until `weft cluster resume`.

    Exit codes: 0 paused; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    with_cluster(nats, nats_creds, nats_ca, lambda client: control.pause(client, crawl, paused=True))
    print(f"Paused. `weft cluster resume {crawl}` goes on.")


def resume(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Go on with a crawl that was paused or stopped.

    Nodes that `weft cluster stop` has ended must be started again, each by its `weft node`.

    Exit codes: 0 it goes on; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    with_cluster(nats, nats_creds, nats_ca, lambda client: control.pause(client, crawl, paused=False))
    print("It goes on, as soon as there are nodes.")


def drain(
    crawl: CrawlName,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The node's name.")],
    nats: Nats,
    back: Annotated[bool, typer.Option("--back", help="Let the node have hosts again.")] = False,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Have a node hand its hosts to the others, and stay without work.

    It finishes what is under way, so that nothing is fetched twice. That holds until --back, also when the node is
    started again.

    Exit codes: 0 it will; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    with_cluster(nats, nats_creds, nats_ca, lambda client: control.drain(client, crawl, node, back=back))
    print(f"{node} gets hosts again." if back else f"{node} hands its hosts to the others.")


def stop(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Have all nodes finish what is under way, and end.

    Nothing is lost: `weft cluster resume` and the nodes, started again, go on.

    Exit codes: 0 they will; 1 unexpected error; 2 bad input.
    """
    from weft.cluster import control

    with_cluster(nats, nats_creds, nats_ca, lambda client: control.stop(client, crawl))
    print(f"All nodes end. `weft cluster resume {crawl}`, then `weft node {crawl}` on each machine, go on.")


def remove(crawl: CrawlName, nats: Nats, nats_creds: Creds = None, nats_ca: Ca = None) -> None:
    """Delete a crawl's log and settings from the NATS servers; its name is free again.

    The nodes' folders stay, and can be read. Without the log, nobody can go on with the crawl.

    Exit codes: 0 deleted; 1 unexpected error; 2 bad input, as nodes that work on it.
    """
    from weft.cluster import control

    with_cluster(nats, nats_creds, nats_ca, lambda client: control.remove_crawl(client, crawl))
    print("Deleted. The nodes' folders stay.")


def rebuild(
    crawl: CrawlName,
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="The folders of all of its nodes.")],
    nats: Nats,
    replicas: Replicas = 3,
    nats_creds: Creds = None,
    nats_ca: Ca = None,
) -> None:
    """Rebuild a crawl's log from its nodes' folders, after the NATS servers have lost it.

    No node may run meanwhile. Afterwards the nodes are started again, with the same folders. A crawl whose log is whole
    is not touched.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 6 a folder cannot be used.
    """
    from weft.cluster.rebuild import rebuild as rebuild_log

    async def work(client: Client) -> Rebuilt:
        return await rebuild_log(client, crawl, folders, replicas=replicas)

    made = with_cluster(nats, nats_creds, nats_ca, work, within_s=None)
    print(f"Rebuilt: {counted(made.pages, 'page')} done, {counted(made.links, 'link')} to look at.")
    if made.lost_links:
        lost = counted(made.lost_links, "link")
        print(f"weft: {lost} between nodes had not arrived, and no archived page has them", file=sys.stderr)
    if made.missing_files:
        name = made.missing_files[0]
        print(f"weft: {name} is in none of the folders: what its node alone knew is not in the log", file=sys.stderr)
    print(f"`weft node {crawl} -o DIR` goes on, with each of the folders.")


def with_cluster(
    nats: str,
    creds: Path | None,
    ca: Path | None,
    work: Callable[[Client], Awaitable[T]],
    within_s: float | None = PATIENCE_S,
) -> T:
    """Connect, do something, and disconnect."""
    from weft.cluster.connection import connect
    from weft.cluster.shared import told_when_away

    async def run() -> T:
        client = await connect(split_urls(nats), name="weft cluster", creds=creds, ca=ca)
        try:
            with told_when_away():
                async with asyncio.timeout(within_s):
                    return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())
