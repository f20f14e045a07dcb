"""Where a link leads: to a file, over redirects if need be, or out of the mirror."""

from __future__ import annotations

from functools import lru_cache

from weft.config import CrawlConfig
from weft.filter.strip_query import stripper
from weft.mirror.rows import FILE, TARGET
from weft.pipeline.sessions import Sessions
from weft.state import State
from weft.url import url_id

# A site's menu is on all of its pages. Few, so that it is full early and memory stays as it is from then on.
REMEMBERED_URLS = 4_000
MAX_REDIRECTS = 20


class Targets:
    """Answers from the database; the answers given last are at hand."""

    def __init__(self, state: State, config: CrawlConfig) -> None:
        self._state = state
        self._strip = stripper(config.strip_query)
        self._sessions = Sessions(state)
        self.path_of = lru_cache(REMEMBERED_URLS)(self._path_of)

    def _path_of(self, url: str) -> str | None:
        """The file that a URL leads to."""
        for _ in range(MAX_REDIRECTS):
            row = self._state.get("mirror", TARGET + url_id(url))
            if row is None and self._sessions.rules.by_host:  # it may be there without its session id
                row = self._state.get("mirror", TARGET + self._sessions.id_of(url))
            if row is None and self._strip is not None:
                row = self._state.get("mirror", TARGET + url_id(self._strip(url)))
            if row is None:
                return None
            if row[:1] == FILE:
                return row[1:].decode()
            url = row[1:].decode()
        return None
