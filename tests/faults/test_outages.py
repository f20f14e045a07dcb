"""No name server, network or proxy for a while: hosts are left for later with the reason, and nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import uvloop

from tests.fetch.rig import serving
from tests.fetch.test_socks import SmallSocks
from tests.pipeline.crawling import CRAWL_WITHIN_S, CrawlFiles, assert_fetched_the_truth, until
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import WebSpec

from .outages import FrailWeb, finish, run_meanwhile

WEB = WebSpec(hosts=15, pages=100, seed=4, latency_ms=(5, 30))


def test_a_name_server_that_is_gone_for_a_moment_costs_nothing(tmp_path: Path) -> None:
    """Shorter than the patience with a host: the crawl goes on by itself."""

    async def crawl_through_it() -> Ending:
        async with FrailWeb(WEB) as frail:
            crawl = Crawl.create(tmp_path / "crawl", frail.config(retry_wait_scale=0.2))
            await frail.lose_name_server()
            running = await run_meanwhile(crawl, lambda: "dns-failed" in getattr(crawl.progress(), "rests", ()))
            await frail.restore_name_server()
            ending = await running
            assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), frail.web.truth())
            return ending

    assert uvloop.run(asyncio.wait_for(crawl_through_it(), CRAWL_WITHIN_S)) is Ending.DONE


def test_hosts_that_no_name_server_knows_are_left_for_later_and_resume_completes_them(tmp_path: Path) -> None:
    async def crawl_through_it() -> None:
        async with FrailWeb(WEB) as frail:
            crawl = Crawl.create(tmp_path / "crawl", frail.config(retry_wait_scale=0.005))
            running = await run_meanwhile(crawl, lambda: crawl.counters.pages >= 10)
            await frail.lose_name_server()
            assert await running is Ending.LIMIT
            assert set(crawl.parked_hosts.values()) == {"dns-failed"}
            assert {row.outcome for row in CrawlFiles(tmp_path / "crawl").rows} == {"response"}
            await frail.restore_name_server()
            assert await Crawl.resume(tmp_path / "crawl").run() is Ending.DONE
            truth = frail.web.truth()
            assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
            assert frail.answered() == dict.fromkeys(truth.fetchable, 1)

    uvloop.run(asyncio.wait_for(crawl_through_it(), CRAWL_WITHIN_S))


@pytest.mark.parametrize("connections", [1, 4])
def test_a_network_that_is_gone_for_a_moment_costs_nothing(connections: int, tmp_path: Path) -> None:
    async def crawl_through_it() -> Ending:
        async with FrailWeb(WEB) as frail:
            crawl = Crawl.create(
                tmp_path / "crawl", frail.config(retry_wait_scale=0.3, connections_per_host=connections)
            )
            running = await run_meanwhile(crawl, lambda: crawl.counters.pages >= 10)
            await frail.lose_network()
            lost_at = crawl.counters.retries
            await until(lambda: crawl.counters.retries >= lost_at + 3 or running.done())
            await frail.restore_network()
            ending = await running
            assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), frail.web.truth())
            return ending

    assert uvloop.run(asyncio.wait_for(crawl_through_it(), CRAWL_WITHIN_S)) is Ending.DONE


@pytest.mark.parametrize("pages", [10, *(pytest.param(pages, marks=pytest.mark.large) for pages in (1, 40, 80))])
def test_what_failed_without_a_network_is_tried_again_by_resume(pages: int, tmp_path: Path) -> None:
    async def crawl_through_it() -> None:
        async with FrailWeb(WEB) as frail:
            crawl = Crawl.create(tmp_path / "crawl", frail.config(retry_wait_scale=0.005))
            running = await run_meanwhile(crawl, lambda: crawl.counters.pages >= pages)
            await frail.lose_network()
            assert await running is Ending.LIMIT
            assert crawl.parked_hosts
            before = CrawlFiles(tmp_path / "crawl").responses()
            await frail.restore_network()
            assert await finish(tmp_path / "crawl") is Ending.DONE
            truth = frail.web.truth()
            files = CrawlFiles(tmp_path / "crawl")
            assert_fetched_the_truth(files, truth)
            assert {url: times for url, times in frail.answered().items() if url in before} == dict.fromkeys(before, 1)

    uvloop.run(asyncio.wait_for(crawl_through_it(), CRAWL_WITHIN_S))


def test_a_proxy_that_is_gone_uses_up_no_url_and_resume_completes_the_crawl(tmp_path: Path) -> None:
    async def crawl_through_it() -> None:
        async with FrailWeb(WEB) as frail:
            proxy = SmallSocks()
            proxy.server_port = frail.web.port
            async with serving(proxy) as proxy_server:
                config = frail.config(proxy=f"socks5://127.0.0.1:{proxy_server.port}", retry_wait_scale=0.005)
                crawl = Crawl.create(tmp_path / "crawl", config)
                running = await run_meanwhile(crawl, lambda: crawl.counters.pages >= 10)
            assert await running is Ending.LIMIT
            assert {why.endswith(("proxy-failed", "(proxy-failed)")) for why in crawl.parked_hosts.values()} == {True}
            assert {row.outcome for row in CrawlFiles(tmp_path / "crawl").rows} == {"response"}
            async with serving(proxy, port=proxy_server.port):
                assert await Crawl.resume(tmp_path / "crawl").run() is Ending.DONE
            assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), frail.web.truth())

    uvloop.run(asyncio.wait_for(crawl_through_it(), CRAWL_WITHIN_S))
