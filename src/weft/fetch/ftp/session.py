"""The control connection: commands go out, replies come back, one at a time."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from typing import Final

from weft.errors import FetchError
from weft.fetch.connection import Connection
from weft.fetch.ftp.listing import Facts, facts_of, size_in
from weft.fetch.ftp.reply import Reply, ReplyReader, number_in, passive_port, quoted_path
from weft.regex import regex
from weft.types import Outcome

_MAX_SAID_BYTES: Final = 64 * 1024  # of a conversation, for the archive
_MAX_UNASKED: Final = 16  # preliminary replies to one command, and replies that nobody waits for
_CLOSING: Final = 421
_NEEDS_PASSWORD: Final = 331
_NOT_KNOWN: Final = (500, 502)
_NO_SUCH_NAME: Final = 550
_UNTOLD: Final = Facts("", None, b"")
# Written while a server has too many visitors. The code is the one for a wrong password.
_TOO_MANY: Final = regex(rb"too many|maximum|limit", re.IGNORECASE)


class Refused(Exception):
    """The server's reply is a no. The session may go on with something else."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.words())
        self.reply = reply

    @property
    def is_for_now(self) -> bool:
        """Whether the server has too much to do, whatever it is asked for."""
        said = self.reply.lines[-1]
        return self.reply.code == _CLOSING or (self.reply.code == 530 and _TOO_MANY.search(said) is not None)


class Session:
    """One visitor's talk with one server."""

    def __init__(self, connection: Connection, reply_timeout_s: float, on_lost: Callable[[Session], None]) -> None:
        self.connection = connection
        self.closed = False
        self.lists_hidden: bool | None = None  # whether LIST takes -a for what it is; None: nobody knows
        self.home = b"/"  # where the server has put us: paths in URLs begin here (RFC 1738 §3.2.2)
        self._reply_timeout_s = reply_timeout_s
        self._on_lost = on_lost
        self._features: frozenset[bytes] = frozenset()
        self._reader = ReplyReader()
        self._replies: deque[Reply] = deque()  # filled by receive, emptied by _reply; bound: _MAX_UNASKED
        self._fault: FetchError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._said = bytearray()
        self._answered = False
        self._is_idle = False
        self._extended_passive = True
        connection.start(b"", self)

    # What the fetcher asks

    async def log_in(self, user: str, password: str) -> None:
        """Say who we are. Refused when the server does not let us in."""
        _assert_good(await self.last_reply())
        reply = await self.ask(b"USER " + user.encode())
        if reply.code == _NEEDS_PASSWORD:
            reply = await self.ask(b"PASS " + password.encode(), shown=b"PASS ****")
        if reply.code != 230 and reply.code != 202:
            raise Refused(reply)
        await self._settle_in()

    async def facts(self, path: bytes) -> Facts:
        """What the server says of a name. Refused when there is none such."""
        if b"MLST" in self._features:
            reply = await self.ask(b"MLST " + path)
            if reply.is_good and len(reply.lines) == 3:
                facts, _ = facts_of(reply.lines[1])
                if facts.kind in ("file", "dir"):  # of a symbolic link its own facts are told
                    return facts
        size = await self.ask(b"SIZE " + path)
        modified = await self.ask(b"MDTM " + path)
        if _NO_SUCH_NAME in (size.code, modified.code) and await self.enters(path):
            return Facts("dir", None, b"")
        size_bytes = size_in(number_in(size)) if size.is_good else None
        moment = number_in(modified)[:14] if modified.is_good else b""
        return _UNTOLD._replace(size_bytes=size_bytes, modified=moment)

    async def enters(self, path: bytes) -> bool:
        """Go into a folder; false if it is none, or closed to us."""
        return (await self.ask(b"CWD " + path)).is_good

    async def passive_port(self) -> int:
        """Have the server listen for a data connection. Refused when it will not."""
        if self._extended_passive:
            reply = await self.ask(b"EPSV")
            if reply.is_good and (port := passive_port(reply)) is not None:
                return port
            self._extended_passive = False
        reply = await self.ask(b"PASV")
        port = passive_port(reply) if reply.is_good else None
        if port is None:
            raise Refused(reply)
        return port

    @property
    def lists_for_programs(self) -> bool:
        """Whether MLSD is worth a try."""
        return b"MLST" in self._features

    async def ask(self, command: bytes, shown: bytes = b"") -> Reply:
        """Send a command; its reply. FetchError when none comes. `shown` is what the archive keeps of the command."""
        self._send(command, shown)
        return await self.last_reply()

    async def ask_for_data(self, command: bytes) -> Reply:
        """The same for a command whose work begins with a preliminary reply; `last_reply` tells of its end."""
        self._send(command)
        return await self._reply(self._deadline())

    async def last_reply(self) -> Reply:
        """What the server says in the end. However often it says that this will come, the time for it stays."""
        deadline = self._deadline()
        for _ in range(_MAX_UNASKED + 1):
            if not (reply := await self._reply(deadline)).is_preliminary:
                return reply
        raise FetchError(Outcome.BAD_RESPONSE, f"more than {_MAX_UNASKED} preliminary replies to a command")

    # Between two fetches

    def begin(self) -> None:
        """A fetch begins: what was said before is not a part of it."""
        self._said.clear()
        self._answered = False
        self._is_idle = False

    def rest(self) -> None:
        """A fetch is over: whatever the server says now, nobody has asked for it."""
        self._is_idle = True
        self.closed = self.closed or bool(self._replies)

    @property
    def unanswered(self) -> bool:
        """Whether nothing has come since `begin`."""
        return not self._answered

    def conversation(self) -> bytes:
        """What was said since `begin`, for the archive."""
        return bytes(self._said)

    def abort(self) -> None:
        """Close at once."""
        self.closed = True
        self.connection.abort()

    # The connection's side

    def receive(self, data: bytes) -> None:
        """Take what the server says."""
        if self._is_idle:
            self.abort()  # nobody has asked: it says that it will hang up
            return
        try:
            replies = self._reader.feed(data)
        except FetchError as fault:
            self._give_up(fault)
            return
        self._replies += replies
        if len(self._replies) > _MAX_UNASKED:
            self._give_up(FetchError(Outcome.BAD_RESPONSE, f"more than {_MAX_UNASKED} FTP replies without a command"))
        elif replies:
            self._wake()

    def lose(self, error: Exception | None) -> None:
        """The server has hung up."""
        self._on_lost(self)
        outcome = Outcome.CLOSED if error is None else Outcome.RESET
        self._end(FetchError(outcome, f"on the control connection{f': {error}' if error else ''}"))

    async def _settle_in(self) -> None:
        features = await self.ask(b"FEAT")
        if features.is_good:
            self._features = frozenset(line.split()[0].upper() for line in features.lines[1:-1] if line.split())
        if b"UTF8" in self._features:
            await self.ask(b"OPTS UTF8 ON")
        _assert_good(await self.ask(b"TYPE I"))
        where = await self.ask(b"PWD")
        self.home = quoted_path(where) if where.is_good else b"/"

    def _send(self, command: bytes, shown: bytes = b"") -> None:
        self._keep(shown or command)
        if self._fault is None:
            self.connection.send(command + b"\r\n")

    def _deadline(self) -> float:
        return asyncio.get_running_loop().time() + self._reply_timeout_s

    async def _reply(self, deadline: float) -> Reply:
        if not self._replies and self._fault is None:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._waiter
            except TimeoutError as error:
                raise FetchError(Outcome.RESPONSE_TIMEOUT, "on the control connection") from error
            finally:
                self._waiter = None
        if not self._replies:
            assert self._fault is not None
            raise FetchError(self._fault.outcome, self._fault.detail)
        reply = self._replies.popleft()
        self._answered = True
        self._keep(*reply.lines)
        if reply.code == _CLOSING:
            self.closed = True
            raise Refused(reply)
        return reply

    def _keep(self, *lines: bytes) -> None:
        for line in lines:
            if len(self._said) + len(line) < _MAX_SAID_BYTES:
                self._said += line + b"\r\n"

    def _give_up(self, fault: FetchError) -> None:
        """Close at once: whoever waits for a data connection does not listen to what else is said here."""
        self._end(fault)
        self.abort()

    def _end(self, fault: FetchError) -> None:
        self.closed = True
        self._fault = self._fault or fault
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _assert_good(reply: Reply) -> None:
    if not reply.is_good:
        raise Refused(reply)
