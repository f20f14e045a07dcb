"""Private networks are refused, however they are reached and written.

Nothing public can be asked in a test. So what looks public here is asked of a SOCKS5 proxy on loopback, which stands
in for the whole Internet; names are still looked up, and judged, as without one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from weft.clock import FakeClock
from weft.config import CrawlConfig
from weft.dns import Resolver
from weft.errors import FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget
from weft.folder.crawl_log import CrawlLog
from weft.frontier import Preparation
from weft.pipeline.context import Context
from weft.pipeline.doors import AllOurs
from weft.pipeline.engine import Ending
from weft.pipeline.network import Network
from weft.pipeline.pace import Pace
from weft.pipeline.prepare import Preparer
from weft.simweb import DnsSpec, SimDns, SimProcess, SimWeb, WebSpec
from weft.state import State
from weft.stats import Counters
from weft.types import Fetched, Outcome
from weft.workers.turnstile import Turnstile

from .crawling import crawl_all, quick_config
from .internet import PUBLIC, Internet
from .small_web import page, redirect

ONE_PAGE = WebSpec(hosts=1, pages=1)
# Each leads to this machine or to somebody's own network.
DISGUISES = (
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0", "127.0.0.1.",
    "%31%32%37.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::7f00:1]", "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::1]", "localhost", "LOCALHOST", "a.localhost",
    "10.1", "192.168.257", "169.254.169.254", "[fe80::1]", "[fd00::a]", "100.64.0.1",
    "inside.test", "mapped.test",
)  # fmt: skip
PRIVATE_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "inside.test": (("10.0.0.1",),),
    "mapped.test": (("::ffff:127.0.0.1",),),
}


# ── seeds ──


def test_seeds_in_a_private_network_are_refused_in_every_disguise(tmp_path: Path) -> None:
    with SimProcess(ONE_PAGE, dns=DnsSpec(answers=PRIVATE_NAMES)) as sim:
        seeds = tuple(f"http://{host}:{sim.http_port}/{number}" for number, host in enumerate(DISGUISES))
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, seeds=seeds, allow_private=False))
    assert ending is Ending.SEEDS_FAILED
    assert len(files.rows) == len(DISGUISES)
    assert {row.url: row.outcome for row in files.rows if row.outcome != "private-address"} == {}
    assert (list(sim.log), sim.connections_accepted) == ([], 0)


# ── links, redirects, robots.txt ──


def test_links_and_redirects_into_a_private_network_are_refused_in_every_disguise(tmp_path: Path) -> None:
    # Each on a path of its own: disguises of the same address would else be the same URL.
    links = [f"http://{host}/{number}/link" for number, host in enumerate(DISGUISES)]
    hops = {f"http://public.test/hop{number}": redirect(link + "ed") for number, link in enumerate(links)}
    pages = {"http://public.test/": page(*links, *hops), **hops}
    internet = Internet(pages)
    dns = DnsSpec(answers=PRIVATE_NAMES | {"public.test": ((PUBLIC,),)})
    crawl, files = internet.crawl(tmp_path / "crawl", "http://public.test/", dns)
    assert crawl.ending is Ending.DONE
    assert files.responses() == {"http://public.test/": 200} | dict.fromkeys(hops, 302)
    refused = [row.url for row in files.rows if row.outcome == "private-address"]
    assert len(refused) == 2 * len(DISGUISES)
    assert len(files.rows) == 1 + 3 * len(DISGUISES)
    # Not even their robots.txt was asked for.
    assert set(internet.asked) == {"http://public.test/robots.txt", *pages}


def test_a_robots_txt_that_redirects_into_a_private_network_is_not_followed_there(tmp_path: Path) -> None:
    internet = Internet(
        {
            "http://public.test/robots.txt": redirect("http://0x7f.1/robots.txt"),
            "http://public.test/": page(),
        }
    )
    dns = DnsSpec(answers={"public.test": ((PUBLIC,),)})
    crawl, files = internet.crawl(tmp_path / "crawl", "http://public.test/", dns)
    assert internet.asked == ["http://public.test/robots.txt"]
    assert crawl.parked_hosts == {"http://public.test": "robots.txt is unreachable (private-address)"}
    assert files.rows == []


# ── names whose answers are mixed, or change ──


@asynccontextmanager
async def preparer(folder: Path, clock: FakeClock, dns: DnsSpec, **settings: Any) -> AsyncIterator[Preparer]:
    """What looks up a host before its first request; it makes none itself."""
    config = CrawlConfig(ignore_robots=True, **settings)
    async with SimDns(SimWeb(ONE_PAGE), dns) as names:
        resolver = Resolver([names.server], clock=clock, hosts={})
        state = State(folder / "state")
        budget = MemoryBudget()
        fetcher = Fetcher(FetchConfig(), budget, folder, clock)
        try:
            with closing(CrawlLog(folder / "crawl.log", ())) as log:
                context = Context(config, clock, state, Counters(), log)
                yield Preparer(context, Network(fetcher, budget, resolver, Turnstile(8, clock), Pace(None)), AllOurs())
        finally:
            await fetcher.close()
            await resolver.close()
            state.close()


def look_up(folder: Path, answers: tuple[tuple[str, ...], ...], times: int = 1, **settings: Any) -> list[Any]:
    """The addresses that a host may be asked at, or the Outcome that says why not, each time a day later."""

    async def look() -> list[Any]:
        clock = FakeClock()
        found: list[Any] = []
        async with preparer(folder, clock, DnsSpec(ttl_s=0, answers={"a.test": answers}), **settings) as prepares:
            for _ in range(times):
                try:
                    prepared = await prepares.prepare(Preparation("a.test", "http://a.test"), _no_turn, _Forgetful())
                    found.append(prepared.clearance.addresses)
                except FetchError as error:
                    found.append(error.outcome)
                clock.advance(86_400)
        return found

    return uvloop.run(asyncio.wait_for(look(), 60))


@asynccontextmanager
async def _no_turn(host: str, addresses: tuple[str, ...]) -> AsyncIterator[tuple[str, ...]]:
    raise AssertionError("robots.txt is ignored here, so nobody needs a turn")
    yield addresses


class _Forgetful:
    """No archive here."""

    def keep_answer(self, host: str, addresses: tuple[str, ...], ttl_s: float) -> None: ...

    def keep_robots(self, fetched: Fetched) -> None: ...

    def robots_failed(self, url: str, address: str, outcome: Outcome) -> None: ...


@pytest.mark.parametrize(
    ("answer", "usable"),
    [
        ((PUBLIC, "127.0.0.1"), (PUBLIC,)),
        (("10.0.0.1", PUBLIC), (PUBLIC,)),
        ((PUBLIC, "::1", "fd00::1"), (PUBLIC,)),
        (("192.168.0.1", "2606:4700::1"), ("2606:4700::1",)),
        (("64:ff9b::a00:1", "2606:4700::1"), ("2606:4700::1",)),
        (("127.0.0.1", "::1"), Outcome.PRIVATE_ADDRESS),
        (("100.64.1.1",), Outcome.PRIVATE_ADDRESS),
        (("0.0.0.0",), Outcome.PRIVATE_ADDRESS),
        (("::ffff:169.254.169.254",), Outcome.PRIVATE_ADDRESS),
    ],
)
def test_of_mixed_answers_only_the_public_ones_are_used(
    answer: tuple[str, ...], usable: tuple[str, ...] | Outcome, tmp_path: Path
) -> None:
    assert look_up(tmp_path, (answer,)) == [usable]


def test_a_name_that_moves_into_a_private_network_is_refused_from_then_on(tmp_path: Path) -> None:
    found = look_up(tmp_path, ((PUBLIC,), ("127.0.0.1",)), times=3)
    assert found == [(PUBLIC,), Outcome.PRIVATE_ADDRESS, Outcome.PRIVATE_ADDRESS]


def test_who_allows_private_networks_gets_all_addresses(tmp_path: Path) -> None:
    assert look_up(tmp_path, ((PUBLIC, "127.0.0.1"),), allow_private=True) == [(PUBLIC, "127.0.0.1")]
