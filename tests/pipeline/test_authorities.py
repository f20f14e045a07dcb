"""One scheme or port of a host that cannot be asked keeps back its own URLs only; one lost name, no URL at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import pytest
import uvloop

from tests.ports import closed_port, free_port
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec, SimDns, SimWeb, WebSpec
from weft.simweb.behaviour import TlsFault

from .crawling import CRAWL_WITHIN_S, CrawlFiles, until
from .small_web import Sites, SmallWeb, page

HOST = "127.0.0.1"
PAGES = 40

Answer = Callable[[str], tuple[int, str]]  # of a path: status and body


class Server:
    """A web server at a port of this machine, for as long as the `async with` lasts."""

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self._answer = answer
        self.port = port
        self.asked: list[str] = []

    @property
    def authority(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, HOST, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        self.asked.append(path)
        status, body = self._answer(path)
        kind = "text/plain" if path == "/robots.txt" else "text/html"
        headers = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close"
        writer.write(f"HTTP/1.1 {status} x\r\n{headers}\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()


def site(*more: str) -> Answer:
    """A home page that links to other places first, then to pages of its own."""
    links = [*more, *(f"/{number}" for number in range(PAGES))]
    home = "".join(f'<a href="{link}">x</a>' for link in links)

    def answer(path: str) -> tuple[int, str]:
        return (404, "") if path == "/robots.txt" else (200, home if path == "/" else f"<p>{path}")

    return answer


def without_robots(path: str) -> tuple[int, str]:
    """A server that answers, but not for its robots.txt."""
    return (500, "") if path == "/robots.txt" else (200, f"<p>{path}")


def config(seed: str, **changes: Any) -> CrawlConfig:
    """A crawl that wastes no time."""
    quick = CrawlConfig(
        seeds=(seed,),
        scope="any",
        delay_s=0.0,
        allow_private=True,
        connect_timeout_s=2.0,
        response_timeout_s=2.0,
        retry_wait_scale=0.002,
        max_host_wait_s=0.5,
        workers=1,
    )
    return msgspec.structs.replace(quick, **changes)


def within(coroutine: Any) -> None:
    """Run a test that waits for what it needs."""
    uvloop.run(asyncio.wait_for(coroutine, CRAWL_WITHIN_S))


def pages_of(folder: Path, authority: str) -> int:
    """How many pages of an authority a crawl has."""
    return sum(url.startswith(f"{authority}/") for url in CrawlFiles(folder).responses())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_port_where_nobody_listens_is_left_and_the_rest_of_its_host_completed(tmp_path: Path, scheme: str) -> None:
    dead = f"{scheme}://{HOST}:{closed_port()}"

    async def crawl() -> None:
        async with Server(site(f"{dead}/a", f"{dead}/b")) as server:
            first = Crawl.create(tmp_path / "crawl", config(f"{server.authority}/"))
            assert await first.run() is Ending.LIMIT
            assert first.parked_hosts == {dead: "robots.txt is unreachable (connect-refused)"}
            assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
            second = Crawl.resume(tmp_path / "crawl")
            assert await second.run() is Ending.LIMIT
            assert list(second.parked_hosts) == [dead]
            assert (second.counters.queued, len(CrawlFiles(tmp_path / "crawl").rows)) == (2, 1 + PAGES)

    within(crawl())


@pytest.mark.parametrize("ignore_robots", [False, True])
def test_a_port_that_was_left_is_crawled_by_the_run_that_finds_it_well(tmp_path: Path, ignore_robots: bool) -> None:
    async def crawl() -> None:
        port = free_port()
        dead = f"http://{HOST}:{port}"
        async with Server(site(*(f"{dead}/{number}" for number in range(8)))) as server:
            first = Crawl.create(tmp_path / "crawl", config(f"{server.authority}/", ignore_robots=ignore_robots))
            assert await first.run() is Ending.LIMIT
            assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
            async with Server(site(), port):
                assert await Crawl.resume(tmp_path / "crawl").run() is Ending.DONE
        assert pages_of(tmp_path / "crawl", dead) == 8

    within(crawl())


def test_a_port_whose_robots_txt_fails_is_left_and_the_rest_of_its_host_completed(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with Server(without_robots) as bad, Server(site(f"{bad.authority}/a")) as server:
            crawl = Crawl.create(tmp_path / "crawl", config(f"{server.authority}/"))
            assert await crawl.run() is Ending.LIMIT
            assert crawl.parked_hosts == {bad.authority: "robots.txt is unreachable (500)"}
            assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
            assert set(bad.asked) == {"/robots.txt"}

    within(crawl())


def test_a_wrong_certificate_is_no_trouble_of_the_hosts_http(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        links = [web.url("site.test", f"/{number}", ("http", "https")[number % 2]) for number in range(30)]
        return {("site.test", "/"): page(*links)} | {("site.test", f"/{number}"): page() for number in range(30)}

    web = SmallWeb(("site.test",), sites, tls_faults={"site.test": TlsFault.WRONG_HOST}, https=True)
    ending, files = web.crawl(tmp_path / "crawl", "site.test")
    assert ending is Ending.LIMIT
    assert len(files.responses()) == 1 + 15
    assert list(web.parked) == [web.url("site.test", "", "https")]


def test_a_port_whose_robots_txt_hangs_holds_nobody_up_for_longer_than_its_requests(tmp_path: Path) -> None:
    async def crawl() -> None:
        release = asyncio.Event()

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await release.wait()
            writer.close()

        silent = await asyncio.start_server(hang, HOST, 0)
        dead = f"http://{HOST}:{silent.sockets[0].getsockname()[1]}"
        async with Server(site(f"{dead}/a")) as server:
            crawl = Crawl.create(tmp_path / "crawl", config(f"{server.authority}/", response_timeout_s=0.3))
            assert await crawl.run() is Ending.LIMIT
        assert crawl.parked_hosts == {dead: "robots.txt is unreachable (response-timeout)"}
        assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
        release.set()
        silent.close()

    within(crawl())


@pytest.mark.parametrize("returns", [True, False])
def test_a_port_that_dies_in_the_middle_holds_up_nobody_else(tmp_path: Path, returns: bool) -> None:
    async def crawl() -> None:
        other = Server(site())
        async with other:
            frail = f"http://{HOST}:{other.port}"
            async with Server(site(*(f"{frail}/{number}" for number in range(20)))) as server:
                settings = config(f"{server.authority}/", retry_wait_scale=0.05, max_host_wait_s=60.0)
                crawl = Crawl.create(tmp_path / "crawl", settings)
                running = asyncio.create_task(crawl.run())
                await until(lambda: len(other.asked) >= 5 or running.done())
                await other.__aexit__(None, None, None)
                await until(lambda: crawl.counters.retries > 0 or running.done())
                if returns:
                    async with Server(site(), other.port):
                        assert await running is Ending.DONE
                else:
                    assert await running is Ending.LIMIT
                    assert crawl.parked_hosts == {frail: "connect-refused"}
                    assert crawl.counters.failed == {}
                assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
        assert (pages_of(tmp_path / "crawl", frail) == 20) is returns

    within(crawl())


def test_a_page_of_ten_thousand_links_to_a_dead_port_of_its_host_stalls_nobody(tmp_path: Path) -> None:
    dead = f"http://{HOST}:{closed_port()}"

    async def crawl() -> None:
        async with Server(site(*(f"{dead}/{number}" for number in range(10_000)))) as server:
            crawl = Crawl.create(tmp_path / "crawl", config(f"{server.authority}/"))
            assert await crawl.run() is Ending.LIMIT
            assert list(crawl.parked_hosts) == [dead]
            assert pages_of(tmp_path / "crawl", server.authority) == 1 + PAGES
            assert crawl.counters.queued == 10_000

    within(crawl())


def test_the_rules_of_one_port_do_not_hold_for_another(tmp_path: Path) -> None:
    """Half of a host's pages are on a second port, which has a robots.txt of its own; the first port has none."""

    def strict(path: str) -> tuple[int, str]:
        return (200, "User-agent: *\nDisallow: /3") if path == "/robots.txt" else (200, f"<p>{path}")

    async def crawl() -> None:
        async with Server(strict) as second:
            links = [f"{second.authority}/{number}" for number in range(PAGES)]
            async with Server(site(*links)) as first:
                crawl = Crawl.create(tmp_path / "crawl", config(f"{first.authority}/"))
                assert await crawl.run() is Ending.DONE
                assert pages_of(tmp_path / "crawl", first.authority) == 1 + PAGES
                allowed = [link for link in links if not link.rpartition("/")[2].startswith("3")]
                assert pages_of(tmp_path / "crawl", second.authority) == len(allowed)

    within(crawl())


# ── names ──────────────────────────────────────────────────────────────────────────────────────────────

NAME = "named.test"
ONE_PAGE = SimWeb(WebSpec(hosts=1, pages=1))


class JumpingClock(Clock):
    """The real clocks, moved ahead at will: addresses hold for a minute at least."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def wall(self) -> float:
        return super().wall() + self.ahead_s

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


async def crawl_a_name(folder: Path, answers: tuple[tuple[str, ...], ...], *, is_resumed: bool) -> Crawl:
    """Crawl a host whose name is looked up again after ten pages, by the same run or the next one."""
    async with Server(site()) as server, SimDns(ONE_PAGE, DnsSpec(ttl_s=0, answers={NAME: answers})) as names:
        clock = JumpingClock()
        settings = config(f"http://{NAME}:{server.port}/", dns_servers=(names.server,))
        if is_resumed:
            assert await Crawl.create(folder, msgspec.structs.replace(settings, max_pages=10)).run() is Ending.LIMIT
            crawl = Crawl.resume(folder, max_pages=None)
            await crawl.run()
            return crawl
        crawl = Crawl.create(
            folder, msgspec.structs.replace(settings, delay_s=0.02), clock
        )  # so that ten are seen in time
        running = asyncio.create_task(crawl.run())
        await until(lambda: crawl.counters.pages >= 10 or running.done())
        clock.ahead_s = 1000.0
        await running
        return crawl


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_name_that_is_not_found_once_costs_a_host_that_has_answered_nothing(tmp_path: Path, is_resumed: bool) -> None:
    async def crawl() -> None:
        crawl = await crawl_a_name(tmp_path / "crawl", ((HOST,), (), (HOST,)), is_resumed=is_resumed)
        assert crawl.ending is Ending.DONE
        assert len(CrawlFiles(tmp_path / "crawl").responses()) == 1 + PAGES

    within(crawl())


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_host_that_has_answered_and_is_not_found_again_and_again_is_left_and_its_urls_do_not_fail(
    tmp_path: Path, is_resumed: bool
) -> None:
    async def crawl() -> None:
        crawl = await crawl_a_name(tmp_path / "crawl", ((HOST,), ()), is_resumed=is_resumed)
        assert crawl.ending is Ending.LIMIT
        assert crawl.parked_hosts == {NAME: "dns-not-found"}
        assert crawl.counters.failed == {}
        assert crawl.counters.queued == 1 + PAGES - len(CrawlFiles(tmp_path / "crawl").rows)

    within(crawl())


def test_a_host_with_a_dead_address_beside_a_good_one_is_completed(tmp_path: Path) -> None:
    async def crawl() -> None:
        crawl = await crawl_a_name(tmp_path / "crawl", (("127.0.0.99", HOST),), is_resumed=True)
        assert crawl.ending is Ending.DONE
        assert len(CrawlFiles(tmp_path / "crawl").responses()) == 1 + PAGES

    within(crawl())


def test_a_host_that_never_answered_and_is_not_found_fails(tmp_path: Path) -> None:
    async def crawl() -> None:
        async with SimDns(ONE_PAGE, DnsSpec(answers={NAME: ((),)})) as names:
            crawl = Crawl.create(tmp_path / "crawl", config(f"http://{NAME}/", dns_servers=(names.server,)))
            await crawl.run()
        assert crawl.counters.failed == {"dns-not-found": 1}

    within(crawl())
