"""What a perfect crawl finds, worked out from the model without a single request."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from weft.simweb.graph import Graph
from weft.simweb.places import DoorTo, Hop, Loop, Private, SimPage, WebPlace


class Truth(msgspec.Struct, frozen=True):
    """The URLs that a crawl from the seeds must get, each exactly once, and those that it must not ask for.

    Seeds have depth 0, a link adds 1, a redirect nothing; the shortest way counts.
    """

    fetchable: frozenset[str]  # pages, redirects, and links that are dead
    # Linked to, but its robots.txt says no or cannot be had, or every page with the link forbids to follow it,
    # or is none for a browser.
    forbidden: frozenset[str]
    status: dict[str, int]  # of every fetchable URL, in the end
    depth: dict[str, int]  # of every URL in either set
    failing_attempts: dict[str, int]  # of the URLs that do not succeed at once
    noindex: frozenset[str] = frozenset()  # pages that want to be in no index
    rate_limited: dict[str, int] = {}  # hosts that refuse so many requests at first, whatever they are for
    crawl_delay_s: dict[str, float] = {}  # of the hosts that ask for one


class Found(msgspec.Struct):
    """The outcome of a walk, in places."""

    depths: dict[WebPlace, int] = {}
    status: dict[WebPlace, int] = {}
    forbidden: set[WebPlace] = set()
    failing_attempts: dict[WebPlace, int] = {}
    noindex: set[WebPlace] = set()


def walk(
    graph: Graph,
    seeds: Iterable[WebPlace],
    max_depth: int | None,
    failing_attempts_of: Callable[[int], int],
    *,
    obeys_rel_nofollow: bool = False,
) -> Found:
    """Walk the graph from the seeds, nearest first."""
    found = Found()
    # A redirect's target goes to the front, since it is as near as the redirect itself.
    waiting = deque((place, 0) for place in seeds)
    not_followed: dict[WebPlace, int] = {}
    while waiting:
        place, depth = waiting.popleft()
        if place in found.depths:
            continue
        found.depths[place] = depth
        if not graph.may_fetch(place):
            found.forbidden.add(place)
            continue
        match graph.find(place):
            case SimPage(number=page):
                found.status[place] = 200
                if attempts := failing_attempts_of(page):
                    found.failing_attempts[place] = attempts
                if (directive := graph.directive(page)) and directive.noindex:
                    found.noindex.add(place)
                if max_depth is None or depth < max_depth:
                    follow, leave = _links(graph, page, obeys_rel_nofollow)
                    waiting.extend((target, depth + 1) for target in follow if target not in found.depths)
                    for target in leave:
                        not_followed.setdefault(target, depth + 1)
            case Private() as private:
                found.status[place] = 200
                if max_depth is None or depth < max_depth:
                    waiting.extend((target, depth + 1) for target in graph.private_links(place[0], private))
            case Hop() | Loop() | DoorTo() as redirect:
                found.status[place], target = _redirect(graph, redirect, place[1])
                waiting.appendleft((target, depth))
            case _:
                found.status[place] = 404
    for target, depth in not_followed.items():
        if target not in found.depths:
            found.depths[target] = depth
            found.forbidden.add(target)
    return found


def _redirect(graph: Graph, redirect: Hop | Loop | DoorTo, path: str) -> tuple[int, WebPlace]:
    match redirect:
        case Hop():
            return graph.redirect(redirect)
        case Loop():
            return graph.redirect_round(redirect)
        case DoorTo():
            return graph.redirect_from_door(redirect, path)


def _links(graph: Graph, page: int, obeys_rel_nofollow: bool) -> tuple[list[WebPlace], list[WebPlace]]:
    """The links of a page that are to be followed, and those that are not."""
    links = graph.links(page)
    if not graph.is_followed(page):
        return [], links
    if not obeys_rel_nofollow:
        return links, []
    left = [graph.is_rel_nofollow(page, number) for number in range(len(links))]
    return (
        [place for place, leave in zip(links, left, strict=True) if not leave],
        [place for place, leave in zip(links, left, strict=True) if leave],
    )
