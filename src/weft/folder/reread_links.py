"""A crawl's links, wherever they come from: from its rows, or from its archive if it did not keep them.

    with linked_rows(reader, scratch, advance) as database:
        site_rows(database)

Without `--links` all pages are read again, in as many processes as there are cores, and their rows lie in a database of
their own as long as they are needed. They are those that the crawl would have kept, but that its rules for session ids,
which it learned on the way, are not known.
"""

from __future__ import annotations

import selectors
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from socket import socket
from typing import Final

import msgspec

from weft.cores import core_count
from weft.errors import WorkerFailed
from weft.folder.page_rows import link_of
from weft.folder.reading import CrawlReader, scope_seeds
from weft.folder.refused_list import Rows
from weft.folder.reread_worker import RereadPage, RereadPages, RereadRows, RereadSetup
from weft.folder.site_rows import has_links
from weft.graph.rows import row
from weft.state import Family, State
from weft.types import Outcome, PageRow
from weft.url import is_own_request
from weft.workers.frames import frame, received
from weft.workers.process import Child, end, start_child

PAGES_AT_ONCE: Final = 25
HELD_BY_A_WORKER: Final = 2  # messages: one that it reads, and the next

Started = tuple[Child, socket]
Advance = Callable[[int], None]  # hears of pages that were read since the last call
_decode = msgspec.msgpack.Decoder(RereadRows).decode


@contextmanager
def linked_rows(
    reader: CrawlReader,
    scratch: Path | None = None,
    advance: Advance = lambda pages: None,
    processes: int | None = None,
) -> Iterator[Rows]:
    """The crawl's rows, with those of links; `advance` hears of pages that are read again for it."""
    if has_links(reader.database):
        yield reader.database
        return
    reader.refuse_without_archive()
    with (
        tempfile.TemporaryDirectory(prefix="weft-links-", dir=scratch) as folder,
        closing(State(Path(folder) / "db")) as state,
    ):
        _read_again(reader, state, advance, processes or core_count())
        yield _WithLinks(reader.database, state)


class _WithLinks:
    """The rows of a crawl, but those of links from another database."""

    def __init__(self, others: Rows, links: Rows) -> None:
        self._others = others
        self._links = links

    def get(self, family: Family, key: bytes) -> bytes | None:
        return self._of(family).get(family, key)

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        return self._of(family).scan(family, start, stop)

    def _of(self, family: Family) -> Rows:
        return self._links if family in ("graph", "links") else self._others


def _read_again(reader: CrawlReader, state: State, advance: Advance, processes: int) -> None:
    config = msgspec.structs.replace(reader.config, links=True, order="bfs", topic_words=())
    setup = frame(RereadSetup(config, list(scope_seeds(reader.state)) or list(config.seeds)))
    children = [start_child("weft.folder.reread_worker") for _ in range(processes)]
    try:
        for _, connection in children:
            connection.sendall(setup)
        for answer in _answers(children, _messages(reader)):
            batch = state.batch()
            for one in answer.rows:
                batch.put("graph", one.node, row(0.0, one.edges))
                batch.put("links", one.node, one.about)
            state.write(batch)
            advance(len(answer.rows))
    finally:
        for process, connection in children:
            process.terminate()
            connection.close()
            end(process)


def _messages(reader: CrawlReader) -> Iterator[bytearray]:
    rows = (one for one in reader.rows() if one.file and one.outcome is not Outcome.POISON)
    pages = (_page(reader, one) for one in rows if not is_own_request(one.parts))
    while some := list(islice(pages, PAGES_AT_ONCE)):
        yield frame(RereadPages(some))


def _page(reader: CrawlReader, page: PageRow) -> RereadPage:
    return RereadPage(link_of(page), reader.place_of(page), reader.original_of(page))


def _answers(children: list[Started], messages: Iterator[bytearray]) -> Iterator[RereadRows]:
    """What comes of all messages; they are given out as workers have room for them."""
    held = 0  # by workers
    is_over = False  # no message is left
    with selectors.DefaultSelector() as selector:
        for process, connection in children:
            selector.register(connection, selectors.EVENT_READ, (process, connection, received(connection)))
        while held or not is_over:
            for key, _ in selector.select():
                process, connection, answers = key.data
                is_another_here = True
                while is_another_here:
                    body, is_another_here = next(answers, (None, False))
                    if body is None:
                        raise WorkerFailed(f"a process that reads pages again ended with {process.wait()}")
                    if body:  # else it has just become ready
                        held -= 1
                        yield _decode(body)
                    room = 1 if body else HELD_BY_A_WORKER
                    some = list(islice(messages, room))
                    for message in some:
                        connection.sendall(message)  # they are small, and it has read what came before
                    held += len(some)
                    is_over = len(some) < room
