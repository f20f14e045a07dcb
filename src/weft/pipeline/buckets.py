"""The public suffix list decides in which bucket a host is: by another list, its rows might not be found.

So the list is noted. After an update of it, which hardly ever moves a host of a crawl, all rows are looked at once.
"""

from __future__ import annotations

from weft.errors import FolderError
from weft.folder.page_rows import decode_page
from weft.state import Batch, State
from weft.state.keys import host_of_key
from weft.url import bucket_of, host_of
from weft.url.domain import suffix_list_hash

SUFFIXES = b"suffixes"  # in `meta`: the list by which rows were written


def adopt_suffixes(state: State, batch: Batch) -> None:
    """Remember the list; refuse to go on where it is another one, by which rows would lie elsewhere."""
    stored, now = state.get("meta", SUFFIXES), suffix_list_hash()
    if stored == now:
        return
    if stored is not None:
        for key, row in state.scan("page"):
            _check(key, host_of(decode_page(row).url))
        for key, _ in state.scan("host"):
            _check(key, host_of_key(key))
    batch.put("meta", SUFFIXES, now)


def _check(key: bytes, host: str) -> None:
    if not key.startswith(bucket_of(host)):
        raise FolderError(
            f"the public suffix list has changed since the crawl began, and with it where the rows of {host} lie; "
            "`weft repair` makes them again from the archive"
        )
