"""The error of a crawl that brought nothing."""

from __future__ import annotations

from weft.errors import WeftError
from weft.live.summary import Summary


class CrawlFailed(WeftError):
    """Not one page could be fetched: the text says why and what helps, as the command line does.

    `summary` has the figures of the run.
    """

    def __init__(self, sentence: str, summary: Summary) -> None:
        super().__init__(sentence)
        self.summary = summary

    def __reduce__(self) -> tuple[type[CrawlFailed], tuple[str, Summary]]:
        return CrawlFailed, (str(self), self.summary)  # so that it crosses the border of a process
