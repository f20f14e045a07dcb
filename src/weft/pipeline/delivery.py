"""Pages on their way to a reader in the same program: `async for page in weft.crawl(...)`.

    commit ──put──▶ delivery ──take──▶ reader ──asks for the next──▶ its `undelivered` row goes

A page is delivered after its commit, and its row stays until the reader asks for the next one: after any stop, what
the reader had not finished is delivered again. So each page comes at least once, and almost always exactly once.
Where nothing is archived, the row holds the response as long as it is there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from weft.folder.page_rows import decode_page
from weft.pipeline.context import Context
from weft.pipeline.doors import Finished
from weft.pipeline.halts import Halt
from weft.pipeline.loop import Loop
from weft.state import Batch, State
from weft.types import Fetched, Outcome, PageRow

MIB = 1024 * 1024
PAGES = 64
BYTES = 16 * MIB

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Fetched).decode

Delivered = tuple[bytes, PageRow, Fetched | None]  # URL id, row, and the response if it is still in memory


class Delivery:
    """The pages that wait for the reader. While there are too many, the engine begins no visit.

    Of a reader who wants `everything`, 404s, redirects and failures are among them.
    """

    def __init__(self, *, everything: bool = False) -> None:
        self._everything = everything
        # Filled by the engine's commits, emptied by the reader; bound: PAGES or BYTES, and what was under way then.
        self._waiting: deque[Delivered] = deque()
        self._waiting_bytes = 0
        self._news = asyncio.Event()
        self._is_over = False
        self._being_read: bytes | None = None  # id of the page that the reader has not finished
        self._reader_is_gone = asyncio.Event()
        self._is_wanted = True
        self._in_batch: list[Delivered] = []
        self._loop: Loop | None = None
        self._keeps_archive = True

    def join(self, context: Context) -> None:
        """A run begins whose pages these are, first of all those that an earlier one's reader did not finish."""
        self._loop = context.loop
        self._keeps_archive = context.config.archive != "none"
        self._put(one for one in undelivered(context.state) if self._wants(one[1]))
        self._news.set()

    def __len__(self) -> int:
        """How many pages wait."""
        return len(self._waiting)

    def halt(self) -> Halt | None:
        """While the reader is behind, no visit begins."""
        if not self._is_wanted:
            return None
        return Halt.READER if len(self._waiting) >= PAGES or self._waiting_bytes >= BYTES else None

    def may_end(self) -> bool:
        """The reader may ask for more (`Crawl.follow`) as long as it has a page, or one waits for it."""
        return self._reader_is_gone.is_set() or not (self._waiting or self._being_read)

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A page will be put, once the batch is written. Its body is kept if it is in memory; the archive has it."""
        is_stored = visit.processed is not None or not visit.page.status
        if not is_stored or not self._is_wanted or not self._wants(visit.page):
            return
        kept = visit.fetched
        if kept is not None and kept.body is None:
            kept = None if self._keeps_archive else _from_spool(kept)
        batch.put("undelivered", visit.id, b"" if self._keeps_archive or kept is None else _encode(kept))
        self._in_batch.append((visit.id, visit.page, kept))

    def _wants(self, row: PageRow) -> bool:
        return self._everything or (200 <= row.status < 300 and row.outcome is not Outcome.POISON)

    def settle(self) -> None:
        """The batch is written."""
        if self._in_batch:
            self._put(self._in_batch)
            self._in_batch.clear()
            self._news.set()

    def _put(self, pages: Iterable[Delivered]) -> None:
        for page in pages:
            self._waiting.append(page)
            self._waiting_bytes += page[1].body_bytes if page[2] else 0

    def end(self) -> None:
        """No more pages will come."""
        self._is_over = True
        self._news.set()

    async def finished_all(self) -> None:
        """All pages are put: wait until the reader has had them, or is gone."""
        self.end()
        await self._reader_is_gone.wait()

    def leave(self) -> None:
        """The reader is gone; the page that it had last comes again another time."""
        self._reader_is_gone.set()
        self._pump_soon()

    def forgo(self) -> None:
        """The reader wants no further page: they are not kept for it, and it holds nobody back."""
        self._is_wanted = False
        self.leave()

    async def next(self, state: Callable[[], State | None]) -> tuple[PageRow, Fetched | None] | None:
        """The next page, as soon as there is one; None when the crawl has ended. The page before it is finished."""
        self._finish_page(state())
        while not self._waiting:
            if self._is_over:
                self.leave()
                return None
            self._news.clear()
            self._pump_soon()  # this may be the end
            await self._news.wait()
        self._being_read, row, kept = self._waiting.popleft()
        self._waiting_bytes -= row.body_bytes if kept else 0
        self._pump_soon()
        return row, kept

    def _pump_soon(self) -> None:
        if self._loop is not None:
            self._loop.pump_soon()

    def _finish_page(self, state: State | None) -> None:
        if state is not None and self._being_read is not None:
            batch = state.batch()
            batch.delete("undelivered", self._being_read)
            state.write(batch)
        self._being_read = None


def undelivered(state: State) -> list[Delivered]:
    """Pages that a reader did not finish in an earlier run."""
    rows = ((url_id, state.get("page", url_id), kept) for url_id, kept in state.scan("undelivered"))
    return [
        (url_id, decode_page(row), _decode(kept) if kept else None) for url_id, row, kept in rows if row is not None
    ]


def _from_spool(fetched: Fetched) -> Fetched | None:
    """A response with its body from its file, which goes with the commit; None if that is too long to be kept."""
    if fetched.spool is None or fetched.body_bytes > BYTES:
        return None
    return msgspec.structs.replace(fetched, body=Path(fetched.spool).read_bytes(), spool=None)
