"""`weft cluster`: one crawl on many nodes. Each of its commands is a function below."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from weft.cli import cluster_commands, cluster_dashboard
from weft.cli.options import GroupedCommand
from weft.cli.signals import is_heeded
from weft.cluster.servers import Servers
from weft.errors import BadInput

LOOK_EVERY_S = 0.5

cluster = typer.Typer(
    name="cluster",
    help="Run one crawl on many nodes.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cluster.callback()
def _group() -> None:
    """Without this, Typer would make a group of one command that command."""


@cluster.command(cls=GroupedCommand)
def up(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the servers keep their data.")],
    servers: Annotated[
        str,
        typer.Option(metavar="1|3", help="How many; three go on when one is lost. [default: 3]", show_default=False),
    ] = "3",
) -> None:
    """Start NATS servers on this machine, for a trial, until Ctrl-C.

    Prints the flag by which the other commands find them. A server that ends is started again. The data stay in DIR:
    started there again, the servers have the same addresses.

    Exit codes: 0 ended by Ctrl-C; 2 bad input, as no nats-server found; 6 the folder cannot be used.
    """
    if servers not in ("1", "3"):
        raise BadInput(f"--servers must be 1 or 3, not {servers!r}")
    _end_as_by_ctrl_c(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with suppress(KeyboardInterrupt), Servers(folder, int(servers)) as running:
        print("--nats", ",".join(running.urls), flush=True)
        while True:
            time.sleep(LOOK_EVERY_S)
            if ended := running.ended():
                numbers = ", ".join(str(number + 1) for number in ended)
                print(f"weft: NATS server {numbers} has ended, and is started again", file=sys.stderr)
                running.start()


for _command in (
    cluster_commands.start,
    cluster_commands.status,
    cluster_dashboard.dashboard,
    cluster_commands.seeds,
    cluster_commands.pause,
    cluster_commands.resume,
    cluster_commands.drain,
    cluster_commands.stop,
    cluster_commands.remove,
    cluster_commands.rebuild,
):
    cluster.command(cls=GroupedCommand)(_command)


def _end_as_by_ctrl_c(*signals: signal.Signals) -> None:
    for number in signals:
        if is_heeded(number):
            signal.signal(number, signal.default_int_handler)
