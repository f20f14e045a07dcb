"""History: an earlier answer of a URL beside the new one. Of the two, one counts.

    begin     each page row moves to `earlier`, and its URL returns to the queue (weft.pipeline.update)
    ask       with the validators of then
    answer    304                          the earlier row counts again
              2xx, 301, 308, 404, 410      the new row counts
              302, 303, 307                the new row counts, unless there was content before
              no answer, or any other      the earlier row counts again
    end       whoever needs both has read them: `earlier` is emptied

Earlier rows stay until the end: a page whose new record a power cut takes is asked again by the validators of a
response that the archive still has. The record whose row does not count stays in the index as a side record.
"""

from __future__ import annotations

import msgspec

from weft.fetch import Validators
from weft.state import Batch, State
from weft.store import record_key
from weft.types import AnswerNote, Original, Outcome, PageRow, SideRow
from weft.url import scheme_of

UPDATE = b"update"  # in `meta`, while one is under way
UPDATE_AT = b"update-at"  # likewise, when it began
REREAD = b"update-rereads"  # likewise, if rules have changed: links of pages that have not changed are judged again
NOT_MODIFIED = 304
GONE = (404, 410)
FOR_NOW = (302, 303, 307)  # redirects that may be others tomorrow
NO_CONTENT = (204, 205)

_encode = msgspec.msgpack.Encoder().encode


class EarlierRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page as it was before the update."""

    page: PageRow
    note: AnswerNote | None = None


decode_earlier = msgspec.msgpack.Decoder(EarlierRow).decode


def earlier_row(state: State, url_id: bytes) -> EarlierRow | None:
    """What is known of a URL from before the update."""
    row = state.get("earlier", url_id)
    return decode_earlier(row) if row is not None else None


def put_earlier(state: State, batch: Batch, url_id: bytes, row: EarlierRow) -> None:
    """Keep a row; content that an unfinished update found gone was there, so what was known of it is kept."""
    known = earlier_row(state, url_id)
    if known is None or has_content(row.page) or not has_content(known.page):
        batch.put("earlier", url_id, _encode(row))


def forget_earlier(batch: Batch) -> None:
    """The update is over: nobody needs to know what was before."""
    batch.delete("meta", UPDATE)
    batch.delete("meta", UPDATE_AT)
    batch.delete("meta", REREAD)
    batch.delete_range("earlier", b"", b"\xff" * 17)


def has_content(page: PageRow) -> bool:
    """Whether it is a whole answer with content, of which a mirror makes a file."""
    is_whole = page.outcome is Outcome.RESPONSE and not page.truncated
    return is_whole and 200 <= page.status < 300 and page.status not in NO_CONTENT


class History:
    """The rows of before, while an update is under way."""

    def __init__(self, state: State) -> None:
        self._state = state

    def page(self, url_id: bytes) -> PageRow | None:
        """The row of before."""
        row = earlier_row(self._state, url_id)
        return row.page if row is not None else None

    def validators(self, url_id: bytes) -> Validators | None:
        """By which to ask whether a page has changed; None if it was never there, or nobody can tell."""
        row = earlier_row(self._state, url_id)
        if row is None or row.note is None or not has_content(row.page):
            return None
        if not (row.note.etag or row.note.last_modified):
            return None
        return Validators(row.note.etag, row.note.last_modified)

    def original(self, url_id: bytes) -> Original | None:
        """The record that may hold what has just come again."""
        page = self.page(url_id)
        if page is None or not page.file or not scheme_of(page.url).has_head:
            return None
        return page.original or Original(page.url, page.fetched_at, page.digest, page.file, page.offset, page.length)

    def which_counts(self, batch: Batch, url_id: bytes, page: PageRow) -> tuple[PageRow, str]:
        """The new row, or the earlier one and why (no reason if nothing has changed); the other stays in the index."""
        before = self.page(url_id)
        if before is None:
            return page, ""
        is_answer = page.outcome is Outcome.RESPONSE and not page.truncated
        is_same = is_answer and page.status == NOT_MODIFIED
        if not is_same and (counts_after(before, page) if is_answer else not is_worth_keeping(before)):
            keep_in_index(batch, before)
            return page, ""
        keep_in_index(batch, page)
        if is_same:
            return before, ""
        return before, f"status {page.status}" if is_answer else page.truncated or page.outcome


def counts_after(before: PageRow, now: PageRow) -> bool:
    """Whether an answer says what became of a page. A login, or a notice that the site is being mended, does not."""
    if now.status in FOR_NOW:
        return not has_content(before)
    return now.status < 400 or now.status in GONE or not is_worth_keeping(before)


def is_worth_keeping(page: PageRow) -> bool:
    """Whether an earlier row says more than that something failed."""
    return has_content(page) or (page.outcome is Outcome.RESPONSE and page.status < 400)


def keep_in_index(batch: Batch, page: PageRow) -> None:
    """As a side record; what is said instead of a file is no record that could be shown."""
    if page.file and (page.status == 200 or scheme_of(page.url).has_head):
        mime = "warc/revisit" if page.original is not None else page.mime
        side = SideRow(
            page.url, page.fetched_at, page.status, mime, page.digest, page.length, page.body_bytes, page.parts
        )
        batch.put("side", record_key(page.file, page.offset), _encode(side))
