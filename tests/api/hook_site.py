"""A site with hooks, as a user writes it in a module."""

from __future__ import annotations

from collections import Counter

import weft

site = weft.Site(keep_cookies=False)
calls = Counter[str]()  # in this process


@site.page
def title(page: weft.Page) -> dict[str, str]:
    return {"title": page.title}


@site.before_request
def introduce(request: weft.HookRequest) -> None:
    calls["before"] += 1
    request.headers["User-Agent"] = "by a hook"


@site.after_response
async def look(page: weft.Page) -> weft.Retry | None:
    calls["after"] += 1
    return weft.Retry(after=0) if page.row.attempts == 1 else None
