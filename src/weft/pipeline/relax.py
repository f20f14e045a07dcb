"""Pages that came nearer to a seed: their links are read again, from the archive, so that no server is asked twice.

A crawl that keeps no archive (`--archive none`) has to ask again: such a page returns to the queue, and stays done.
"""

from __future__ import annotations

import msgspec

from weft.folder.archived import place_of
from weft.folder.page_rows import link_of
from weft.pipeline.another_chance import fetch_again
from weft.pipeline.growing_scope import judge_again
from weft.pipeline.ledger import Ledger
from weft.pipeline.messages import RelaxJob
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.reread_rows import fetch_for_links
from weft.pipeline.work import Job, RelaxWork, Work
from weft.state import Batch
from weft.store import Archive
from weft.types import PageRow, Processed
from weft.url import is_own_request

AT_ONCE = 32


class Relaxer:
    """Gives such pages to the workers, a few at a time."""

    def __init__(
        self,
        ledger: Ledger,
        archive: Archive,
        workers: ParseWorkers[Work],
        *,
        has_functions: bool = False,
    ) -> None:
        self._ledger = ledger
        self._archive = archive
        self._workers = workers
        self._has_functions = has_functions
        self._under_way = 0

    def has_work(self) -> bool:
        """Whether pages wait to be read again."""
        return bool(self._ledger.rereads.waiting)

    def judge_again(self) -> bool:
        """When nothing else is left: have pages read again that were judged by a smaller scope, if there are any."""
        return judge_again(self._ledger)

    def start_some(self) -> None:
        """Begin with as many as may be under way."""
        waiting = self._ledger.rereads.waiting
        while waiting and self._under_way < AT_ONCE:
            url_id = waiting.popleft()
            if self._ledger.rereads.is_in_queue(url_id):  # it came nearer twice before this: one visit does
                continue
            page = self._ledger.page(url_id)
            depth = self._ledger.depth(url_id, page.depth if page else 0)
            if page is not None and page.status and self._must_fetch(page):
                batch = self._ledger.batch()
                fetch_for_links(self._ledger, batch, url_id, msgspec.structs.replace(link_of(page), depth=depth))
                self._ledger.write(batch)
                continue
            is_posted = page is not None and is_own_request(page.parts) and self._archive.is_elsewhere(page.file)
            if page is None or not page.file or is_posted:  # nothing to read: it failed, or returned to the queue
                batch = self._ledger.batch()
                self._ledger.relaxed(batch, url_id, depth, None)
                self._ledger.write(batch)
                continue
            if self._archive.is_elsewhere(page.file):
                batch = self._ledger.batch()
                fetch_again(self._ledger, batch, url_id, page)
                self._ledger.write(batch)
                continue
            link = msgspec.structs.replace(link_of(page), depth=depth)
            original = place_of(self._archive, page.original) if page.original is not None else None
            self._under_way += 1
            is_compared = page.status == 200 and self._ledger.sessions.is_probe(url_id)
            job = RelaxJob(link, place_of(self._archive, page), original, is_compared, self._has_functions)
            self._workers.submit(Job(job, RelaxWork(url_id, depth)))

    def _must_fetch(self, page: PageRow) -> bool:
        """Whether only its server knows its links. Nothing posts a second time by itself."""
        return not self._ledger.rereads.keeps_archive and not is_own_request(page.parts)

    def finish(self, batch: Batch, work: RelaxWork, processed: Processed | None) -> list[str]:
        """A page's links were read, or could not be. Returns the URLs that widen the scope."""
        self._under_way -= 1
        self._ledger.rereads.keep_links(batch, work.id, processed)
        return self._ledger.relaxed(batch, work.id, work.depth, processed)
