"""`weft dashboard`: look at a crawl in a browser."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from html import escape
from ipaddress import ip_address
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.dashboard_beside import check_libraries, link_with
from weft.cli.settings import DASHBOARD_PLACE
from weft.dashboard.token import token_for
from weft.listening import listen, read_place
from weft.live.reader import checked_folder

if TYPE_CHECKING:
    from weft.dashboard.source import Source

FLAG = "--listen"

Listen = Annotated[
    str,
    typer.Option(
        FLAG,
        metavar="ADDRESS:PORT",
        help=f"Where to listen; port 0 takes any that is free. [default: {DASHBOARD_PLACE}: this machine]",
        show_default=False,
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Also answer under this name, as that of a proxy in front. [repeatable]"),
]
Open = Annotated[bool, typer.Option("--open", help="Open it in a browser.")]


def dashboard(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")],
    place: Listen = DASHBOARD_PLACE,
    allow_host: AllowHost = None,
    opens: Open = False,
) -> None:
    """Watch and steer a crawl in a browser, until Ctrl-C.

    The crawl may run, in whatever process, or have ended, or have been killed. Prints a link that holds a token: who
    has it may steer the crawl. On this machine looking on needs no token; with --listen at another address it does,
    and everything goes over the network unencrypted. WEFT_DASHBOARD_TOKEN sets the token.

    Exit codes: 0 ended by Ctrl-C; 2 bad input, as a port in use; 6 the folder cannot be used.
    """
    check_libraries()
    from weft.dashboard.source import FolderSource

    crawl = checked_folder(folder)
    listener = listen(*read_place(place, FLAG), f"{FLAG} ADDRESS:")
    show(
        FolderSource(crawl, folder.absolute().name),
        listener,
        token_for(crawl, os.environ),
        allow_host or (),
        opens=opens,
    )


def show(source: Source, listener: socket.socket, token: str, allowed_hosts: Sequence[str], *, opens: bool) -> None:
    """Serve the page, and say where it is."""
    from weft.dashboard.server import serve

    if not ip_address(listener.getsockname()[0]).is_loopback:
        print("weft: this address is reached from elsewhere, and unencrypted: docs/dashboard.md", file=sys.stderr)
    link = link_with(token, listener)
    print(link, flush=True)
    with _opened(link) if opens else nullcontext():
        serve(source, listener, token, allowed_hosts)


@contextmanager
def _opened(link: str) -> Iterator[None]:
    """Have a browser open the link, by a page that leads there and that only this user can read.

    Everybody on this machine can see what a browser is called with, and who has the token may steer the crawl.
    """
    with NamedTemporaryFile("w", prefix="weft-", suffix=".html") as page:  # of mode 0600
        page.write(f'<!doctype html><title>weft</title><meta http-equiv="refresh" content="0; url={escape(link)}">\n')
        page.flush()
        webbrowser.open(Path(page.name).as_uri())
        yield
