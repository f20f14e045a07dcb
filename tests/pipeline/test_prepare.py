"""Getting an authority ready: when robots.txt is asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from weft.clock import FakeClock
from weft.config import CrawlConfig
from weft.dns import Resolver
from weft.errors import FetchError, HostParked
from weft.fetch import Fetcher, MemoryBudget
from weft.folder.crawl_log import CrawlLog
from weft.frontier import Preparation
from weft.pipeline.context import Context
from weft.pipeline.doors import AllOurs, Owner
from weft.pipeline.network import Network
from weft.pipeline.pace import Pace
from weft.pipeline.prepare import RULES_BYTES, RULES_ENTRY_BYTES, Keeper, Preparer, RobotsUnreachable
from weft.robots import Rules, parse_robots
from weft.state import State
from weft.stats import Counters
from weft.types import Fetched, Outcome, Timing
from weft.workers.turnstile import Turnstile

HOST, AUTHORITY = "127.0.0.1", "http://127.0.0.1:8000"
HOUR_S = 3600.0


class Server:
    """Answers for the fetcher, and counts."""

    asks_by_name = False

    def cookies_for(self, url: str) -> bytes:
        return b""

    def __init__(self, crawl_delay_s: float) -> None:
        self.asked = 0
        self.body = f"User-agent: *\nCrawl-delay: {crawl_delay_s:.0f}\n".encode()

    async def fetch(self, url: str, *_: object, **__: object) -> Fetched:
        self.asked += 1
        return answer(url, self.body, (b"cache-control", b"max-age=3600"))


def answer(url: str, body: bytes, header: tuple[bytes, bytes], status: int = 200) -> Fetched:
    return Fetched(url, HOST, 0.0, b"", status, b"", (header,), body, None, len(body), False, None, Timing())


class Nobody:
    """Keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


@asynccontextmanager
async def any_time(host: str, addresses: tuple[str, ...]) -> AsyncIterator[tuple[str, ...]]:
    yield addresses


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "db")
    yield state
    state.close()


@asynccontextmanager
async def at_no_time(host: str, addresses: tuple[str, ...]) -> AsyncIterator[tuple[str, ...]]:
    raise HostParked(f"{host} is left for another run")
    yield addresses


def preparer_of(
    state: State,
    clock: FakeClock,
    server: Server,
    rules_bytes: int = RULES_BYTES,
    owner: Owner | None = None,
    pace: Pace | None = None,
) -> Preparer:
    config = CrawlConfig(seeds=(f"{AUTHORITY}/",), allow_private=True)
    return Preparer(
        Context(config, clock, state, Counters(), cast("CrawlLog", None)),
        Network(
            cast("Fetcher", server),
            MemoryBudget(1_000_000),
            Resolver(["127.0.0.1"], clock=clock),
            Turnstile(1, clock),
            pace or Pace(None),
        ),
        owner or AllOurs(),
        rules_bytes,
    )


def asked_after(state: State, crawl_delay_s: float, *waits_s: float) -> list[int]:
    """How often robots.txt was asked for in all, at first and after each wait."""

    async def prepare() -> list[int]:
        clock, server = FakeClock(), Server(crawl_delay_s)
        preparer = preparer_of(state, clock, server)
        asked = []
        for wait_s in (0.0, *waits_s):
            clock.advance(wait_s)
            await preparer.prepare(Preparation(HOST, AUTHORITY), any_time, cast("Keeper", Nobody()))
            asked.append(server.asked)
        return asked

    return asyncio.run(prepare())


def test_a_robots_txt_is_asked_for_again_when_its_time_is_over(state: State) -> None:
    assert asked_after(state, 1.0, 0.9 * HOUR_S, 0.2 * HOUR_S) == [1, 1, 2]


def test_a_robots_txt_whose_delay_is_longer_than_it_holds_leaves_room_for_a_page_before_it_is_asked_for_again(
    state: State,
) -> None:
    delay_s = 2 * HOUR_S
    assert asked_after(state, delay_s, delay_s, 0.9 * delay_s, 0.2 * delay_s) == [1, 1, 1, 2]


class BreakingOff(Server):
    """Sends a part of its answer."""

    async def fetch(self, url: str, *_: object, **__: object) -> Fetched:
        head = b"HTTP/1.1 200 OK\r\n\r\n".ljust(100)
        partial = Fetched(url, HOST, 0.0, b"", 200, head, (), None, None, 900, False, "disconnect", Timing())
        raise FetchError(Outcome.RESET, partial=partial)


def test_the_bandwidth_counts_a_robots_txt_also_if_it_breaks_off(state: State) -> None:
    async def prepare() -> tuple[float, float]:
        clock, pace = FakeClock(), Pace(None, bandwidth=100.0)
        broken = preparer_of(state, clock, BreakingOff(1.0), pace=pace)
        with pytest.raises(RobotsUnreachable):
            await broken.prepare(Preparation(HOST, AUTHORITY), any_time, cast("Keeper", Nobody()))
        first_s = pace.wait_s(clock.monotonic())
        clock.advance(HOUR_S)
        whole = preparer_of(state, clock, server := Server(1.0), pace=pace)
        await whole.prepare(Preparation(HOST, AUTHORITY), any_time, cast("Keeper", Nobody()))
        return first_s, pace.wait_s(clock.monotonic()) - len(server.body) / 100.0

    assert asyncio.run(prepare()) == pytest.approx((10.0, 0.0), abs=0.02)


def test_a_host_that_is_blocked_before_its_robots_txt_came_is_asked_for_it_after_the_block(state: State) -> None:
    async def prepare() -> int:
        server = Server(1.0)
        preparer, keeper = preparer_of(state, FakeClock(), server), cast("Keeper", Nobody())
        with pytest.raises(HostParked):
            await preparer.prepare(Preparation(HOST, AUTHORITY), at_no_time, keeper)
        await preparer.prepare(Preparation(HOST, AUTHORITY), any_time, keeper)
        return server.asked

    assert asyncio.run(prepare()) == 1


def test_rules_are_kept_by_what_they_take_and_read_again_from_their_row_when_they_have_left(state: State) -> None:
    async def prepare() -> None:
        server = Server(1.0)
        room_for_three = 3 * (RULES_ENTRY_BYTES + parse_robots(server.body, "weft").size_bytes)
        preparer = preparer_of(state, FakeClock(), server, room_for_three)
        authorities = [f"http://{HOST}:{port}" for port in range(8000, 8010)]
        known = []
        for authority in (*authorities, *3 * authorities[-1:]):
            await preparer.prepare(Preparation(HOST, authority), any_time, cast("Keeper", Nobody()))
            known.append(preparer.rules_known)
        assert known == [1, 2, 3] + 10 * [3], "one that is prepared again counts once"
        assert preparer.allows(authorities[0], "/")
        assert server.asked == len(authorities)

    asyncio.run(prepare())


def test_a_long_robots_txt_is_read_once_and_not_each_time_that_its_rules_have_left(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def counted(body: bytes, product_token: str) -> Rules:
        read.append(product_token)
        return parse_robots(body, product_token)

    monkeypatch.setattr("weft.robots.access.parse_robots", counted)

    async def prepare() -> None:
        server = Server(1.0)
        server.body += b"".join(b"Disallow: /a%d/\n" % number for number in range(2_000))
        preparer = preparer_of(state, FakeClock(), server, rules_bytes=1)
        authorities = [f"http://{HOST}:{port}" for port in (8000, 8001)]
        for authority in 3 * authorities:
            await preparer.prepare(Preparation(HOST, authority), any_time, cast("Keeper", Nobody()))
        assert [preparer.allows(authority, "/a7/x") for authority in authorities] == [False, False]
        assert preparer.allows(authorities[0], "/a")
        assert server.asked == len(read) == len(authorities)

    asyncio.run(prepare())


def test_a_robots_txt_that_another_engine_must_ask_for_with_its_cookie_is_obeyed(state: State) -> None:
    there = "http://127.0.0.2/robots.txt"

    class Moved(Server):
        async def fetch(self, url: str, *_: object, **__: object) -> Fetched:
            return answer(url, b"", (b"location", there.encode()), 302)

    class Elsewhere(AllOurs):
        asked = 0

        async def fetched_elsewhere(self, url: str) -> Fetched | None:
            self.asked += 1
            if self.asked == 1:  # its cookie is the other engine's
                return answer(url, b"", (b"location", there.encode()), 302)
            return answer(url, b"User-agent: *\nDisallow: /a", (b"age", b"0"))

    async def prepare() -> bool:
        preparer = preparer_of(state, FakeClock(), Moved(1.0), owner=Elsewhere())
        await preparer.prepare(Preparation(HOST, AUTHORITY), any_time, cast("Keeper", Nobody()))
        return preparer.allows(AUTHORITY, "/a")

    assert not asyncio.run(prepare())
