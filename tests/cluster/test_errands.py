"""A robots.txt to which another redirects is asked for by its host's owner, and by nobody else."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import uvloop
from nats.aio.client import Client

from tests.pipeline.crawling import CRAWL_WITHIN_S, until
from tests.pipeline.small_web import page, redirect, text
from weft.cluster import control
from weft.cluster.errands import AT_ONCE, Errands
from weft.cluster.holdings import Holding, Holdings, Shares, Stage
from weft.cluster.node import Node
from weft.cluster.servers import Servers
from weft.cluster.shared import open_shared
from weft.config import CrawlConfig
from weft.errors import FetchError, HostGivenUp, HostParked
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimDns, SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Fixed
from weft.types import Fetched, Outcome, Timing
from weft.url import host_of

from .nats_servers import client_of

BUCKETS = 64
URL = "http://site.test/robots.txt"
BUCKET = Shares(BUCKETS).of_host("site.test")
_numbers = count()


def fetched(body: bytes = b"User-agent: *\nDisallow: /x\n", head: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> Fetched:
    headers = ((b"cache-control", b"max-age=60"), (b"location", b"/elsewhere"))
    return Fetched(
        URL, "127.0.0.9", 1.5, b"GET", 200, head, headers, body, None, len(body), True, "time", Timing(1, 2, 3)
    )


class Asked:
    """What a node does when it is asked for a URL."""

    def __init__(self, do: Callable[[str], Awaitable[Fetched]] | None = None) -> None:
        self.urls: list[str] = []
        self._do = do

    async def __call__(self, url: str) -> Fetched:
        self.urls.append(url)
        return fetched() if self._do is None else await self._do(url)


class Table:
    """Who should own the bucket, as both nodes see it."""

    owner = "b"

    def __call__(self, bucket: int) -> str:
        assert bucket == BUCKET
        return self.owner


@asynccontextmanager
async def nodes(
    nats: Servers, asked: dict[str, Asked], table: Table, owned: dict[str, Stage]
) -> AsyncIterator[dict[str, Errands]]:
    """Nodes that serve, of which some hold the bucket."""
    crawl = f"errands-{next(_numbers)}"
    async with client_of(nats.urls) as client:
        errands = {name: Errands(client, crawl, name) for name in asked}
        tasks = []
        for name, one in errands.items():
            one.holdings = Holdings.__new__(Holdings)
            one.holdings.shares, one.holdings.owner_of = Shares(BUCKETS), table
            one.holdings.held = {BUCKET: Holding(1, owned[name])} if name in owned else {}
            tasks.append(asyncio.create_task(one.serve(asked[name])))
        await client.flush()
        try:
            yield errands
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def run(scenario: Any) -> None:
    uvloop.run(asyncio.wait_for(scenario, 60))


def test_a_robots_txt_is_asked_of_the_owner_of_its_host_and_comes_as_it_was(nats: Servers) -> None:
    async def scenario() -> None:
        asked = {"a": Asked(), "b": Asked()}
        async with nodes(nats, asked, Table(), {"b": Stage.OWNED}) as errands:
            assert await errands["a"].ask(URL) == fetched()
        assert (asked["a"].urls, asked["b"].urls) == ([], [URL])

    run(scenario())


def test_the_owner_itself_is_told_to_ask_as_always(nats: Servers) -> None:
    async def scenario() -> None:
        asked = {"b": Asked()}
        async with nodes(nats, asked, Table(), {"b": Stage.OWNED}) as errands:
            assert await errands["b"].ask(URL) is None
        assert asked["b"].urls == []

    run(scenario())


@pytest.mark.parametrize("stage", [None, Stage.REPLAYING, Stage.LEAVING])
def test_who_does_not_own_the_host_yet_or_no_longer_does_not_ask_it_and_is_asked_again(
    nats: Servers, stage: Stage | None
) -> None:
    async def scenario() -> None:
        asked = {"a": Asked(), "b": Asked()}
        table = Table()
        async with nodes(nats, asked, table, {"b": stage} if stage else {}) as errands:
            asking = asyncio.create_task(errands["a"].ask(URL))
            refused = asyncio.Event()
            answer = errands["b"]._is_ours

            def look(url: str) -> bool:
                refused.set()
                return answer(url)

            errands["b"]._is_ours = look  # type: ignore[method-assign]
            await refused.wait()
            assert asked["b"].urls == []
            errands["b"].holdings.held[BUCKET] = Holding(2, Stage.OWNED)
            assert await asking == fetched()

    run(scenario())


def test_who_becomes_the_owner_while_it_asks_asks_the_host_itself(nats: Servers) -> None:
    async def scenario() -> None:
        table = Table()
        table.owner = ""  # nobody's
        async with nodes(nats, {"a": Asked()}, table, {}) as errands:
            asking = asyncio.create_task(errands["a"].ask(URL))
            await asyncio.sleep(0)
            errands["a"].holdings.held[BUCKET] = Holding(2, Stage.OWNED)
            assert await asking is None

    run(scenario())


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (FetchError(Outcome.CONNECT_REFUSED, "by site.test"), Outcome.CONNECT_REFUSED),
        (HostParked("site.test is left"), Outcome.UNREACHABLE),
    ],
)
def test_a_failure_is_told(nats: Servers, error: Exception, outcome: Outcome) -> None:
    async def fail(url: str) -> Fetched:
        raise error

    async def scenario() -> None:
        async with nodes(nats, {"a": Asked(), "b": Asked(fail)}, Table(), {"b": Stage.OWNED}) as errands:
            with pytest.raises(FetchError) as raised:
                await errands["a"].ask(URL)
        assert raised.value.outcome is outcome
        assert "site.test" in raised.value.detail

    run(scenario())


def test_a_host_that_is_given_up_while_it_is_to_be_asked_is_asked_by_its_next_owner(nats: Servers) -> None:
    async def scenario() -> None:
        table = Table()

        async def give_up(url: str) -> Fetched:
            table.owner = "c"
            raise HostGivenUp("site.test is given up")

        asked = {"a": Asked(), "b": Asked(give_up), "c": Asked()}
        async with nodes(nats, asked, table, {"b": Stage.OWNED, "c": Stage.OWNED}) as errands:
            assert await errands["a"].ask(URL) == fetched()
        assert asked["c"].urls == [URL]

    run(scenario())


def test_if_the_asked_node_dies_its_successor_is_asked(nats: Servers) -> None:
    async def scenario() -> None:
        table, begun = Table(), asyncio.Event()

        async def never(url: str) -> Fetched:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        asked = {"a": Asked(), "b": Asked(never), "c": Asked()}
        async with nodes(nats, asked, table, {"b": Stage.OWNED, "c": Stage.OWNED}) as errands:
            asking = asyncio.create_task(errands["a"].ask(URL))
            await begun.wait()
            table.owner = "c"
            assert await asking == fetched()

    run(scenario())


def test_a_node_that_is_asked_for_too_much_is_asked_again_later(nats: Servers) -> None:
    async def scenario() -> None:
        let_go = asyncio.Event()

        async def wait(url: str) -> Fetched:
            await let_go.wait()
            return fetched()

        asked = {"a": Asked(), "b": Asked(wait)}
        async with nodes(nats, asked, Table(), {"b": Stage.OWNED}) as errands:
            asking = [asyncio.create_task(errands["a"].ask(URL)) for _ in range(AT_ONCE + 20)]
            await until(lambda: len(asked["b"].urls) == AT_ONCE)
            let_go.set()
            assert await asyncio.gather(*asking) == [fetched()] * (AT_ONCE + 20)
        assert len(asked["b"].urls) == AT_ONCE + 20

    run(scenario())


def test_a_robots_txt_of_the_largest_size_is_told_and_one_with_an_enormous_head_is_a_failure(nats: Servers) -> None:
    async def scenario() -> None:
        sizes = iter([(512 * 1024, 1_000), (512 * 1024, 600 * 1024)])

        async def large(url: str) -> Fetched:
            body, head = next(sizes)
            return fetched(b"#" * body, b"x" * head)

        async with nodes(nats, {"a": Asked(), "b": Asked(large)}, Table(), {"b": Stage.OWNED}) as errands:
            answer = await errands["a"].ask(URL)
            assert answer is not None
            assert answer.body == b"#" * 512 * 1024
            with pytest.raises(FetchError) as raised:
                await errands["a"].ask(URL)
            assert raised.value.outcome is Outcome.HEAD_TOO_LARGE

    run(scenario())


# ── two nodes ──────────────────────────────────────────────────────────────────────────────────────────

BINDS = {"a": "127.3.0.1", "b": "127.3.0.2"}
HOSTS = [f"site{number}.test" for number in range(8)]
NEXT = {host: HOSTS[(number + 1) % len(HOSTS)] for number, host in enumerate(HOSTS)}


def sites(web: SimWeb) -> dict[tuple[str, str], Fixed]:
    """Each host's robots.txt is on the next host, and forbids one of its two pages."""
    made: dict[tuple[str, str], Fixed] = {}
    for host, other in NEXT.items():
        made[host, "/"] = page("/open", "/closed")
        made[host, "/open"] = made[host, "/closed"] = page()
        made[host, "/robots.txt"] = redirect(web.url(other, f"/rules/{host}/robots.txt"))
        made[other, f"/rules/{host}/robots.txt"] = text("User-agent: *\nDisallow: /closed\n")
    return made


def test_a_host_to_which_a_robots_txt_redirects_is_asked_by_its_owner_only(nats: Servers, tmp_path: Path) -> None:
    log = RequestLog()
    owners: dict[str, str] = {}

    async def scenario() -> list[Ending]:
        nonlocal log
        known = {(host, "/"): Fixed() for host in HOSTS}
        server = SimServer(SimWeb(WebSpec(hosts=1, pages=1), known))
        async with server, SimDns(server.web) as dns, client_of(nats.urls) as one, client_of(nats.urls) as other:
            server.web.custom.update(sites(server.web))
            log = server.log
            config = CrawlConfig(
                seeds=tuple(server.web.url(host, "/") for host in HOSTS),
                delay_s=0.0,
                sitemaps=False,
                dns_servers=(dns.server,),
                allow_private=True,
                workers=1,
            )
            await control.start(one, "two-nodes", config, buckets=BUCKETS, replicas=1, lease_s=20.0)
            await control.pause(one, "two-nodes", paused=True)
            running = []
            for name, client in (("a", one), ("b", other)):
                node = await Node.open(client, "two-nodes", tmp_path / name, name=name, bind=BINDS[name])
                running.append(asyncio.create_task(node.run()))
            await shared_out(one, running)
            _, table = await (await open_shared(one, "two-nodes")).table()
            owners.update({host: table.owner(Shares(BUCKETS).of_host(host)) for host in HOSTS})
            await control.pause(one, "two-nodes", paused=False)
            return list(await asyncio.gather(*running))

    endings = uvloop.run(asyncio.wait_for(scenario(), CRAWL_WITHIN_S))
    assert endings == [Ending.DONE, Ending.DONE]
    clients: dict[str, set[str]] = defaultdict(set)
    for request in log:
        clients[request.host.partition(":")[0]].add(request.client)
    assert {(owners[host], owners[other]) for host, other in NEXT.items()} >= {("a", "b"), ("b", "a")}
    assert clients == {host: {BINDS[owners[host]]} for host in HOSTS}
    paths = {(host_of(f"http://{request.host}/"), request.path) for request in log}
    assert {(host, "/open") for host in HOSTS} <= paths
    assert not {(host, "/closed") for host in HOSTS} & paths
    assert {(other, f"/rules/{host}/robots.txt") for host, other in NEXT.items()} <= paths


async def shared_out(client: Client, running: list[asyncio.Task[Ending]]) -> None:
    """Until each node owns its half."""
    while sorted(node.buckets for node in (await control.status(client, "two-nodes")).nodes) != [32, 32]:
        assert not any(task.done() for task in running)
        await asyncio.sleep(0.1)
