"""An update: every known URL is asked again, and of two answers, the earlier one and the new one, one counts.

    begin     each page row moves to `earlier`, and its URL returns to the queue (weft.pipeline.update)
    ask       with the validators of then
    answer    304                          the earlier row counts again
              2xx, 301, 308, 404, 410      the new row counts
              302, 303, 307                the new row counts, unless there was a file before
              no answer, or any other      the earlier row counts again, and why is noted
    end       the files have followed (weft.mirror.site): `earlier` is emptied

Earlier rows stay until the end: a page whose new record a power cut takes is asked again by the validators of a
response that the archive still has. The record whose row does not count stays in the index as a side record.
"""

from __future__ import annotations

import msgspec

from weft.fetch import Validators
from weft.state import Batch, State
from weft.store import record_key
from weft.types import MirrorNote, Original, Outcome, PageRow, SideRow
from weft.url import scheme_of

UPDATE = b"update"  # in `meta`, while one is under way
FILES = b"files"  # in `meta`, when all files are as the last run left the pages; its value says how that ended
GONE = (404, 410)
FOR_NOW = (302, 303, 307)  # redirects that may be others tomorrow
NO_CONTENT = (204, 205)

# Keys in `mirror` that the pipeline writes; mirror/site/rows.py has the others.
NOTE, KEPT, AFTER_KEPT = b"n", b"k", b"l"

_encode = msgspec.msgpack.Encoder().encode


class EarlierRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page as it was before the update."""

    page: PageRow
    note: MirrorNote | None = None


decode_earlier = msgspec.msgpack.Decoder(EarlierRow).decode
decode_note = msgspec.msgpack.Decoder(MirrorNote).decode


def earlier_row(state: State, url_id: bytes) -> EarlierRow | None:
    """What is known of a URL from before the update."""
    row = state.get("earlier", url_id)
    return decode_earlier(row) if row is not None else None


def note_of(state: State, url_id: bytes) -> MirrorNote | None:
    """What a worker noted of the newest answer."""
    row = state.get("mirror", NOTE + url_id)
    return decode_note(row) if row is not None else None


def put_earlier(state: State, batch: Batch, url_id: bytes, page: PageRow) -> None:
    """Keep a row; a file that an unfinished update found gone is still there, so what was known of it is kept."""
    known = earlier_row(state, url_id)
    if known is None or is_file(page) or not is_file(known.page):
        batch.put("earlier", url_id, _encode(EarlierRow(page, note_of(state, url_id))))


def put_note(batch: Batch, url_id: bytes, note: MirrorNote) -> None:
    """Keep what a worker noted."""
    batch.put("mirror", NOTE + url_id, _encode(note))


def is_file(page: PageRow) -> bool:
    """Whether a mirror makes a file of it: a whole answer with content."""
    is_whole = page.outcome is Outcome.RESPONSE and not page.truncated
    return is_whole and 200 <= page.status < 300 and page.status not in NO_CONTENT


class Earlier:
    """The rows of before, while an update is under way."""

    def __init__(self, state: State) -> None:
        self._state = state

    def validators(self, url_id: bytes) -> Validators | None:
        """By which to ask whether a page has changed; None if it was never there, or nobody can tell."""
        row = earlier_row(self._state, url_id)
        if row is None or row.note is None or not is_file(row.page) or not (row.note.etag or row.note.last_modified):
            return None
        return Validators(row.note.etag, row.note.last_modified)

    def original(self, url_id: bytes) -> Original | None:
        """The record that may hold what has just come again."""
        row = earlier_row(self._state, url_id)
        if row is None or not row.page.file or not scheme_of(row.page.url).has_head:
            return None
        page = row.page
        return page.original or Original(page.url, page.fetched_at, page.digest, page.file, page.offset, page.length)

    def which_counts(self, batch: Batch, url_id: bytes, page: PageRow) -> PageRow:
        """The new row, or the earlier one."""
        row = earlier_row(self._state, url_id)
        batch.delete("mirror", KEPT + url_id)
        if row is None:
            return page
        is_answer = page.outcome is Outcome.RESPONSE and not page.truncated
        is_same = is_answer and page.status == 304
        if not is_same and (counts_after(row.page, page) if is_answer else not is_worth_keeping(row.page)):
            keep_in_index(batch, row.page)
            return page
        keep_in_index(batch, page)
        if not is_same:
            reason = f"status {page.status}" if is_answer else page.truncated or page.outcome
            batch.put("mirror", KEPT + url_id, reason.encode())
        return row.page

    def refused(self, batch: Batch, url_id: bytes, reason: str) -> PageRow | None:
        """A URL is not asked after all: what was known of it still holds, if anything was."""
        row = earlier_row(self._state, url_id)
        if row is None:
            return None
        batch.put("page", url_id, _encode(row.page))
        batch.put("mirror", KEPT + url_id, f"refused: {reason}".encode())
        return row.page


def counts_after(before: PageRow, now: PageRow) -> bool:
    """Whether an answer says what became of a page. A login, or a notice that the site is being mended, does not."""
    if now.status in FOR_NOW:
        return not is_file(before)
    return now.status < 400 or now.status in GONE or not is_worth_keeping(before)


def is_worth_keeping(page: PageRow) -> bool:
    """Whether an earlier row says more than that something failed."""
    return is_file(page) or (page.outcome is Outcome.RESPONSE and page.status < 400)


def end_update(state: State, batch: Batch) -> None:
    """The files have followed: nobody needs to know what was before."""
    batch.delete("meta", UPDATE)
    batch.delete_range("earlier", b"", b"\xff" * 17)
    batch.delete_range("mirror", KEPT, AFTER_KEPT)


def keep_in_index(batch: Batch, page: PageRow) -> None:
    """As a side record; what is said instead of a file is no record that could be shown."""
    if page.file and (page.status == 200 or scheme_of(page.url).has_head):
        mime = "warc/revisit" if page.original is not None else page.mime
        side = SideRow(page.url, page.fetched_at, page.status, mime, page.digest, page.length, page.body_bytes)
        batch.put("side", record_key(page.file, page.offset), _encode(side))
