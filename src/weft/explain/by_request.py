"""Requests for a URL that are none of its plain GET: what functions and programs posted there."""

from __future__ import annotations

from itertools import islice
from typing import Final

from weft.folder.page_rows import decode_page
from weft.folder.refused_list import Rows
from weft.state.keys import bucket_range
from weft.url import bucket_of, host_of, is_own_request

MOST_ROWS: Final = 100_000  # a few tenths of a second


def posted_to(rows: Rows, url: str, most_rows: int) -> str:
    """A sentence on what was posted to a URL; empty if nothing was, as far as the rows of its site were read."""
    bucket = bucket_of(host_of(url))
    start, stop = bucket_range(bucket, last=bucket)
    text, statuses = url.encode(), []
    for _, value in islice(rows.scan("page", start, stop), min(most_rows, MOST_ROWS)):
        if text in value:  # few have it, and only those are decoded
            page = decode_page(value)
            if page.url == url and is_own_request(page.parts):
                statuses.append(f"{page.parts.method if page.parts else ''} {page.status or page.outcome}")
    if not statuses:
        return ""
    listed = ", ".join(sorted(set(statuses))[:10])
    return f"requests of functions or programs for it, each a page of its own: {len(statuses):,} ({listed})"
