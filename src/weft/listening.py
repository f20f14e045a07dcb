"""A place of this machine where a browser can find something: a socket, or one sentence that says why there is none."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Final

from weft.errors import BadInput
from weft.regex import regex

LOOPBACK: Final = "127.0.0.1"
LAST_PORT: Final = 65_535
WAITING: Final = 128  # connections that nobody has taken; a browser opens many at once
_FORM: Final = regex(r"(?:(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))?:)?([0-9]{1,5})", re.ASCII)


def is_place(text: str) -> bool:
    """Whether a text can only mean ADDRESS:PORT, or a port."""
    return _FORM.fullmatch(text) is not None


def read_place(text: str, flag: str) -> tuple[str, int]:
    """Address and port of ADDRESS:PORT, [ADDRESS]:PORT, :PORT or PORT."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"{flag} is ADDRESS:PORT, as {LOOPBACK}:8765 or [::1]:8765, not {text!r}")
    return found[1] or found[2] or LOOPBACK, int(found[3])


def is_six(address: str) -> bool:
    """Whether it is an address of IPv6."""
    try:
        return ip_address(address).version == 6
    except ValueError:
        raise BadInput(f"{address} is not an IP address") from None


def listen(address: str, port: int, flag: str) -> socket.socket:
    """A socket to which connections can come from now on; port 0 takes any that is free.

    `flag` is how a person says where: `--port `, or `--listen ADDRESS:`.
    """
    family = socket.AF_INET6 if is_six(address) else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with told_why_not(address, port, flag):
            listener.bind((address, port))
            listener.listen(WAITING)
    except BaseException:
        listener.close()
        raise
    return listener


def url_of(address: str, port: int) -> str:
    """Where a browser finds it."""
    return f"http://{f'[{address}]' if is_six(address) else address}:{port}/"


def link_of(listener: socket.socket) -> str:
    """Where a browser of this machine finds it."""
    address, port = listener.getsockname()[:2]
    return url_of({"0.0.0.0": LOOPBACK, "::": "::1"}.get(address, address), port)


def host_in(header: str) -> str:
    """The name or address in a Host header, without its port and brackets, in small letters."""
    name = header.rpartition(":")[0] if re.search(r":[0-9]*\Z", header) and not header.endswith("]") else header
    return name.strip("[]").lower()


def is_local_name(name: str) -> bool:
    """Whether a name means this machine to every browser, whatever DNS says."""
    return name == "localhost" or name.endswith(".localhost")


@contextmanager
def told_why_not(address: str, port: int, flag: str) -> Iterator[None]:
    """What goes wrong when one begins to listen, told in a sentence."""
    try:
        yield
    except OverflowError:
        raise BadInput(f"there is no port {port}: the last one is {LAST_PORT}") from None
    except OSError as error:
        raise BadInput(_why_not(error, address, port, flag)) from error


def _why_not(error: OSError, address: str, port: int, flag: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; {flag}0 takes any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} is for the system's own services; {flag}8000 is not"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{address} is no address of this machine"
    return f"cannot listen on {address} port {port}: {error.strerror}"
