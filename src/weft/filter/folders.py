"""Which folder a URL lies in, and which folder lies in which."""

from __future__ import annotations


def folder_of(url: str) -> str:
    """Up to the last slash of its path."""
    return url.partition("?")[0].rpartition("/")[0] + "/"


def is_below(url: str, other: str) -> bool:
    """Whether a URL lies in a folder within that of another one."""
    above = folder_of(other)
    return url.startswith(above) and "/" in url[len(above) :].partition("?")[0]


def may_be_below(url: str, via: str, redirects: int) -> bool:
    """Whether a URL may lie in a folder within that of the page on which it was found; redirects count for nothing."""
    return bool(via) and (redirects > 0 or is_below(url, via))
