"""What the folders of all nodes know of a crawl, when nothing else does.

A bucket's rows are with its owner, and older ones with those who had it before. A link that was sent is with its owner,
too, unless he had not read it yet when the log was lost: then the page that has it is read again from the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from heapq import nlargest
from pathlib import Path
from typing import Final, Self

import msgspec

from weft.clock import Clock
from weft.cluster.events import Done, FoundUrl, HostNote, found_link, found_url, url_of
from weft.cluster.outbox import OutboxRow, rows_in
from weft.cluster.reach import reached
from weft.cluster.shared import SETTINGS_FILE, Settings, StoredSettings
from weft.errors import FolderError
from weft.folder.layout import CrawlFolder
from weft.folder.page_rows import link_of
from weft.folder.readings import NodesReader, of_one_crawl
from weft.folder.refused_rows import decode_refused
from weft.frontier.rows import HostRow
from weft.page.leads import Reader
from weft.page.link_finder import LinkFinder
from weft.pipeline.growing_scope import SEEDS
from weft.seen import depth_in
from weft.state.keys import host_of_key
from weft.store import Archive
from weft.types import FoundLink, Kind, Link, Outcome, PageRow, RefusedLink
from weft.url import host_of, id_of, url_id

READ_FIRST: Final = 10_000  # pages, the newest ones: what was not read yet was sent last

_decode_link = msgspec.msgpack.Decoder(Link).decode
_decode_host = msgspec.msgpack.Decoder(HostRow).decode
_decode_seeds = msgspec.msgpack.Decoder(list[str]).decode


class Remains:
    """The folders, which nobody else uses meanwhile. Close it, or use it in a `with` block."""

    def __init__(self, paths: Sequence[Path]) -> None:
        with ExitStack() as opened:
            self.crawl = of_one_crawl(paths).crawl
            stored = settings_in(paths[0])
            self.settings, self.deadline = stored.settings, stored.deadline
            for path in paths:
                opened.callback(CrawlFolder(path, must_exist=True).close)
            self._reader = opened.enter_context(NodesReader(paths))
            self._cut_off = self._lost_records()
            self._opened = opened.pop_all()
        self._rows = self._reader.joined
        self._states = [reader.state for reader in self._reader.readers]
        self.seeds = self._scope_seeds()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def missing_files(self) -> list[str]:
        """The names of files in folders that were not named: what their nodes alone knew is not here."""
        return sorted(self._reader.missing_files())

    def waiting(self) -> Iterator[FoundUrl]:
        """Links that are to be visited, or wait for another time."""
        for number, seed in enumerate(self.seeds):
            if self._rows.get("seen", url_id(seed)) is None:
                yield _url(Link(seed, 0, Kind.SEED, seed=number))
        for _, row in self._rows.scan("queue"):
            yield _url(_decode_link(row))
        for _, row in self._rows.scan("over"):
            yield _url(_decode_link(row))
        for family in ("forbidden", "refused"):
            for _, row in self._rows.scan(family):
                refused = decode_refused(row)
                if refused.was_queued:
                    yield _url(refused.link)
        for untold in self._untold():
            yield from (one.url for one in untold.found)

    def pages(self) -> Iterator[tuple[PageRow, Done | None, FoundUrl | None]]:
        """Each page: that it is done, if its record is there; and how near it was found, if its row does not say so."""
        for page in self._reader.rows():
            page_id = id_of(page)
            if page_id in self._cut_off:
                yield page, None, _url(link_of(page))
                continue
            row = self._rows.smallest("seen", page_id)
            depth = page.depth if row is None else depth_in(row)
            nearer = _url(msgspec.structs.replace(link_of(page), depth=depth)) if depth < page.depth else None
            yield page, self._done(page), nearer

    def rests(self, now_s: float) -> Iterator[HostNote]:
        """Hosts that must rest for longer than a lease."""
        for state in self._states:
            for key, row in state.scan("host"):
                host = _decode_host(row)
                rest_s = host.held_until - now_s
                if rest_s > self.settings.lease_s and not host.parked:
                    yield HostNote(host_of_key(key), rest_s=rest_s, since=now_s)

    def unread(self) -> UnreadLinks:
        """Links that were sent, and that no node knows."""
        told = {found_link(one.url).id for row in self._untold() for one in row.found}
        lost = {
            page_id: depth_in(row)
            for page_id, row in self._rows.scan("sent")
            if self._rows.get("seen", page_id) is None and page_id not in told
        }
        return UnreadLinks(self._reader, self.settings, self.seeds, lost)

    def reached(self, streams: list[str]) -> list[int]:
        """How far these streams reached, as the nodes knew."""
        return reached(self._states, streams)

    def _untold(self) -> Iterator[OutboxRow]:
        for state in self._states:
            yield from rows_in(state)

    def _done(self, page: PageRow) -> Done:
        name_of = self._reader.file_name
        original = name_of(page.original.file) if page.original is not None else ""
        return Done(page, name_of(page.file) if page.file else "", original)

    def _scope_seeds(self) -> list[str]:
        """All nodes know them in the same order, some of them more than others."""
        rows = (state.get("meta", SEEDS) for state in self._states)
        known = sorted((_decode_seeds(row) for row in rows if row is not None), key=len, reverse=True)
        untold = [row.scope for row in self._untold()]
        return list(dict.fromkeys(seed for seeds in (*known, *untold) for seed in seeds))

    def _lost_records(self) -> set[bytes]:
        """Pages whose records a power cut took. The files are made to agree, as at a node's start."""
        lost: set[bytes] = set()
        for reader in self._reader.readers:
            archive = Archive(reader.state, reader.path / "archive", Clock())
            lost.update(archive.recover(reader.state.batch()))
        return lost


class UnreadLinks:
    """Links of which only ids are known: found again on the pages that have them, the newest first."""

    def __init__(self, reader: NodesReader, settings: Settings, seeds: list[str], lost: dict[bytes, int]) -> None:
        self._reader = reader
        self.lost = lost  # id → depth; those that no page has are left
        self._pages = Reader(settings.config)
        self._finder = LinkFinder(settings.config, seeds, self._note)
        self._found: list[FoundLink] = []

    def links(self) -> Iterator[FoundUrl]:
        """As far as they are found."""
        if not self.lost:
            return
        newest = nlargest(READ_FIRST, self._reader.rows(), key=lambda page: page.fetched_at)
        for rows in (newest, self._reader.rows()):
            for page in rows:
                if not self.lost:
                    return
                for found in self._links_of(page):
                    depth = self.lost.pop(found.id, None)
                    if depth is not None:
                        link = msgspec.structs.replace(found.link, depth=depth)
                        yield found_url(FoundLink(found.id, found.host, link))

    def _links_of(self, page: PageRow) -> list[FoundLink]:
        if not page.file or page.outcome is Outcome.POISON:
            return []
        try:
            fetched = self._reader.response(page)
        except FolderError:  # its folder was not named
            return []
        link = link_of(page)
        self._found = []
        processed = self._finder.find(link, fetched, self._pages.leads_of(link, fetched))
        return self._found + processed.links

    def _note(self, links: list[FoundLink], _: list[RefusedLink]) -> None:
        self._found += links


def settings_in(path: Path) -> StoredSettings:
    """What the crawl of a node's folder began with."""
    file = path / "state" / SETTINGS_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=StoredSettings)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FolderError(f"cannot read the crawl's settings from {file}: {error}") from error


def _url(link: Link) -> FoundUrl:
    return url_of(link, host_of(link.url))
