"""The settings that mean something where a single page is fetched: `weft get`, `weft shell`, `weft.get`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from weft.errors import BadInput
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.values import read_keywords

_NAMES: Final = frozenset({
    "max-time", "user-agent", "robots-agent", "ignore-robots", "allow-private", "hosts", "dns-server", "header", "auth",
    "cookies", "keep-cookies", "proxy", "bind", "insecure", "ca-file", "max-body", "max-redirects", "connect-timeout",
    "response-timeout", "idle-timeout",
})  # fmt: skip

_DEFAULTS: Final = {"max-time": "5min", "max-body": "64Mi"}  # where they are not those of a crawl

ONE_PAGE_SETTINGS: Final = tuple(
    msgspec.structs.replace(setting, default_text=_DEFAULTS.get(setting.name, setting.default_text))
    for setting in CRAWL_SETTINGS
    if setting.name in _NAMES
)
_OTHERS: Final = frozenset(setting.keyword for setting in CRAWL_SETTINGS) - {one.keyword for one in ONE_PAGE_SETTINGS}


def read_one_page_keywords(given: Mapping[str, object]) -> dict[str, Any]:
    """The fields of CrawlConfig that a program's keywords mean; BadInput where they mean nothing for one page."""
    for keyword in given:
        if keyword in _OTHERS:
            raise BadInput(f"the setting {keyword!r} is for crawls, and means nothing where one page is fetched")
    return read_keywords(given, ONE_PAGE_SETTINGS)
