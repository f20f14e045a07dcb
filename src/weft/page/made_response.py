"""A response that never came over a network, for `Page.from_html`: so that a function is tried without a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from weft.errors import BadInput
from weft.media import media_type
from weft.types import Fetched, Timing

HTML: Final = "text/html"
STATUSES: Final = range(100, 1000)
# The body is given as it is: neither packed nor in chunks, whatever the headers of a copied response say.
_ABOUT_THE_WIRE: Final = frozenset(("content-encoding", "transfer-encoding", "content-length"))


def made_response(
    html: str | bytes, url: str, status: int, headers: Mapping[str, str] | None, started_at: float
) -> Fetched:
    """The response with this body. A text is sent as UTF-8, and says so; bytes have the charset that they say."""
    if not isinstance(html, str | bytes):
        raise BadInput(f"the HTML of a page is a text or bytes, not {type(html).__name__}")
    if not isinstance(status, int) or status not in STATUSES:
        raise BadInput(f"the status of a page is a number such as 200, not {status!r}")
    given = {name.lower(): (name, value) for name, value in _pairs(headers)}
    _, content_type = given.get("content-type", ("", HTML))
    if isinstance(html, str):
        content_type = f"{media_type(content_type) or HTML}; charset=utf-8"
    given["content-type"] = ("Content-Type", content_type)
    body = html.encode("utf-8", "replace") if isinstance(html, str) else html
    return Fetched(
        url=url,
        address="",
        started_at=started_at,
        request=b"",
        status=status,
        head=b"",
        headers=tuple(
            (name.encode("utf-8", "replace"), value.encode("utf-8", "replace"))
            for name, (_, value) in given.items()
            if name not in _ABOUT_THE_WIRE
        ),
        body=body,
        spool=None,
        body_bytes=len(body),
        chunked=False,
        truncated=None,
        timing=Timing(),
    )


def _pairs(headers: Mapping[str, str] | None) -> list[tuple[str, str]]:
    pairs = list((headers or {}).items()) if headers is None or isinstance(headers, Mapping) else None
    if pairs is None or not all(isinstance(word, str) for pair in pairs for word in pair):
        raise BadInput("the headers of a page are a mapping of names to values, both texts")
    return pairs
