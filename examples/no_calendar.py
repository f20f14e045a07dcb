"""A filter of your own: leave out calendars, which have a page for each day of all time.

    weft crawl https://example.org --filter no_calendar:refuses

weft asks it about each link before the link is queued. True leaves it out, as a refusal for the reason `user`.
"""

from __future__ import annotations

import re

import weft

A_MONTH = re.compile(r"/(?:calendar|events)/\d{4}/\d{1,2}\b")


def refuses(link: weft.Link) -> bool:
    """A link has `url`, `depth`, `kind` and `via`, the page it was found on."""
    return A_MONTH.search(link.url) is not None
