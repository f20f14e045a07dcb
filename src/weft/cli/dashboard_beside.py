"""`--dashboard`: a crawl is shown while it runs."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from weft.cli.log import say, the_log
from weft.dashboard.child import serving_beside
from weft.dashboard.token import FILE, VARIABLE, token_for
from weft.errors import BadInput
from weft.listening import link_of, listen, read_place
from weft.missing_library import how_to_install

FLAG = "--dashboard"


def listening(place: str | None) -> socket.socket | None:
    """A socket where the flag says, before anything begins; None if it was not given."""
    if not place:
        return None
    check_libraries()
    return listen(*read_place(place, FLAG), f"{FLAG} ADDRESS:")


def check_libraries() -> None:
    """Say what to install, if it is not there."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        how = how_to_install("starlette", "uvicorn")
        raise BadInput(f"the page is served by starlette and uvicorn, which are not there: {how}")


def link_with(token: str, listener: socket.socket) -> str:
    """Where the view is. A token that the environment has set is known to whom it concerns, and goes into no log."""
    return link_of(listener) + ("" if os.environ.get(VARIABLE) else f"#token={token}")


def _told(token: str, listener: socket.socket, folder: Path) -> str:
    """As `link_with`; a log is read by others, too, who are told where the token is."""
    if the_log() is None or os.environ.get(VARIABLE):
        return link_with(token, listener)
    return f"{link_of(listener)}; who may steer it reads the token in {folder / 'state' / FILE}"


@contextmanager
def shown_beside(folder: Path, listener: socket.socket | None) -> Iterator[None]:
    """Have the crawl shown on the socket as long as the block lasts, by a process of its own."""
    if listener is None:
        yield
        return
    token = token_for(folder, os.environ)
    say(f"the crawl is shown at {_told(token, listener, folder)}", "dashboard", logging.INFO)
    with serving_beside(listener, folder, token):
        yield
