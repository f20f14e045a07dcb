"""The pages between reading and writing, in their order.

    read ──block──▶ waiting ──page──▶ a worker ──answer──▶ finished ──batch──▶ written

Workers answer in any order; what leaves is in the order of reading, so an output does not depend on who was faster.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Sequence

import msgspec

from weft.clean.bulk.messages import PageToClean
from weft.clean.bulk.ports import RawPage, Result
from weft.clean.bulk.sizes import Sizes
from weft.workers.worker_process import HANG_AFTER_S

SLOWEST_BYTES_PER_S = 500_000


class PageTask:
    """A page in hand."""

    __slots__ = ("deaths", "page", "result", "size_bytes")

    def __init__(self, page: RawPage) -> None:
        self.page = page
        self.size_bytes = len(page.content)
        self.result: Result | None = None
        self.deaths = 0  # of processes that had it in hand

    @property
    def message(self) -> PageToClean:
        """For a worker; made when it is sent, since text is copied for it."""
        return PageToClean.of(self.page)

    def patience_s(self) -> float:
        """How long a worker may take over it."""
        return HANG_AFTER_S + self.size_bytes / SLOWEST_BYTES_PER_S


class Window:
    """Filled by the reader, emptied by the writer; bound: `buffer_bytes`, and `buffer_blocks` on either side."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._bound_pages = sizes.buffer_blocks * sizes.block_pages
        self._tasks: deque[PageTask] = deque()  # all, in the order of reading
        self._waiting: deque[PageTask] = deque()  # no worker has them yet
        self._answered = 0  # not yet taken
        self._answered_bytes = 0
        self.held_bytes = 0  # pages until they are answered, then results until they are taken

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def waiting_pages(self) -> int:
        """Pages that no worker has yet."""
        return len(self._waiting)

    @property
    def answered_pages(self) -> int:
        """Results that are not taken yet."""
        return self._answered

    def has_room(self) -> bool:
        """Whether another block may come."""
        return (
            self.held_bytes < self._sizes.buffer_bytes
            and len(self._waiting) + self._sizes.block_pages <= self._bound_pages
            and self._answered < self._bound_pages
        )

    def add(self, block: Iterable[RawPage]) -> None:
        """Pages that were read."""
        for page in block:
            task = PageTask(page)
            self._tasks.append(task)
            self._waiting.append(task)
            self.held_bytes += task.size_bytes

    def hand_out(self) -> PageTask:
        """The next page is a worker's now."""
        return self._waiting.popleft()

    def give_back(self, tasks: Sequence[PageTask]) -> None:
        """Their worker is gone; another one will have them."""
        self._waiting.extendleft(reversed(tasks))

    def answer(self, task: PageTask, result: Result) -> None:
        """What came of a page. Its content may go."""
        task.result = msgspec.structs.replace(result, page=msgspec.structs.replace(task.page, content=b"", template={}))
        self.held_bytes -= task.size_bytes
        task.size_bytes = 0 if result.cleaned is None else sys.getsizeof(result.cleaned.content)
        self.held_bytes += task.size_bytes
        task.page = task.result.page
        self._answered += 1
        self._answered_bytes += task.size_bytes

    def take(self, *, is_last: bool) -> list[Result]:
        """A batch to write: a full one, or, if no page comes any more, the rest; none if there is no such batch yet."""
        is_last = is_last and self._answered == len(self._tasks)
        if not is_last and not self._is_batch(self._answered, self._answered_bytes):
            return []
        count = size_bytes = 0
        for task in self._tasks:
            if task.result is None or self._is_batch(count, size_bytes):
                break
            count += 1
            size_bytes += task.size_bytes
        if not is_last and not self._is_batch(count, size_bytes):
            return []
        taken = [self._tasks.popleft() for _ in range(count)]
        self.held_bytes -= size_bytes
        self._answered -= count
        self._answered_bytes -= size_bytes
        return [task.result for task in taken if task.result is not None]

    def _is_batch(self, pages: int, size_bytes: int) -> bool:
        return pages >= self._sizes.write_rows or size_bytes >= self._sizes.write_bytes
