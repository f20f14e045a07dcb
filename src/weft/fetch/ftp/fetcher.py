"""Fetches files and folders by FTP."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weft.clock import Clock
from weft.errors import BadInput, DiskFull, FetchError, FolderError
from weft.fetch.audience import SeedHosts
from weft.fetch.body import Body, StoredBody
from weft.fetch.by_host import host_headers
from weft.fetch.config import MIB, FetchConfig
from weft.fetch.connection import Connection
from weft.fetch.ftp.answer import LISTING_TYPE, TEXT_TYPE, FtpPath, headers_of, http_date, path_asked, status_of
from weft.fetch.ftp.listing import Entry, listing_page, read_list, read_mlsd
from weft.fetch.ftp.media import media_type_of
from weft.fetch.ftp.reply import Reply
from weft.fetch.ftp.session import Refused, Session
from weft.fetch.ftp.transfer import Transfer
from weft.fetch.head import Headers
from weft.fetch.pool import Pool
from weft.fetch.route import Route
from weft.fetch.schemes import Means, Wanted
from weft.types import Fetched, Outcome, Timing
from weft.url import Target

# Of a folder's listing as the server sends it: about 50,000 entries, which take 0.15 s to read.
MAX_LISTING_BYTES: Final = 4 * MIB
_ANONYMOUS: Final = ("anonymous", "anonymous@")


class FtpFetcher:
    """Fetches URLs by FTP, on the connections of a fetcher."""

    def __init__(self, config: FetchConfig, clock: Clock, route: Route, means: Means) -> None:
        self._config = config
        self._clock = clock
        self._route = route
        self._means = means
        self.log_in(config)
        self.reused = 0
        self.stale = 0
        self.idle: Pool[Session] = Pool(
            config.max_idle_connections, config.max_idle_connections_per_host, config.idle_connection_timeout_s
        )

    def log_in(self, config: FetchConfig) -> None:
        """As `Fetcher.log_in`."""
        seeds = SeedHosts(config.seeds if config.auth or config.hosts else ())
        self._by_host = host_headers(config.hosts, seeds)
        self._logins = [(seeds.audience(text), _credentials(text, words)) for text, words in config.auth]

    async def fetch(self, wanted: Wanted) -> Fetched:
        """As `Fetcher.fetch`."""
        visit = _Visit(wanted, self._clock.wall(), self._clock.monotonic())
        path = path_asked(wanted.target.path)
        if path is None:
            return self._said(visit, 400, b"The name has a line break in it: no FTP command can ask for it.\n")
        session = self._take_idle(wanted.target, wanted.addresses) if wanted.may_reuse else None
        if session is not None:
            self.reused += 1
            try:
                return await self._ask(session, visit, path)
            except FetchError as error:
                if not session.unanswered:
                    raise
                self.stale += 1  # the server had hung up, or does so at the first command
                raise FetchError(error.outcome, error.detail, on_kept=True) from error
        connection = await self._means.connect(wanted.target, wanted.addresses)
        session = Session(connection, self._config.head_timeout_s, self.idle.discard)
        return await self._ask(session, visit, path, is_new=True)

    def _take_idle(self, target: Target, addresses: Sequence[str]) -> Session | None:
        key = self._route.key(target)
        while (session := self.idle.take(key)) is not None:
            if self._route.may_reuse(session.connection, addresses):
                session.begin()
                return session
            session.abort()
        return None

    async def _ask(self, session: Session, visit: _Visit, path: FtpPath, is_new: bool = False) -> Fetched:
        """Have the talk, then keep or close the session."""
        visit.session = session
        keeps = False
        is_settled = not is_new
        try:
            if is_new:
                await session.log_in(*self._credentials_for(visit.target))
                visit.connect_s = self._clock.monotonic() - visit.started_s
                is_settled = True
            fetched = await (self._list if path.is_folder else self._get)(session, visit, path)
            keeps = fetched.truncated is None
        except Refused as refused:
            keeps = is_settled
            return self._said(visit, status_of(refused), b"\n".join(refused.reply.lines) + b"\n")
        else:
            return fetched
        finally:
            self._keep_or_close(session, visit.target, keeps)

    def _keep_or_close(self, session: Session, target: Target, keeps: bool) -> None:
        surplus: Session | None = session
        if keeps:
            session.rest()
            surplus = self.idle.put(self._route.key(target), session, self._clock.monotonic())
        if surplus is not None:
            surplus.abort()

    async def _get(self, session: Session, visit: _Visit, path: FtpPath) -> Fetched:
        """A file; or, if the name is a folder's, where that is."""
        whole_path = path.path_from(session.home)
        limit_bytes, validators = visit.wanted.limit_bytes, visit.wanted.validators
        facts = await session.facts(whole_path)
        if facts.kind == "dir":
            return self._made(visit, 301, ((b"location", visit.target.path.encode() + b"/"),))
        modified = http_date(facts.modified) if facts.modified else b""
        if validators is not None and modified and validators.last_modified == modified:
            return self._made(visit, 304, ((b"last-modified", modified),))
        body = self._means.new_body()
        if facts.size_bytes is not None:
            body.expect(min(facts.size_bytes, limit_bytes))
        transfer, final = await self._transfer(session, visit, b"RETR " + whole_path, body, limit_bytes)
        # Routers forget a control connection that is silent for as long as a large file takes.
        is_whole = final is not None and final.is_good
        is_whole = is_whole or (final is None and body.size_bytes == facts.size_bytes)
        if transfer.truncated is None and not is_whole:
            transfer.outcome, transfer.truncated = Outcome.CLOSED, "disconnect"
        media_type = media_type_of(path.name.decode("utf-8", "replace"), transfer.first_bytes).encode()
        headers = headers_of(media_type, body.size_bytes, modified)
        fetched = visit.answer(200, headers, body.finish(), body.size_bytes, transfer)
        if transfer.outcome is not Outcome.RESPONSE:
            raise FetchError(transfer.outcome, f"after {body.size_bytes} bytes of the file", fetched)
        return fetched

    async def _list(self, session: Session, visit: _Visit, path: FtpPath) -> Fetched:
        """A folder, as a page."""
        reply = await session.ask(b"CWD " + path.path_from(session.home))
        if not reply.is_good:
            raise Refused(reply)
        entries = None
        if session.lists_for_programs:
            try:
                listing, transfer = await self._listing(session, visit, b"MLSD")
                entries = read_mlsd(listing)
            except Refused:
                if session.closed:
                    raise
        if entries is None:
            entries, transfer = await self._listed_for_people(session, visit)
        page = listing_page(visit.target.path, entries)
        return self._made(visit, 200, headers_of(LISTING_TYPE, len(page)), page, transfer)

    async def _listed_for_people(self, session: Session, visit: _Visit) -> tuple[list[Entry], Transfer]:
        """The entries by LIST, with hidden ones if -a brings them, as MLSD does; some servers take -a for a name."""
        if session.lists_hidden:
            listing, transfer = await self._listing(session, visit, b"LIST -a")
            return read_list(listing), transfer
        listing, transfer = await self._listing(session, visit, b"LIST")
        entries = read_list(listing)
        if session.lists_hidden is None:
            try:
                listing, _ = await self._listing(session, visit, b"LIST -a")
            except Refused:
                listing = b""
            except FetchError:  # what is there without it is there all the same
                listing = b""
                session.abort()
            names, more = {entry.name for entry in entries}, read_list(listing)
            with_more = {entry.name for entry in more}
            is_understood = with_more >= names and (bool(names) or b"-a" not in with_more)
            if names:
                session.lists_hidden = is_understood
            if is_understood:
                entries = more
        return entries, transfer

    async def _listing(self, session: Session, visit: _Visit, command: bytes) -> tuple[bytes, Transfer]:
        """What the server says is in the folder that the session is in."""
        body = self._means.new_body()
        transfer, final = await self._transfer(session, visit, command, body, MAX_LISTING_BYTES)
        listing = _taken(body)
        if transfer.truncated is not None:
            listing = listing[: listing.rfind(b"\n") + 1]  # the last name may be cut off
        if transfer.outcome is not Outcome.RESPONSE:
            raise FetchError(transfer.outcome, "within a folder's listing")
        if transfer.truncated is None and (final is None or not final.is_good):
            raise FetchError(Outcome.CLOSED, f"within a folder's listing{f': {final.words()}' if final else ''}")
        return listing, transfer

    async def _transfer(
        self, session: Session, visit: _Visit, command: bytes, body: Body, limit_bytes: int
    ) -> tuple[Transfer, Reply | None]:
        """Have something sent over a data connection. The last reply is None if the server did not give one.

        Refused when nothing is sent; the body is then empty.
        """
        data: Connection | None = None
        try:
            port = await session.passive_port()
            data = await self._means.connect(visit.target._replace(port=port), (session.connection.address,))
            finished = asyncio.get_running_loop().create_future()
            transfer = Transfer(body, self._config, self._clock, finished, limit_bytes)
            data.start(b"", transfer)
            reply = await session.ask_for_data(command)
            if not reply.is_good:
                raise Refused(reply)
            with self._means.watch(transfer):
                await transfer.finished
            if transfer.truncated is not None:
                return transfer, None
            if not reply.is_preliminary:
                return transfer, reply
            try:
                return transfer, await session.last_reply()
            except FetchError:
                session.closed = True
                return transfer, None
        except (Refused, FetchError, DiskFull, FolderError, OSError, asyncio.CancelledError):
            body.discard()
            raise
        finally:
            if data is not None:
                data.detach()
                data.abort()

    def _said(self, visit: _Visit, status: int, words: bytes) -> Fetched:
        return self._made(visit, status, headers_of(TEXT_TYPE, len(words)), words)

    def _made(
        self, visit: _Visit, status: int, headers: Headers, data: bytes = b"", transfer: Transfer | None = None
    ) -> Fetched:
        """An answer with a body that is made here."""
        body = self._means.new_body()
        body.append(data)
        return visit.answer(status, headers, body.finish(), len(data), transfer)

    def _credentials_for(self, target: Target) -> tuple[str, str]:
        """The last that was given, that for the port before that for the host, and that before a table's."""
        by_table = self._by_host.login(target) if self._by_host is not None else None
        usual = _ANONYMOUS if by_table is None else _credentials(target.host, by_table)
        meant = [one for one in self._logins if one[0].host == target.host and one[0].includes(target)]
        return max(reversed(meant), key=lambda one: one[0].port is not None, default=(None, usual))[1]


class _Visit:
    """What every answer to one fetch has in common."""

    def __init__(self, wanted: Wanted, started_at: float, started_s: float) -> None:
        self.wanted = wanted
        self.target = wanted.target
        self.session: Session | None = None  # None: no server was asked
        self.started_s = started_s
        self.connect_s = 0.0
        self._started_at = started_at

    def answer(
        self, status: int, headers: Headers, body: StoredBody, body_bytes: int, transfer: Transfer | None
    ) -> Fetched:
        """The Fetched of this visit."""
        wait_s = receive_s = 0.0
        if transfer is not None and transfer.first_byte_s:
            wait_s = transfer.first_byte_s - self.started_s - self.connect_s
            receive_s = transfer.receive_s
        session = self.session
        return Fetched(
            url=self.wanted.url,
            address="".join(self.wanted.addresses[:1]) if session is None else session.connection.address,
            started_at=self._started_at,
            request=b"" if session is None else session.conversation(),
            status=status,
            head=b"",
            headers=headers,
            body=body.data,
            spool=body.spool,
            body_bytes=body_bytes,
            chunked=False,
            truncated=None if transfer is None else transfer.truncated,
            timing=Timing(self.connect_s, wait_s, receive_s),
        )


def _credentials(place: str, words: str) -> tuple[str, str]:
    user, colon, password = words.partition(":")
    if not colon or "\r" in words or "\n" in words:
        raise BadInput(f"The credentials for {place} are to be given as user:password.")
    return user, password


def _taken(body: Body) -> bytes:
    """The bytes of a body that nobody else wants."""
    data, spool = body.finish()
    if data is None:
        assert spool is not None
        data = Path(spool).read_bytes()
    body.discard()
    return data
