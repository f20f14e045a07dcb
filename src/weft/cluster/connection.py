"""Connecting to NATS: whatever stands in the way is one sentence, within 10 s; once connected it lasts.

URLs ──greeting_at, all at once──▶ wrong: BadInput   all away: BadInput
                                └▶ connect ──▶ refused, TLS: BadInput
                                            └▶ JetStream answers ──▶ a client that reconnects for ever
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import StreamConfig
from nats.js.errors import APIError, ServiceUnavailableError

from weft.cluster.greeting import Away, Greeting, address, checked, greeting_at
from weft.errors import BadInput
from weft.missing_library import how_to_install

PATIENCE_S = 9.0
RECONNECT_WAIT_S = 0.5
# A server that is silent for three of these is left for another.
PING_EVERY_S = 3.0
_STEP_S = 2.0  # for each of: TCP, greeting, TLS, answer
_CLOSE_S = 2.0
_ASK_AGAIN_S = 0.2

_NO_LEADER = 10008
_TOO_FEW = (10005, 10074)  # no suitable peers; more than one replica on a server that stands alone
_CREDS_MARKS = (b"BEGIN NATS USER JWT", b"BEGIN USER NKEY SEED")

# A library's own log has no place between weft's sentences.
logging.getLogger("nats").addHandler(logging.NullHandler())
# nats-py goes over to TLS within a connection, of which asyncio complains when that is closed.
logging.getLogger("asyncio").addFilter(lambda record: "eof_received() has no effect" not in record.getMessage())


def heed_cancellation() -> None:
    """A task that was cancelled ends, whatever its last wait made of that.

    nats-py waits by asyncio.wait_for, and that of Python 3.11 returns, or says that time is up, if it is cancelled just
    then: a loop that tries again would go on for ever.
    """
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError


class LastingClient(Client):
    """As nats-py's, but it also goes on where that one gives up, and never waits for a server that is silent."""

    async def request(self, *args: Any, **words: Any) -> Msg:
        """Ask, and wait for the answer."""
        try:
            return await super().request(*args, **words)
        finally:
            heed_cancellation()

    async def close(self) -> None:
        """Send what is waiting, if that can be done in a moment, and disconnect."""
        try:
            async with asyncio.timeout(_CLOSE_S):
                await super().close()
        except (OSError, TimeoutError):
            pass
        finally:
            self._abort()
            await asyncio.sleep(0)

    async def _process_err(self, err_msg: str) -> None:
        """A server that says "slow consumer" and the like closes the connection: nats-py would not come back."""
        if "permissions violation" in err_msg.lower():
            await super()._process_err(err_msg)
        else:
            await self._process_op_err(nats.errors.Error(f"nats: {err_msg}"))

    async def _process_op_err(self, e: Exception) -> None:
        if not (self.is_closed or self.is_reconnecting):
            self._abort()  # nats-py would first wait until all is sent: to a silent server, for ever
        await super()._process_op_err(e)

    async def _connect_to_server(self, s: object) -> None:
        self._abort()  # what an attempt that failed has left open
        await super()._connect_to_server(s)  # type: ignore[arg-type]  # a class that nats-py does not name

    def _abort(self) -> None:
        for name in ("_io_writer", "_bare_io_writer"):
            if (writer := getattr(self._transport, name, None)) is not None:
                with suppress(AttributeError):  # asyncio's, of a connection that has just been closed by itself
                    writer.transport.abort()


async def connect(urls: Sequence[str], *, name: str, creds: Path | None = None, ca: Path | None = None) -> Client:
    """A client that is connected to one of these, and to another of them when that one goes away.

    One that is away may come back; one that is wrong (another protocol, too old) will not: it is refused even if
    others answer.
    """
    servers = [checked(url) for url in urls]
    if creds is not None:
        _check_creds(creds)
    trusted = _trusted(ca) if ca is not None or any(parts.scheme == "tls" for parts in servers) else None
    give_up_at = asyncio.get_running_loop().time() + PATIENCE_S
    answering = await _answering(servers, wants_tls=trusted is not None)
    client = LastingClient()
    try:
        async with asyncio.timeout_at(give_up_at):
            await _open(client, answering, name, creds, trusted)
        client.options["allow_reconnect"] = True
        client.set_server_pool([parts.geturl() for parts in servers])
        await _answer(client, client.jsm(timeout=_STEP_S).account_info, give_up_at)
    except TimeoutError as error:
        await client.close()
        raise BadInput(f"NATS at {_addresses(servers)} does not answer in time: are its servers well?") from error
    except BaseException:
        await client.close()
        raise
    return client


async def enough_servers(client: Client, replicas: int) -> None:
    """Raise BadInput if there are fewer JetStream servers than replicas.

    Nothing but the system account can count them, so a stream is made and deleted; a crawl's name has no underscore.
    """
    streams = client.jsm(timeout=_STEP_S)
    unique = secrets.token_hex(8)
    config = StreamConfig(name=f"WEFT__TRY_{unique}", subjects=[f"w._try.{unique}"], num_replicas=replicas)
    give_up_at = asyncio.get_running_loop().time() + PATIENCE_S
    try:
        await _answer(client, lambda: streams.add_stream(config), give_up_at)
    except APIError as error:
        if error.err_code not in _TOO_FEW:
            raise BadInput(f"NATS refuses to keep a stream: {error.description}") from error
        wanted = f"{replicas} replicas want {replicas} JetStream servers, and fewer are up"
        raise BadInput(f"{wanted}: start more of them, or say --replicas 1") from error
    finally:
        with suppress(nats.errors.Error):
            await streams.delete_stream(f"WEFT__TRY_{unique}")


async def _answering(servers: Sequence[SplitResult], *, wants_tls: bool) -> dict[SplitResult, Greeting]:
    """What those say that answer."""
    said = await asyncio.gather(
        *(greeting_at(parts, wants_tls=wants_tls) for parts in servers), return_exceptions=True
    )  # fmt: skip
    for answer in said:
        if isinstance(answer, BaseException) and not isinstance(answer, Away):
            raise answer
    if greetings := {
        parts: answer for parts, answer in zip(servers, said, strict=True) if isinstance(answer, Greeting)
    }:
        return greetings
    away = "; ".join(map(str, said))
    raise BadInput(f"{away}: start NATS (for a trial: weft cluster up DIR), or name its servers by --nats")


async def _open(
    client: Client,
    servers: dict[SplitResult, Greeting],
    name: str,
    creds: Path | None,
    trusted: ssl.SSLContext | None,
) -> None:
    try:
        await client.connect(
            [parts.geturl() for parts in servers],
            name=name,
            error_cb=_ignore,
            allow_reconnect=False,  # at first: a failure is to be told, not tried again for ever
            connect_timeout=_STEP_S,  # type: ignore[arg-type]  # a float will do, here and below
            reconnect_time_wait=RECONNECT_WAIT_S,  # type: ignore[arg-type]
            max_reconnect_attempts=-1,
            ping_interval=PING_EVERY_S,  # type: ignore[arg-type]
            max_outstanding_pings=2,
            flush_timeout=_STEP_S,  # else publishing waits for ever while no server answers
            tls=trusted,
            user_credentials=creds,
        )
    except TimeoutError:
        raise
    except (OSError, nats.errors.Error) as error:
        raise _in_words(error, list(servers), has_creds=creds is not None) from error


def _in_words(error: Exception, servers: Sequence[SplitResult], *, has_creds: bool) -> BadInput:
    """Why a server that answers cannot be used."""
    where = _addresses(servers)
    if isinstance(error, ssl.SSLCertVerificationError):
        return BadInput(
            f"the certificate of {where} is not trusted ({error.verify_message}): name its authority by --nats-ca"
        )
    if isinstance(error, ssl.SSLError):
        return BadInput(f"TLS with {where} fails: {error.reason or error}")
    if "auth" not in str(error).lower():
        return BadInput(f"{where} refuses the connection: {str(error).removeprefix('nats: ')}")
    if has_creds or any(parts.username for parts in servers):
        return BadInput(f"{where} refuses these credentials: ask whoever runs it for others")
    return BadInput(f"{where} wants credentials: --nats-creds FILE, or nats://USER:PASSWORD@HOST:PORT")


async def _answer(client: Client, ask: Callable[[], Awaitable[object]], give_up_at: float) -> None:
    """Ask JetStream until it has a leader: for some seconds after a server is lost there is none, and no answer."""
    while True:
        try:
            await ask()
        except ServiceUnavailableError as error:
            if error.err_code != _NO_LEADER:
                raise BadInput(
                    "this NATS has no JetStream: start it with -js, or with jetstream {} configured"
                ) from error
        except nats.errors.TimeoutError:
            pass
        else:
            return
        if asyncio.get_running_loop().time() > give_up_at - _STEP_S:
            raise _no_answer(client)
        await asyncio.sleep(_ASK_AGAIN_S)


def _no_answer(client: Client) -> BadInput:
    if "permissions violation" in str(client.last_error).lower():
        return BadInput("NATS does not let these credentials use JetStream: they need $JS.API.> and _INBOX.>")
    return BadInput("JetStream has no leader: more than half of its servers must be up")


def _check_creds(path: Path) -> None:
    """nats-py would read for ever in a file without its marks."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read the credentials {path}: {error.strerror}") from error
    if not all(mark in content for mark in _CREDS_MARKS):
        raise BadInput(
            f"{path} holds no credentials of NATS: it must have a user's JWT and NKEY seed, as nsc writes them"
        )
    if find_spec("nkeys") is None:
        raise BadInput(f"credentials need nkeys, which is not there: {how_to_install('nats-py[nkeys]')}")


def _trusted(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # of ssl, too
        raise BadInput(f"{ca} is no certificate in PEM that can be read: {error.strerror or error}") from error


def _addresses(servers: Sequence[SplitResult]) -> str:
    return ", ".join(map(address, servers))


async def _ignore(error: Exception) -> None:
    """It is told by whoever asked, and the client tries again."""
