"""`weft.Site`: a site to crawl, and what to make of its pages.

    site = weft.Site("https://quotes.example/")

    @site.page("/author/*")
    def author(page: weft.Page) -> Author: ...

    if __name__ == "__main__":
        site.run(output="crawl-quotes")

The functions run in weft's workers, which find the site again by its name in its module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from weft.errors import BadInput
from weft.page.rule_book import RuleBook
from weft.program import stop_if_only_loaded
from weft.settings.keywords import CrawlSettings
from weft.settings.values import read_keywords

if TYPE_CHECKING:  # a worker that loads a site needs no engine
    from weft.api.crawling import Crawling
    from weft.live.summary import Summary


class Site(RuleBook):
    """Where a crawl begins, its settings, and the functions that are called with its pages and items.

    Cookies are kept, as a browser does, unless the settings say otherwise.
    """

    def __init__(self, *urls: str, **settings: Unpack[CrawlSettings]) -> None:
        super().__init__()
        self.urls = urls
        self.settings: CrawlSettings = {"keep_cookies": True, **settings}
        read_keywords(self.settings)  # what cannot be is told where it is written
        # By its name in the module that makes it, it is found again.
        self.__module__ = sys._getframe(1).f_globals.get("__name__", "")

    def __repr__(self) -> str:
        return f"<Site {' '.join(self.urls)}>"

    def login(self, url: str, /, **fields: str) -> None:
        """Have the crawl log in first, by the form on this page, with these fields filled in: `--login`."""
        self.settings["login"] = url
        self.settings["login_field"] = fields
        read_keywords(self.settings)

    def crawl(self, output: str | Path | None = None, **settings: Unpack[CrawlSettings]) -> Crawling:
        """Crawl the site, as `weft.crawl` does; these settings take the place of those of the site."""
        from weft.api.crawl import crawl

        return crawl(*self.urls, output=output, **self._chosen(settings))

    def run(self, output: str | Path | None = None, **settings: Unpack[CrawlSettings]) -> Summary:
        """Crawl the site to the end, in a thread with a loop of its own; returns the figures.

        The items are in `items.jsonl` of the folder `output`, and in the file that the setting `items` names: one of
        the two is needed. Called again with an `output` that holds the crawl, it goes on with it.
        """
        stop_if_only_loaded()
        from weft.api.crawl_sync import crawl_sync

        chosen = self._chosen(settings)
        if output is None and not chosen.get("items"):
            raise BadInput("the items of the site would be lost: run needs an output folder, or items='FILE.jsonl'")
        return crawl_sync(*self.urls, output=output, **chosen).run()

    def _chosen(self, settings: CrawlSettings) -> CrawlSettings:
        chosen: CrawlSettings = {**self.settings, **settings}
        chosen["extract"] = [*_functions(chosen), self]
        return chosen


def _functions(settings: CrawlSettings) -> list[str | Callable[..., object]]:
    given = settings.get("extract", ())
    return list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]  # one alone, too
