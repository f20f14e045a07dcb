"""`weft.crawl(url, hosts={…})`: settings by host from a program."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import weft
from tests.api.site import SITE, WITHIN_S, home, quick, serving, site
from weft.errors import BadInput
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess


async def crawled(sim: SimProcess, hosts: Any) -> set[str]:
    async with asyncio.timeout(WITHIN_S):
        settings: CrawlSettings = {**quick(sim), "hosts": hosts}
        return {page.url async for page in weft.crawl(home(sim), **settings)}


def test_settings_by_host_are_a_mapping_in_python_and_a_mistake_in_it_is_told() -> None:
    with serving(site(3)) as sim:
        urls = asyncio.run(crawled(sim, {f"*.{SITE.upper()}": {"exclude": "/page1", "delay": "1ms"}}))
        assert urls == {sim.web.url(SITE, path) for path in ("/", "/page0", "/page2")}
        with pytest.raises(BadInput, match=r"the setting hosts: .*'dealy'; the nearest known key is 'delay'"):
            asyncio.run(crawled(sim, {SITE: {"dealy": 5}}))
