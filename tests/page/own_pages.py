"""Pages that never came over a network."""

from __future__ import annotations

from weft.page import Page
from weft.types import Fetched, PageRow, Timing

URL = "http://site.test/quotes/1"


def page_of(html: str, url: str = URL, content_type: str = "text/html; charset=utf-8") -> Page:
    """A page with this text."""
    body = html.encode()
    fetched = Fetched(
        url=url,
        address="",
        started_at=0.0,
        request=b"",
        status=200,
        head=b"",
        headers=((b"content-type", content_type.encode()),),
        body=body,
        spool=None,
        body_bytes=len(body),
        chunked=False,
        truncated=None,
        timing=Timing(),
    )
    return Page(PageRow(url, 200, 0.0, 0), lambda: fetched)
