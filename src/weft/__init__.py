"""weft: a web crawler, polite, complete, crash-proof and fast.

    async for page in weft.crawl("https://example.org", depth=2):
        print(page.url, page.title)

docs/python.md tells the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._version import __version__
from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.api import Crawling, crawl, read
    from weft.config import CrawlConfig
    from weft.errors import WeftError
    from weft.page import Page
    from weft.types import Kind, Outcome

__all__ = ["CrawlConfig", "Crawling", "Kind", "Outcome", "Page", "WeftError", "__version__", "crawl", "read"]

# Loaded when first used: each parse worker imports this package, and none of them needs the engine.
__getattr__ = lazy_names(
    __name__,
    {
        "CrawlConfig": "weft.config",
        "Crawling": "weft.api",
        "Kind": "weft.types",
        "Outcome": "weft.types",
        "Page": "weft.page",
        "WeftError": "weft.errors",
        "crawl": "weft.api",
        "read": "weft.api",
    },
)


def __dir__() -> list[str]:
    return __all__
