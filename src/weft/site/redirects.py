"""Where redirects lead: to their end, along a chain, or round and round."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

# A crawl follows ten in a row; an earlier one may have been told to follow more.
MOST_HOPS = 100


class Way(msgspec.Struct, frozen=True):
    """The way from a redirect."""

    steps: list[int | str]  # subjects behind the first one; a URL where it leaves the crawl
    is_loop: bool  # the last step is the redirect itself, or a step before it

    @property
    def end(self) -> int | str:
        """The last step."""
        return self.steps[-1]


def way_from(start: int, leads_to: Mapping[int, int | str]) -> Way | None:
    """Follow a redirect; None if nobody knows where it leads."""
    steps: list[int | str] = []
    passed = {start}
    at: int | str = start
    while isinstance(at, int) and at in leads_to and len(steps) < MOST_HOPS:
        at = leads_to[at]
        steps.append(at)
        if at in passed:
            return Way(steps, is_loop=True)
        if isinstance(at, int):
            passed.add(at)
    return Way(steps, is_loop=False) if steps else None
