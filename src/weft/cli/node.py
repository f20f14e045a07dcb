"""`weft node`: this machine takes part in a crawl of several."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
import uvloop

from weft.api.log_records import log_begin
from weft.cli.cluster_options import Ca, Creds, Nats, split_urls
from weft.cli.exits import Exit
from weft.cli.log import start_log, the_log
from weft.cli.log_lines import say_end
from weft.cli.options import takes, whole_number
from weft.cli.runner import EXIT_OF, begin_process, looked_on, print_figures
from weft.cli.settings import BY_NAME
from weft.cli.signals import StopSignals
from weft.cli.sources import read_flags
from weft.live.summary import summary_of
from weft.pipeline.engine import Ending
from weft.workers.garbage import leave_garbage_alone
from weft.workers.malloc import return_blocks

if TYPE_CHECKING:
    from weft.cluster.node import Node

OF_THE_LOG = tuple(BY_NAME[name] for name in ("log", "log-every", "log-level"))


@takes(OF_THE_LOG)
def node(
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="The crawl's name, as `weft cluster start` has it.")],
    nats: Nats,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The folder of this node. [default: node-CRAWL]"),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="By which the others know it. [default: the folder's, or the machine's]",
            show_default=False,
        ),
    ] = "",
    weight: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number("--weight", at_least=1),
            help="Its share of the hosts, beside the others' weights: 1 to 10,000. [default: 100]",
            show_default=False,
        ),
    ] = 100,
    bind: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Connect from this address of this machine.", show_default=False)
    ] = "",
    nats_creds: Creds = None,
    nats_ca: Ca = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **flags: Any,
) -> None:
    """Join a crawl as one of its nodes.

    The crawl's settings and seeds live in the cluster: `weft cluster start` begins it. Nodes may come, leave and die
    while it runs; Ctrl-C hands this node's hosts to the others, a second one leaves at once.

    Exit codes: 0 done, or stopped with all other nodes; 1 unexpected error; 2 bad input; 3 a limit was reached; 5 disk
    full; 6 the folder cannot be used; 129, 130, 143 stopped by a signal.
    """
    begin_process()
    leave_garbage_alone()
    return_blocks()
    urls = split_urls(nats)
    path = output or Path(f"node-{crawl}")
    log = {name: one.value for name, one in read_flags(flags, OF_THE_LOG).items()}
    signals = StopSignals(quiet=quiet)
    try:
        code = uvloop.run(
            _run(crawl, urls, path, name, weight, bind, nats_creds, nats_ca, log, signals, as_json=as_json, quiet=quiet)
        )
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = signals.exit_code
        left = "left at once; the other nodes go on when this one's lease is over"
        if the_log() is not None:
            say_end(code, left)
        elif not quiet:
            print(f"weft: {left}", file=sys.stderr)
    raise typer.Exit(code)


async def _run(
    crawl: str,
    urls: list[str],
    path: Path,
    name: str,
    weight: int,
    bind: str,
    creds: Path | None,
    ca: Path | None,
    log: Mapping[str, Any],
    signals: StopSignals,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    from weft.cluster.connection import connect  # not before: the command's help is there without NATS' library
    from weft.cluster.node import Node

    client = await connect(urls, name=f"weft node {name}".strip(), creds=creds, ca=ca)
    try:
        node = await Node.open(client, crawl, path, name=name, weight=weight, bind=bind)
        start_log({**log, "quiet": quiet})
        signals.attach(node)
        if the_log() is not None:
            log_begin(f"node {node.name} of the crawl {crawl}", path)
        async with looked_on(node.path, quiet=quiet):
            ending = await node.run()
        gc.collect()
        if node.crawl is not None and node.crawl.ending is not None:
            summary = summary_of(node.crawl, ending.value, node.seconds)
            if as_json:
                print(msgspec.json.encode(summary).decode())
            elif not quiet:
                print_figures(summary, _last_word(node, ending))
        code = EXIT_OF[ending]
        if ending is Ending.INTERRUPTED:
            code = Exit.DONE if node.was_stopped else signals.exit_code
        if the_log() is not None:
            say_end(code, _last_word(node, ending))
        return code
    finally:
        await client.close()


def _last_word(node: Node, ending: Ending) -> str:
    match ending:
        case Ending.DONE | Ending.SEEDS_FAILED:
            return f"Done. This node's part of the archive is in {node.path}/archive."
        case Ending.LIMIT:
            return f"A limit of the crawl was reached. This node's part of the archive is in {node.path}/archive."
        case Ending.INTERRUPTED if node.was_stopped:
            return "Stopped, as all nodes of the crawl. `weft cluster resume`, then `weft node` as before, goes on."
        case Ending.INTERRUPTED:
            return "Left. The other nodes have this one's hosts; the same command brings it back."
