"""How each visit ends: as one batch of rows, written in one section without await.

    finished   its row leaves the queue, its page row comes, the WARC's end moves, its links go into seen and queue
    refused    its row leaves the queue
    retried    its row moves to the end of its host's queue
    relaxed    a page got nearer to the seeds: its links are scheduled again from the archive

**Depth is relaxed.** Hosts run at different speeds, so a URL may first be found on a longer way. Found again on a
shorter one, its depth is lowered; if its page is done already, a `relax` row asks for its links to be read again
from the archive. Otherwise a depth-limited crawl would miss pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from weft.crash_points import crash_point
from weft.fetch import Validators
from weft.filter.traps import CALENDAR, GUESSES, trap_rules
from weft.folder.history import UPDATE, keep_in_index
from weft.folder.page_rows import decode_page, over_key, page_row
from weft.folder.refused_rows import forbid
from weft.frontier import Frontier
from weft.members import GUESS, RESPONSE, SEED
from weft.mirror.rows import put_note
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, Finished
from weft.pipeline.growing_scope import GrowingScope
from weft.pipeline.limits import take_back
from weft.pipeline.originals import Originals
from weft.pipeline.refusals import NO_ROBOTS, Refusals, RobotsRules
from weft.pipeline.repeats import Repeats
from weft.pipeline.reread_rows import RereadRows, finish_again, leave_queue
from weft.pipeline.rules import QueueRules
from weft.pipeline.same_pages import SamePages
from weft.pipeline.scoring import Scoring
from weft.pipeline.sessions import Sessions
from weft.pipeline.tally import Tally
from weft.pipeline.unwanted import Unwanted
from weft.pipeline.update import Earlier, begin_update
from weft.pipeline.walks import Walks
from weft.seen import KNOWN, NEW, Found, Seen
from weft.state import Batch
from weft.store import Archive, record_key
from weft.store.similar import NearDuplicates
from weft.types import (
    COUNTED_ONLY,
    Fetched,
    FoundLink,
    Link,
    Location,
    Original,
    Outcome,
    PageRow,
    Processed,
    Refusal,
    RefusedLink,
    SideRow,
    Visit,
)
from weft.url import host_of, id_of

_encode = msgspec.msgpack.Encoder().encode


class Ledger:
    """The only writer of page rows; it joins what seen, frontier and archive add to a batch."""

    def __init__(
        self,
        context: Context,
        seen: Seen,
        frontier: Frontier,
        archive: Archive,
        doors: Doors,
        robots: RobotsRules = NO_ROBOTS,
        cookies_for: Callable[[str], bytes] = lambda url: b"",
        scoring: Scoring | None = None,
    ) -> None:
        config, state = context.config, context.state
        self._state = state
        self._seen = seen
        self.is_guess = seen.is_guess  # whether only scripts name a URL, up to now
        self._frontier = frontier
        self._archive = archive
        self._clock, self._now = context.clock, 0.0  # the time of the batch under way
        self._owner, self._witnesses = doors.owner, doors.witnesses
        self._robots = robots
        self._scoring = scoring
        self.log, self.counters = context.log, context.counters
        self.originals = Originals(state, archive)
        self.similar = NearDuplicates(state)
        self.sessions = Sessions(state, trap_rules(config.traps))
        self._walks = Walks(state)
        self._same_pages = SamePages(self, state, seen, trap_rules(config.traps), self._note_refusal)
        self.repeats = Repeats(state, cookies_for)
        self._max_depth = config.depth
        self.tally = Tally(state, self.counters, counts_visits=config.max_pages_per_host is not None)
        # What has become unwanted since it was queued; None as long as the rules have always been the same.
        self.rules: QueueRules | None = None
        self._refusals = Refusals(state, seen)
        self.unwanted = Unwanted(config, self._refusals, self._note_refusal, self.counters.count_refusal)
        self._earlier = Earlier(state) if state.get("meta", UPDATE) is not None else None
        self.scope = GrowingScope(state, config.scope)
        self.rereads = RereadRows(state, config)
        self._done_in_batch: dict[bytes, PageRow] = {}  # by URL id
        self._nearer_in_batch: set[bytes] = set()  # ids of URLs that were too deep, and came near enough

    def batch(self) -> Batch:
        """A batch for the methods below, to be given to `write`."""
        self._now = self._clock.wall()
        return self._state.batch()

    def write(self, batch: Batch) -> None:
        """Commit: first the disk, then memory follows."""
        self.counters.sequence = self._frontier.sequence
        batch.put("meta", b"counters", _encode(self.counters))
        self._frontier.seal(batch)
        self._archive.seal(batch)
        self._refusals.seal(batch)
        self._owner.seal(batch)
        crash_point("commit")
        self._state.write(batch)
        crash_point("commit-written")
        self._frontier.settle()
        self._seen.settle()
        self.similar.settle()
        self.sessions.settle()
        self._walks.settle()
        self.repeats.settle()
        self._refusals.settle()
        self._owner.settle()
        for witness in self._witnesses:
            witness.settle()
        self.rereads.settle()
        self._done_in_batch.clear()
        self.tally.settle()
        self._nearer_in_batch.clear()

    def schedule(self, batch: Batch, found: Iterable[FoundLink]) -> list[str]:
        """Queue the links that are new. Returns those that widen the scope: targets of redirected seeds."""
        return self.arrive(batch, self._owner.ours(batch, found), self._owner.news)

    def arrive(
        self, batch: Batch, found: Iterable[FoundLink], tell: Callable[[FoundLink], None] | None = None
    ) -> list[str]:
        """Queue the links among ours that are new, and tell of them; likewise those that others have found."""
        widening: dict[str, None] = {}
        settles, add = self.sessions.rules.by_host, self._seen.add
        for one in found:
            url_id, host, link = one.id, one.host, one.link
            if settles and host in settles:
                url_id, link = self.sessions.settled(url_id, host, link)
            news = add(batch, url_id, link.depth, link.kind is GUESS)
            if tell is not None and news is not KNOWN:
                tell(FoundLink(url_id, host, link))
            if news is NEW:
                self.counters.seen += 1
                if (line := self._robots.forbids(link.url)) is not None:
                    forbid(batch, url_id, link, line)
                    self._note_refusal(link, Refusal.ROBOTS)
                else:
                    self._frontier.put(batch, host, link)
                    self.counters.queued += 1
            elif news is not KNOWN and news is Found.NEARER and self._max_depth is not None:
                if self._is_done(url_id):
                    self.rereads.add(batch, url_id)
                elif self._state.get("over", url_id) is not None and url_id not in self._nearer_in_batch:
                    self._nearer_in_batch.add(url_id)
                    take_back(self, batch, url_id, link)
            if link.kind is SEED and not self.scope.knows(link.url):
                widening[link.url] = None
        if widening and (seeds := list(self._owner.widens(widening))):
            self.scope.add(batch, seeds)
            return seeds
        return []

    def finish(
        self,
        batch: Batch,
        visit: Visit,
        outcome: Outcome,
        fetched: Fetched | None = None,
        processed: Processed | None = None,
        parsed_at_depth: int = 0,
        original: Original | None = None,
        body_hash: bytes | None = None,
        scope_seeds: int = 0,
    ) -> list[str]:
        """A visit is over: with a response, or given up. Returns the URLs that widen the scope."""
        if self._scoring is not None:
            self._scoring.begin(visit)  # while it has its place
        self._frontier.finish(batch, visit)
        was_done = self.rereads.is_in_queue(visit.id)
        self.tally.visited(batch, visit, counts=not was_done)
        self.counters.queued -= 1
        depth = self.depth(visit.id, visit.link.depth)
        page = page_row(visit, depth, outcome, fetched, processed, original, self._now, scope_seeds)
        if was_done:
            self.log.page(page, self._now)
            return finish_again(self, batch, visit, page, processed, parsed_at_depth)
        if outcome is not RESPONSE:
            self.counters.count_failure(outcome)
        if processed is not None and processed.simhash:
            page = self._compare(batch, visit.id, page, processed.simhash)
        if visit.link.redirects and (redirect := self.page(visit.id)) is not None:
            keep_in_index(batch, redirect)  # it was asked for again, with the cookie that it had set
        repeated: FoundLink | None = None
        if fetched is not None and processed is not None and 300 <= fetched.status < 400 and processed.links:
            page, is_repeated = self.repeats.follow(batch, visit, page, fetched, processed.links[0], self.page)
            repeated = processed.links[0] if is_repeated else None
        counts = page if self._earlier is None else self._earlier.which_counts(batch, visit.id, page)
        self.tally.came(page, counts)
        batch.put("page", visit.id, _encode(counts))
        self._done_in_batch[visit.id] = counts
        if counts is not page and self._earlier is not None and self._earlier.rereads:
            self.rereads.add(batch, visit.id)
        note = processed.trail if processed is not None else None
        self._ask(batch, self.sessions.learn(batch, visit.id, page, note))
        for witness in self._witnesses:
            witness.finished(batch, Finished(visit.id, visit.host, page, fetched, processed, counts is page))
        if repeated is not None and not self.rereads.is_in_queue(repeated.id):  # else when it has left the queue
            self.put_back(batch, repeated.link)  # first it is done, then it returns: others hear of both in this order
        if processed is None or (at := processed.location) is None:
            self.log.page(page, self._now)
            return []
        self.log.page(page, self._now, *self._archive.place_of(at.file))
        self._archive.commit(batch, at, visit.id)
        if processed.items:
            self._archive.add_items(batch, at, processed.items)
        if body_hash is not None and not at.is_revisit:
            self.originals.add(batch, body_hash, visit.id)
        if processed.mirror is not None and counts is page:
            put_note(batch, visit.id, processed.mirror)
            self.counters.unpacked_bytes += processed.unpacked_bytes
        self.tally.processed(page, processed)
        self.unwanted.note(batch, visit, fetched, is_update=self._earlier is not None)
        if processed.refused_links:
            self.list_refused(batch, processed.refused_links)
        if depth < parsed_at_depth:
            self.rereads.add(batch, visit.id)
        if note is not None and note.walk:
            for page_id in self._walks.learn(batch, page, note):
                self.rereads.add(batch, page_id)
            self._walk_on(batch, visit.id, note.walk)
        return self.schedule(batch, self._links_of(batch, visit.id, page, processed))

    def _links_of(self, batch: Batch, url_id: bytes, page: PageRow | None, processed: Processed) -> Iterable[FoundLink]:
        links = processed.links if self._scoring is None else self._scoring.links(batch, url_id, page, processed)
        return self._same_pages.wanted(batch, page or self.page(url_id), links)

    def _ask(self, batch: Batch, probes: list[FoundLink]) -> None:
        """Have pages compared; one that is done is read from the archive."""
        for found in probes:
            if self._is_done(found.id):
                self.rereads.add(batch, found.id)
            else:
                self.schedule(batch, [found])

    def _walk_on(self, batch: Batch, url_id: bytes, walk: list[FoundLink]) -> None:
        """Links from a page to other days of its calendar."""
        for found in walk:
            if self._seen.depth(found.id) is None and not self._walks.admits(batch, url_id, found):
                self._note_refusal(found.link, Refusal.TRAP)
                self.list_refused(batch, [RefusedLink(found.id, found.host, found.link, Refusal.TRAP, CALENDAR)])
            else:
                self.schedule(batch, [found])

    def keep_side(self, batch: Batch, row: SideRow, at: Location, *, is_logged: bool = True) -> None:
        """A record of no page was archived. Lost in a power cut, it is not asked for again."""
        row = msgspec.structs.replace(row, digest=at.digest, length=at.length)
        if self.rereads.keeps_archive:
            batch.put("side", record_key(at.file, at.offset), _encode(row))
        self._archive.commit(batch, at, b"")
        if is_logged:
            self.log.side(row, self._now, self._archive.place_of(at.file)[1], at.offset)

    def list_refused(self, batch: Batch, refused: Iterable[RefusedLink]) -> None:
        """Write down which links the filters of a worker held back, and why."""
        self._refusals.add(batch, refused)

    def refuse(self, batch: Batch, visit: Visit, refusal: Refusal, rule: str = "") -> None:
        """A visit is not made after all; its link is kept, should what refuses it change."""
        self._frontier.finish(batch, visit)
        self.counters.queued -= 1
        if self.rereads.is_in_queue(visit.id):
            leave_queue(self, batch, visit, self.page(visit.id))
            return
        refused = RefusedLink(visit.id, visit.host, visit.link, refusal, rule)
        if refusal in (Refusal.HOST_BUDGET, Refusal.DEPTH):
            batch.put("over", over_key(visit, refusal), _encode(visit.link))
        elif refusal is Refusal.ROBOTS:
            forbid(batch, visit.id, visit.link, rule)
        elif rule == GUESSES or (self.rules is not None and self.rules.refuses(visit.link) is not None):
            self._seen.forget(batch, visit.id)
            self.counters.seen -= 1
            if refusal not in COUNTED_ONLY:
                self._refusals.add(batch, [refused])
        elif refusal is not Refusal.SESSION_ID:
            self._refusals.add(batch, [refused], was_queued=True)
        if self._earlier is not None and (page := self._earlier.refused(batch, visit.id, refusal)) is not None:
            self.tally.answer(page)
        self._note_refusal(visit.link, refusal)
        if refusal is Refusal.SESSION_ID:
            self.schedule(batch, [FoundLink(visit.id, visit.host, visit.link)])

    def queue_again(self, batch: Batch, link: Link, refusal: Refusal) -> None:
        """A URL that was refused may be visited now; one that was archived before the refusal waits for an update."""
        self.counters.count_refusal(refusal, -1)
        key = id_of(link)
        if not self._is_done(key):
            link = msgspec.structs.replace(link, depth=self.depth(key, link.depth))
            self.put_back(batch, link)

    def retry(self, batch: Batch, visit: Visit, wait_s: float, result: Outcome, status: int = 0, why: str = "") -> None:
        """A visit failed, and another try is worth it."""
        self._frontier.retry(batch, visit, wait_s=wait_s)
        self.tally.visited(batch, visit, counts=not self.rereads.is_in_queue(visit.id))
        self.counters.retries += 1
        self.log.tried(visit, result, status, self._now, f"retry in {wait_s:.1f} s{why}")

    def repeat(self, batch: Batch, visit: Visit, outcome: Outcome, how: str) -> None:
        """A request that was no try, as on a dead connection: it is made again in a turn of its host."""
        self._frontier.retry(batch, visit, wait_s=0.0, is_repeat=True)
        self.tally.visited(batch, visit, counts=not self.rereads.is_in_queue(visit.id))
        self.counters.retries += 1
        self.log.tried(visit, outcome, 0, self._now, f"again {how}")

    def relaxed(self, batch: Batch, url_id: bytes, at_depth: int, processed: Processed | None) -> list[str]:
        """A page's links were read again for this depth. Returns the URLs that widen the scope: after a repair only."""
        self.counters.relaxed += 1
        note = processed.trail if processed is not None else None
        if self.sessions.is_probe(url_id):
            self._ask(batch, self.sessions.probed(batch, url_id, note.likeness if note is not None else None))
        if note is not None:
            self._walk_on(batch, url_id, note.walk)
        widening: list[str] = []
        if processed is not None:
            self.list_refused(batch, processed.refused_links)
            widening = self.schedule(batch, self._links_of(batch, url_id, None, processed))
        if self.depth(url_id, at_depth) < at_depth:
            self.rereads.add(batch, url_id)  # it came nearer once more meanwhile
        else:
            batch.delete("relax", url_id)
            page = self.page(url_id)
            if page is not None and at_depth < page.depth:
                batch.put("page", url_id, _encode(msgspec.structs.replace(page, depth=at_depth)))
            if processed is not None and page is not None:
                self._owner.came_nearer(page, at_depth)
        return widening

    def begin_update(self, *, wanted: bool) -> None:
        """Send every URL that was visited back to the queue, if an update is wanted or was about to begin."""
        begin_update(self, self._state, wanted=wanted, now=self._clock.wall())
        self._earlier = Earlier(self._state) if self._state.get("meta", UPDATE) is not None else None

    def validators(self, url_id: bytes) -> Validators | None:
        """By which to ask whether a page has changed since an earlier visit."""
        return None if self._earlier is None else self._earlier.validators(url_id)

    def original_of(self, visit: Visit, body_hash: bytes | None) -> tuple[Original | None, bool]:
        """The record that seems to hold the body that came: of the same page before an update, or of any page."""
        earlier = None if self._earlier is None else self._earlier.original(visit.id)
        found, may_have_come_before = self.originals.find(body_hash)
        return earlier or found, may_have_come_before and self.rereads.keeps_archive

    def _compare(self, batch: Batch, url_id: bytes, page: PageRow, simhash: int) -> PageRow:
        """Mark a page that says nearly the same as an earlier one."""
        near_id = self.similar.find_or_add(batch, url_id, simhash)
        near = near_page.url if near_id is not None and (near_page := self.page(near_id)) is not None else ""
        self.counters.near_duplicates += bool(near)
        return msgspec.structs.replace(page, simhash=simhash, near=near)

    def depth(self, url_id: bytes, known: int) -> int:
        """The smallest depth known by now."""
        if self._max_depth is None:
            return known  # depths are not relaxed: nothing depends on them
        depth = self._seen.depth(url_id)
        return known if depth is None else min(known, depth)

    def page(self, url_id: bytes) -> PageRow | None:
        """A page's row, written or of the batch under way."""
        if (page := self._done_in_batch.get(url_id)) is not None:
            return page
        return decode_page(row) if (row := self._state.get("page", url_id)) else None

    def put_back(self, batch: Batch, link: Link) -> None:
        """Queue a link that is known."""
        self._owner.queued_again(link)
        self._frontier.put(batch, host_of(link.url), link)
        self.counters.queued += 1

    def _is_done(self, url_id: bytes) -> bool:
        return url_id in self._done_in_batch or self._state.get("page", url_id) is not None

    def _note_refusal(self, link: Link, refusal: Refusal) -> None:
        self.counters.count_refusal(refusal)
        self.log.refused(link, refusal, self._now)
