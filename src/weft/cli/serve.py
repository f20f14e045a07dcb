"""`weft serve`: look at a mirror in a browser."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from weft.cli.options import whole_number
from weft.serve import MirrorServer, Site, root_of


def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A mirror, or any folder of files.")],
    port: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number("--port", at_least=0),
            help="The port; 0 takes any that is free. [default: 8000]",
            show_default=False,
        ),
    ] = 8000,
    address: Annotated[
        str, typer.Option(metavar="IP", help="Where to listen. [default: 127.0.0.1: this machine]", show_default=False)
    ] = "127.0.0.1",
    site: Annotated[
        str | None,
        typer.Option(
            metavar="HOST",
            help="The site that is at the root; . shows all, a folder each. [default: where the mirror began]",
            show_default=False,
        ),
    ] = None,
    opens: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Serve a mirror to a browser on this machine, until Ctrl-C.

    Its site is at the root, as on its own server, so that the paths in its scripts lead where they should. Other hosts
    are folders there.

    With an --address other than the default, whoever reaches this machine can read the mirror.

    Exit codes: 0 ended by Ctrl-C; 2 bad input, as a port in use; 6 the folder cannot be used.
    """
    with MirrorServer(Site(folder, root_of(folder, site)), address, port) as server:
        print(server.url, flush=True)
        if opens:
            webbrowser.open(server.url)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
