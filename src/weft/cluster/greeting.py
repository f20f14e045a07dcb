"""Who is at an address: a NATS server introduces itself, in one line, to whoever connects.

It is read before nats-py connects, which would only say that something failed, or try for ever.
"""

from __future__ import annotations

import asyncio
from urllib.parse import SplitResult, urlsplit

import msgspec

from weft.cluster.nats_program import OLDEST, shown, version_in
from weft.errors import BadInput

DEFAULT_PORT = 4222
SILENCE_S = 2.0
_SCHEMES = ("nats", "tls")
_MAX_LINE_BYTES = 65_536


class Greeting(msgspec.Struct):
    """What a server says of itself, as far as weft wants to know."""

    version: str
    tls_required: bool = False
    tls_verify: bool = False  # of the client


class Away(Exception):
    """Nobody answers there now; a server may come back."""


def checked(url: str) -> SplitResult:
    """The parts of a server's URL; raises BadInput if it is none."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise _no_url(url) from error
    extra = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme not in _SCHEMES or not parts.hostname or extra or any(map(str.isspace, parts.netloc)):
        raise _no_url(url)
    host = parts.netloc.rpartition("@")[2].removesuffix(f":{parts.port}").removesuffix(":")
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{host}:{port}", path="")


def _no_url(url: str) -> BadInput:
    return BadInput(f"{_without_password(url)} is no URL of a NATS server: write nats://HOST:4222, or tls://HOST:4222")


def _without_password(url: str) -> str:
    """A sentence may end up in a log."""
    scheme, found, rest = url.rpartition("//")
    return f"{scheme}{found}{rest.rpartition('@')[2]}"


def address(parts: SplitResult) -> str:
    """HOST:PORT, which is all that a sentence shows."""
    return parts.netloc.rpartition("@")[2]


async def greeting_at(parts: SplitResult, *, wants_tls: bool) -> Greeting:
    """What the server says; raises Away if nobody answers, BadInput if it is nothing that weft can use."""
    where = address(parts)
    greeting = _understood(where, await _first_line(parts))
    version = version_in(greeting.version)
    if version is None or version < OLDEST:
        raise BadInput(
            f"{where} is NATS {greeting.version}, and weft needs {shown(OLDEST)} or later: update the server"
        )
    if wants_tls and not greeting.tls_required:
        raise BadInput(f"{where} does not speak TLS: give it a certificate, or write nats:// and leave out --nats-ca")
    if greeting.tls_verify:
        raise BadInput(
            f"{where} wants certificates of its clients, and weft has none: let it ask for credentials instead"
        )
    return greeting


async def _first_line(parts: SplitResult) -> bytes:
    where = address(parts)
    try:
        async with asyncio.timeout(SILENCE_S):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=_MAX_LINE_BYTES)
    except TimeoutError as error:
        raise Away(f"{where} does not answer") from error
    except OSError as error:
        raise Away(f"no server listens at {where}") from error
    try:
        async with asyncio.timeout(SILENCE_S):
            line = await reader.readline()
    except TimeoutError as error:
        raise Away(f"{where} says nothing when one connects, so it is no NATS server, or it hangs") from error
    except OSError as error:
        raise Away(f"{where} closes the connection at once") from error
    except ValueError as error:
        raise _not_nats(where) from error
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)  # it closes in the loop's next round
    if not line:
        raise Away(f"{where} closes the connection at once")
    return line


def _understood(where: str, line: bytes) -> Greeting:
    word, _, rest = line.partition(b" ")
    if word != b"INFO":
        raise _not_nats(where)
    try:
        return msgspec.json.decode(rest, type=Greeting)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _not_nats(where) from error


def _not_nats(where: str) -> BadInput:
    return BadInput(f"{where} does not speak NATS: name the port for its clients, {DEFAULT_PORT} by default")
