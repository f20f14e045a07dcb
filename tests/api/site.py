"""A site to crawl from a program, and what such programs need in tests."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

import weft
from tests.pipeline.engine_process import children_of, is_worker
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

SITE = "site.test"
WITHIN_S = 60.0
LOOPS = [pytest.param(asyncio.run, id="asyncio"), pytest.param(uvloop.run, id="uvloop")]

Run = Callable[[Coroutine[Any, Any, None]], None]


def paths_of(pages: int) -> list[str]:
    return [f"/page{number}" for number in range(pages)]


def site(pages: int) -> dict[tuple[str, str], Behaviour]:
    """A home page, and pages that it leads to."""
    paths = paths_of(pages)
    links = "".join(f'<p><a href="{path}">x</a>' for path in paths)
    made: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Fixed(f"<!DOCTYPE html><title>Home</title>{links}".encode())}
    for path in paths:
        made[SITE, path] = Fixed(f"<!DOCTYPE html><title>{path}</title><p>This is {path}.".encode())
    return made


def serving(pages: dict[tuple[str, str], Behaviour]) -> SimProcess:
    return SimProcess(WebSpec(hosts=1, pages=1), pages)


def quick(sim: SimProcess) -> CrawlSettings:
    """A crawl that wastes no time."""
    return {
        "scope": "any",
        "delay": 0.0,
        "connections_per_host": 4,
        "dns_server": (sim.dns,),
        "allow_private": True,
        "retry_wait_scale": 0.02,
        "workers": 1,
    }


def home(sim: SimProcess) -> str:
    return sim.web.url(SITE, "/")


def workers() -> list[int]:
    return [pid for pid in children_of(os.getpid()) if is_worker(pid)]


async def until(holds: Callable[[], bool], what: str, within_s: float = WITHIN_S) -> None:
    give_up_at = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < give_up_at, f"waited in vain: {what}"
        await asyncio.sleep(0.02)


async def all_urls(crawling: weft.Crawling) -> list[str]:
    return [page.url async for page in crawling]


def requests_of(sim: SimProcess) -> dict[str, list[Any]]:
    return dict(sim.log.requests_by_url(sim.http_port))
