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
    from weft.api.clean import CleanSummary, clean
    from weft.api.crawl import crawl, resume
    from weft.api.crawl_failed import CrawlFailed
    from weft.api.crawl_sync import SyncCrawling, crawl_sync, resume_sync
    from weft.api.crawling import Crawling
    from weft.api.explain import explain
    from weft.api.export import export
    from weft.api.extract import ExtractSummary, extract
    from weft.api.get import get, get_sync
    from weft.api.mirror import MirrorSummary, mirror
    from weft.api.rank import Ranking, rank
    from weft.api.read import read
    from weft.api.report import report
    from weft.api.site import Site
    from weft.api.site_report import site_report
    from weft.api.stats import Stats
    from weft.api.verify import DamagedPack, Verdict, verify
    from weft.config import CrawlConfig
    from weft.errors import BadInput, DiskFull, FolderError, GetFailed, WeftError
    from weft.explain.result import HostExplanation, UrlExplanation
    from weft.live.summary import Summary
    from weft.page import HookRequest, Metadata, Page, Request, RequestOptions, Retry
    from weft.settings.keywords import CrawlSettings, GetSettings
    from weft.site.findings import SiteReport
    from weft.stats.figures import Report
    from weft.types import Kind, Link, Outcome

__all__ = [
    "BadInput",
    "CleanSummary",
    "CrawlConfig",
    "CrawlFailed",
    "CrawlSettings",
    "Crawling",
    "DamagedPack",
    "DiskFull",
    "ExtractSummary",
    "FolderError",
    "GetFailed",
    "GetSettings",
    "HookRequest",
    "HostExplanation",
    "Kind",
    "Link",
    "Metadata",
    "MirrorSummary",
    "Outcome",
    "Page",
    "Ranking",
    "Report",
    "Request",
    "RequestOptions",
    "Retry",
    "Site",
    "SiteReport",
    "Stats",
    "Summary",
    "SyncCrawling",
    "UrlExplanation",
    "Verdict",
    "WeftError",
    "__version__",
    "clean",
    "crawl",
    "crawl_sync",
    "explain",
    "export",
    "extract",
    "get",
    "get_sync",
    "mirror",
    "rank",
    "read",
    "report",
    "resume",
    "resume_sync",
    "site_report",
    "verify",
]

# Loaded when first used: each parse worker imports this package, and none of them needs the engine.
__getattr__ = lazy_names(
    __name__,
    {
        "BadInput": "weft.errors",
        "CleanSummary": "weft.api.clean",
        "CrawlConfig": "weft.config",
        "CrawlFailed": "weft.api.crawl_failed",
        "CrawlSettings": "weft.settings.keywords",
        "Crawling": "weft.api.crawling",
        "DamagedPack": "weft.api.verify",
        "DiskFull": "weft.errors",
        "ExtractSummary": "weft.api.extract",
        "FolderError": "weft.errors",
        "GetFailed": "weft.errors",
        "GetSettings": "weft.settings.keywords",
        "HookRequest": "weft.page",
        "HostExplanation": "weft.explain.result",
        "Kind": "weft.types",
        "Link": "weft.types",
        "Metadata": "weft.page",
        "MirrorSummary": "weft.api.mirror",
        "Outcome": "weft.types",
        "Page": "weft.page",
        "Ranking": "weft.api.rank",
        "Report": "weft.stats.figures",
        "Request": "weft.page",
        "RequestOptions": "weft.page",
        "Retry": "weft.page",
        "Site": "weft.api.site",
        "SiteReport": "weft.site.findings",
        "Stats": "weft.api.stats",
        "Summary": "weft.live.summary",
        "SyncCrawling": "weft.api.crawl_sync",
        "UrlExplanation": "weft.explain.result",
        "Verdict": "weft.api.verify",
        "WeftError": "weft.errors",
        "clean": "weft.api.clean",
        "crawl": "weft.api.crawl",
        "crawl_sync": "weft.api.crawl_sync",
        "explain": "weft.api.explain",
        "export": "weft.api.export",
        "extract": "weft.api.extract",
        "get": "weft.api.get",
        "get_sync": "weft.api.get",
        "mirror": "weft.api.mirror",
        "rank": "weft.api.rank",
        "read": "weft.api.read",
        "report": "weft.api.report",
        "resume": "weft.api.crawl",
        "resume_sync": "weft.api.crawl_sync",
        "site_report": "weft.api.site_report",
        "verify": "weft.api.verify",
    },
)


def __dir__() -> list[str]:
    return __all__
