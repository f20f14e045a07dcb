"""What a filter is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum

from weft.types import Link, Refusal
from weft.url import host_of


class Stage(StrEnum):
    """When a filter is asked."""

    SCHEDULE = "schedule"  # when a link is found, before anything remembers it
    FETCH = "fetch"  # right before its request, perhaps days later


class UrlFilter(ABC):
    """One rule. `refuses` names the reason against a link, or returns None."""

    stage: Stage = Stage.SCHEDULE
    rule: str = ""  # what a refusal of this filter is listed under, beside its reason
    bounds_scope: bool = False  # what it refuses does not belong to the crawl, and is counted only

    @abstractmethod
    def refuses(self, link: Link) -> Refusal | None:
        """Why this link is not to be fetched; None if this rule has nothing against it."""

    def rule_of(self, url: str, host: str, depth: int) -> str:
        """Which of its rules refused this URL: asked once, after the refusal."""
        return self.rule


class UrlOnlyFilter(UrlFilter):
    """A rule that needs no more than URL, host and depth.

    Most links of a page are refused, or were sent before: a parse worker asks these rules first and makes a
    Link only of what they let pass.
    """

    @abstractmethod
    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        """As `refuses`, for a link that need not exist yet; `host` is the host of `url`."""

    def refuses(self, link: Link) -> Refusal | None:
        return self.refuses_url(link.url, host_of(link.url), link.depth)
