"""From requests that a user's code asks for, the links that go the way of all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from weft.types import HOP_OF, MAX_HOPS, Link, Refusal
from weft.url import LinkResolver, scheme_of

if TYPE_CHECKING:
    from weft.page.request import Request


def asked_links(page: Link, requests: Iterable[Request]) -> tuple[list[Link], dict[Refusal, int]]:
    """What was asked for on a page, one step away from it; and how many cannot be asked for at all."""
    resolver = LinkResolver(page.url)
    links: list[Link] = []
    bad = 0
    for request in requests:
        url = resolver.resolve(request.url)
        if url is None or (request.parts is not None and not scheme_of(url).is_web):
            bad += 1
        else:
            links.append(asked_link(page, url, request))
    return links, {Refusal.SCHEME: bad} if bad else {}


def asked_link(page: Link, url: str, request: Request) -> Link:
    """One request for a canonical URL, asked for on a page."""
    hops = page.hops[1 - MAX_HOPS :] + HOP_OF[request.kind]
    return Link(url, page.depth + 1, request.kind, page.url, hops=hops, seed=page.seed, parts=request.parts)
