"""Where a redirect leads that answers a request with a method, headers or a body of its own.

    POST /login ──302──▶ GET /          the answer of this POST: visited even if / is known, under an id of its own
    POST /a ──307──▶ POST /b            the same once more; where its body is a secret, at the same authority only
    GET /a, with headers ──301──▶ /b    with its headers, but for logins and cookies if it is another authority

What answers a POST has the id of its URL and that POST, so a circle of such redirects meets a URL that is known, and
ends; one that makes up URLs ends after MAX_ANSWERS.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec

from weft.fetch.audience import SECRET_HEADERS
from weft.types import FoundLink, Link, Processed, Refusal, RequestParts, Visit
from weft.url import host_of, id_of, origin_of

MAX_ANSWERS: Final = 10
REPEATS: Final = frozenset((307, 308))  # which keep method and body; all others become a GET
REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_DIGEST_BYTES: Final = 16


def led_on(visit: Visit, status: int, processed: Processed) -> Processed:
    """What a worker made of a response, its redirect as it is to be followed after this request."""
    if visit.link.parts is None or status not in REDIRECTS or not processed.links:
        return processed
    target = processed.links[0]
    parts = parts_after(visit.id, visit.link, status, target.link.url)
    if target.link.redirects > MAX_ANSWERS and not isinstance(parts, Refusal):
        parts = Refusal.TOO_MANY_REDIRECTS
    if isinstance(parts, Refusal):
        refused = {**processed.refused, parts: 1}
        return msgspec.structs.replace(processed, links=[], refused=refused)
    link = msgspec.structs.replace(target.link, parts=parts)
    return msgspec.structs.replace(processed, links=[FoundLink(id_of(link, target.host), target.host, link)])


def parts_after(request_id: bytes, link: Link, status: int, url: str) -> RequestParts | Refusal | None:
    """What the request has to which a redirect leads; or why it must not be made."""
    parts = link.parts
    assert parts is not None
    is_there = is_same_place(link.url, url)
    headers = tuple(one for one in parts.headers if is_there or one[0].lower() not in SECRET_HEADERS)
    if parts.method == "GET":
        if not parts.digest and not headers:
            return None
        return msgspec.structs.replace(parts, headers=headers)
    if status in REPEATS:
        if parts.is_secret and not is_there:
            return Refusal.SCOPE
        return msgspec.structs.replace(parts, headers=headers)
    digest = sha256(b"answer\n" + request_id).digest()[:_DIGEST_BYTES]
    headers = tuple(one for one in headers if one[0].lower() != "content-type")
    return RequestParts(digest, headers=headers, is_secret=parts.is_secret)


def is_same_place(before: str, after: str) -> bool:
    """Whether what is told to one URL may be told to another: its own authority, or the same host by https."""
    if origin_of(before) == origin_of(after):
        return True
    host = host_of(before)
    bare = f"[{host}]" if ":" in host else host
    return origin_of(before) == f"http://{bare}" and origin_of(after) == f"https://{bare}"
