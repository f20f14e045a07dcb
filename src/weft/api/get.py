"""`weft.get` and `weft.get_sync`: one page, without a crawl.

page = await weft.get("https://example.org")
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import Any, Unpack

from weft.api.waiting import result_of
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.page import Page
from weft.pipeline.single_page import fetch_page
from weft.program import stop_if_only_loaded
from weft.settings.keywords import GetSettings
from weft.settings.one_page import read_one_page_keywords


async def get(url: str, **settings: Unpack[GetSettings]) -> Page:
    """Fetch one page, whatever its status, with the manners of a guest.

    robots.txt is asked for and obeyed, private addresses are refused, redirects are followed with the cookies that are
    set on the way. Nothing is written to the disk. `weft.GetFailed` says why no page came.
    """
    stop_if_only_loaded()
    return await fetch_page(_text(url), _config(settings))


def get_sync(url: str, **settings: Unpack[GetSettings]) -> Page:
    """As `weft.get`, in a script or a notebook; also where an event loop runs already."""
    stop_if_only_loaded()
    text, config = _text(url), _config(settings)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(fetch_page(text, config))
    return _in_a_thread(text, config)


def get_by_fields(url: str, fields: dict[str, Any]) -> Page:
    """As `get_sync`, with fields of CrawlConfig."""
    return asyncio.run(fetch_page(url, _with_cookies(fields)))


def _config(settings: GetSettings) -> CrawlConfig:
    return _with_cookies(read_one_page_keywords(settings))


def _with_cookies(fields: dict[str, Any]) -> CrawlConfig:
    """They are kept on the way unless somebody says no: sites that set one on a redirect want to see it again."""
    return CrawlConfig(**{"cookies": True, **fields})


def _text(url: str) -> str:
    if not isinstance(url, str):
        raise BadInput(f"a URL must be a text, not {url!r}")
    return url


def _in_a_thread(url: str, config: CrawlConfig) -> Page:
    """A loop cannot wait for another one in the same thread."""
    found: Future[Page] = Future()

    def run() -> None:
        try:
            found.set_result(asyncio.run(fetch_page(url, config)))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=run, name="weft.get_sync", daemon=True).start()
    return result_of(found)
