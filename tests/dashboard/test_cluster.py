"""A cluster's crawl on the same page, with a real NATS server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from nats.aio.client import Client
from playwright.sync_api import Browser, expect

from tests.cluster.nats_servers import client_of, connected, single_server
from weft.cluster import control
from weft.cluster.members import Counts, Member, new_life
from weft.cluster.servers import Servers
from weft.cluster.shared import open_shared
from weft.config import CrawlConfig
from weft.dashboard.cluster import ClusterSource

from .browser import AXE, WITHIN_MS, watching
from .serving import Served, serving

__all__ = ["single_server"]

HOSTILE = "<img src=x onerror=window.pwned=1>"


def ask(servers: Servers, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with client_of(servers.urls) as client:
            return await work(client)

    with ThreadPoolExecutor(1) as thread:  # in this one the browser's loop runs
        return thread.submit(asyncio.run, run()).result()


async def prepare(client: Client) -> None:
    """A crawl with two nodes."""
    await control.start(client, "shown", CrawlConfig(seeds=("http://a.test/",)), replicas=1)
    shared = await open_shared(client, "shown")
    for name, pages in (("loom", 1_234), ("reel", 2_000)):
        member = Member(
            new_life(1), folder=name, address=HOSTILE, weight=100, buckets=128,
            counts=Counts(pages=pages, queued=77, sent=9, received=8, unsent=3), sent_to={"loom": 5, "reel": 40, "": 2},
        )  # fmt: skip
        await shared.write_member(name, member, 0)


@pytest.fixture(scope="module")
def served(nats: Servers) -> Iterator[Served]:
    ask(nats, prepare)
    with serving(ClusterSource("shown", lambda: connected(nats.urls))) as running:
        yield running


def test_nodes_and_the_matrix_of_links_are_shown_and_the_cluster_is_steered(
    browser: Browser, served: Served, nats: Servers
) -> None:
    def status() -> control.Status:
        found = ask(nats, lambda client: control.status(client, "shown"))
        return msgspec.convert(msgspec.to_builtins(found), control.Status)

    with watching(browser, served.link, bypass_csp=True) as watched:
        page = watched.page
        expect(page.locator("#k-pages")).to_have_text("3,234", timeout=WITHIN_MS)
        assert page.locator("#t-nodes tbody tr:visible").count() == 2
        matrix = page.locator("#t-matrix").inner_text()
        assert ("nobody" in matrix, "40" in matrix) == (True, True)
        assert not page.locator("#f-pages").is_visible()
        page.locator("#pause").click()
        expect(page.locator("#state")).to_have_text("paused", timeout=WITHIN_MS)
        assert status().paused
        page.locator("#pause").click()
        expect(page.locator("#state")).to_have_text("running", timeout=WITHIN_MS)
        page.locator("#w-drain").fill("reel")
        page.locator("form[data-wish=drain] button").click()
        expect(page.locator("#t-nodes")).to_contain_text("drained", timeout=WITHIN_MS)
        page.locator("#w-back").fill("reel")
        page.locator("form[data-wish=back] button").click()
        expect(page.locator("#t-nodes")).not_to_contain_text("drained", timeout=WITHIN_MS)
        page.locator("#k-seeds").fill("http://b.test/")
        page.locator("form[data-wish=seeds]:visible button").click()
        expect(page.locator("#cluster-said")).to_have_text("Told: seeds added, 1.", timeout=WITHIN_MS)
        page.locator("#w-drain").fill("nobody-of-this-name")
        assert watched.complaints == []
        page.locator("form[data-wish=drain] button").click()
        expect(page.locator("#cluster-said")).to_contain_text("there is no node named", timeout=WITHIN_MS)
        if AXE.exists():
            assert watched.violations() == []
        page.locator("#stop").click()
        page.locator("#sure-yes").click()
        expect(page.locator("#state")).to_have_text("stopped", timeout=WITHIN_MS)
        assert status().stopped
        assert page.evaluate("() => window.pwned") is None
        assert watched.hosts() == {"127.0.0.1"}


def test_a_crawl_that_is_not_there_is_told(nats: Servers) -> None:
    with serving(ClusterSource("absent", lambda: connected(nats.urls))) as served:
        assert served.ask("/status")[0] == 404
        assert served.ask("/metrics")[0] == 404
        assert served.tell({"type": "pause"})[0] == 400
