"""What robots.txt forbade is visited once it allows it, or once nobody asks for it any more."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvloop

from tests.torture.points import At, PointCrawl
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.robots import Access, RobotsRow
from weft.simweb import RequestLog, SimDns, SimProcess, SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.state import State
from weft.state.keys import authority_key
from weft.types import Refusal

from .crawling import CRAWL_WITHIN_S, CrawlFiles, crawl_all, quick_config, resume, until
from .small_web import Sites, page, text

SITE, OTHER = "site.test", "other.test"
DAY_S = 24 * 3600.0
FORBIDS = text("User-agent: *\nDisallow: /private/\nDisallow: /never/\n")
ALLOWS = text("User-agent: *\nDisallow: /never/\n")
CHAIN = 12
PAGES: dict[tuple[str, str], Behaviour] = {
    (SITE, "/robots.txt"): FORBIDS,
    (SITE, "/"): page("/private/a", "/private/b", "/never/a", "/0"),
    **{(SITE, f"/{number}"): page(f"/{number + 1}") for number in range(CHAIN)},
    (SITE, f"/{CHAIN}"): page(),
    (SITE, "/private/a"): page("/private/c"),
    (SITE, "/private/b"): page(),
    (SITE, "/private/c"): page(),
}
HOME_AND_CHAIN = ["/", *(f"/{number}" for number in range(CHAIN + 1))]
PRIVATE = ["/private/a", "/private/b", "/private/c"]


class LaterClock(Clock):
    """Both clocks are ahead by so many seconds: time goes on in leaps."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def wall(self) -> float:
        return super().wall() + self.ahead_s

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


class Site:
    """A site in the test's own loop: what it serves can be changed at any time."""

    def __init__(self, server: SimServer, dns: SimDns, folder: Path) -> None:
        self.web = server.web
        self.log: RequestLog = server.log
        self.folder = folder
        self.web.custom.update(PAGES)
        self.config = CrawlConfig(
            seeds=(self.web.url(SITE, "/"),),
            scope="host",
            delay_s=0.0,
            dns_servers=(dns.server,),
            allow_private=True,
            workers=1,
        )

    def serve(self, changed: Sites) -> None:
        """From now on."""
        self.web.custom.update(changed)

    def create(self, clock: Clock | None = None, **changes: Any) -> Crawl:
        """A crawl of it."""
        return Crawl.create(self.folder, msgspec.structs.replace(self.config, **changes), clock)

    def visited(self) -> list[str]:
        """The paths of pages.jsonl."""
        return sorted(row.url.removeprefix(self.web.url(SITE, "")) for row in CrawlFiles(self.folder).rows)

    def refused(self) -> dict[str, bool]:
        """The paths of refused.jsonl, and whether they are withdrawn."""
        return refused_in(self.folder, self.web.url(SITE, ""))


def refused_in(folder: Path, site: str) -> dict[str, bool]:
    lines = [json.loads(line) for line in (folder / "refused.jsonl").read_bytes().splitlines()]
    assert len({line["url"] for line in lines}) == len(lines)
    return {line["url"].removeprefix(site): line.get("withdrawn", False) for line in lines}


@asynccontextmanager
async def site_in(folder: Path) -> AsyncIterator[Site]:
    server = SimServer(SimWeb(WebSpec(hosts=1, pages=1), {(SITE, "/"): Fixed(), (OTHER, "/"): Fixed()}))
    async with server, SimDns(server.web) as dns:
        yield Site(server, dns, folder)


def in_loop(test: Callable[[Site], Coroutine[Any, Any, None]], folder: Path) -> None:
    async def main() -> None:
        async with site_in(folder) as site:
            await test(site)

    uvloop.run(asyncio.wait_for(main(), CRAWL_WITHIN_S))


def assert_counts_agree(crawl: Crawl, standing: int) -> None:
    assert crawl.counters.queued == 0
    assert crawl.counters.refused.get(Refusal.ROBOTS, 0) == standing
    assert sum(row.count for row in crawl.left_out) == standing


@pytest.mark.parametrize("depth", [None, 3])
def test_rules_that_become_permissive_while_the_crawl_runs_bring_back_what_they_forbade(
    depth: int | None, tmp_path: Path
) -> None:
    async def scenario(site: Site) -> None:
        clock = LaterClock()
        crawl = site.create(clock, rate=100.0, depth=depth and depth + CHAIN)
        running = asyncio.create_task(crawl.run())
        await until(lambda: crawl.counters.pages >= 3 or running.done())
        assert crawl.counters.refused[Refusal.ROBOTS] == 3
        site.serve({(SITE, "/robots.txt"): ALLOWS})
        clock.ahead_s = 1.1 * DAY_S
        assert await running is Ending.DONE
        assert site.visited() == sorted(HOME_AND_CHAIN + PRIVATE)
        assert site.refused() == {"/private/a": True, "/private/b": True, "/never/a": False}
        assert_counts_agree(crawl, standing=1)
        depths = {row.url: row.depth for row in CrawlFiles(site.folder).rows}
        assert [depths[site.web.url(SITE, path)] for path in PRIVATE] == [1, 1, 2]

    in_loop(scenario, tmp_path / "crawl")


@pytest.mark.parametrize("is_permissive", [True, False])
def test_on_resume_an_old_robots_txt_is_asked_for_again_although_nothing_else_is_left(
    is_permissive: bool, tmp_path: Path
) -> None:
    async def scenario(site: Site) -> None:
        clock = LaterClock()
        assert await site.create(clock).run() is Ending.DONE
        assert site.refused() == {"/private/a": False, "/private/b": False, "/never/a": False}
        site.serve({(SITE, "/robots.txt"): ALLOWS if is_permissive else FORBIDS})
        for _ in range(2):  # not on every resume
            assert await Crawl.resume(site.folder, clock).run() is Ending.DONE
        assert [request.path for request in site.log].count("/robots.txt") == 1
        clock.ahead_s = 1.1 * DAY_S
        crawl = Crawl.resume(site.folder, clock)
        assert await crawl.run() is Ending.DONE
        assert [request.path for request in site.log].count("/robots.txt") == 2
        came = PRIVATE if is_permissive else []
        assert site.visited() == sorted(HOME_AND_CHAIN + came)
        assert site.refused() == {"/private/a": is_permissive, "/private/b": is_permissive, "/never/a": False}
        assert_counts_agree(crawl, standing=1 if is_permissive else 3)

    in_loop(scenario, tmp_path / "crawl")


def test_a_robots_txt_that_is_gone_forbids_nothing(tmp_path: Path) -> None:
    async def scenario(site: Site) -> None:
        clock = LaterClock()
        await site.create(clock).run()
        site.serve({(SITE, "/robots.txt"): Fixed(b"", 404), (SITE, "/never/a"): page()})
        clock.ahead_s = 1.1 * DAY_S
        crawl = Crawl.resume(site.folder, clock)
        assert await crawl.run() is Ending.DONE
        assert site.visited() == sorted([*HOME_AND_CHAIN, *PRIVATE, "/never/a"])
        assert_counts_agree(crawl, standing=0)

    in_loop(scenario, tmp_path / "crawl")


def test_rules_that_have_expired_forbid_no_link(tmp_path: Path) -> None:
    """The host is done, and its rules are still in memory; a link that is found later asks for those of today."""

    async def scenario(site: Site) -> None:
        clock = LaterClock()
        found_late = site.web.url(SITE, "/private/b")
        site.serve({(SITE, "/"): page(), (OTHER, "/"): page("/0"), (OTHER, f"/{CHAIN}"): page(found_late)})
        site.serve({(OTHER, f"/{number}"): page(f"/{number + 1}") for number in range(CHAIN)})
        seeds = (site.web.url(SITE, "/"), site.web.url(OTHER, "/"))
        crawl = site.create(clock, rate=100.0, seeds=seeds, scope="any")
        running = asyncio.create_task(crawl.run())
        await until(lambda: crawl.counters.pages >= 5 or running.done())
        assert ("/", SITE) in {(request.path, request.host) for request in site.log}
        site.serve({(SITE, "/robots.txt"): ALLOWS})
        clock.ahead_s = 1.1 * DAY_S
        assert await running is Ending.DONE
        assert found_late in CrawlFiles(site.folder).responses()
        assert site.refused() == {}

    in_loop(scenario, tmp_path / "crawl")


# ── robots.txt ignored from now on ──


def test_who_ignores_robots_txt_on_resume_visits_what_it_forbade(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), PAGES | {(SITE, "/never/a"): page()}) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),))
        _, files = crawl_all(tmp_path / "crawl", config)
        site = sim.web.url(SITE, "")
        assert len(files.rows) == len(HOME_AND_CHAIN)
        ending, files = resume(tmp_path / "crawl", ignore_robots=True)
    assert ending is Ending.DONE
    visited = [row.url.removeprefix(site) for row in files.rows]
    assert sorted(visited) == sorted([*HOME_AND_CHAIN, *PRIVATE, "/never/a"])
    assert refused_in(tmp_path / "crawl", site) == {"/private/a": True, "/private/b": True, "/never/a": True}
    assert max(Counter(request.path for request in sim.log).values()) == 1


MANY = [f"/private/{number}" for number in range(1_200)]  # more than two batches of them


def put_robots(folder: Path, authority: str, body: bytes, holds_s: float) -> None:
    """Let the crawl have asked for robots.txt, and have had this answer."""
    now = Clock().wall()
    row = RobotsRow(Access.RULES, asked_at=now, expires_at=now + holds_s, status=200, body=body, fetched_at=now)
    state = State(folder / "state" / "db")
    batch = state.batch()
    batch.put("robots", authority_key(authority), msgspec.msgpack.encode(row))
    state.write(batch)
    state.close()


@pytest.mark.parametrize(
    ("point", "how"),
    [
        ("commit", "ignored"),
        ("commit-written", "changed"),
        pytest.param("commit", "changed", marks=pytest.mark.large),
        pytest.param("commit-written", "ignored", marks=pytest.mark.large),
    ],
)
def test_a_kill_while_they_return_neither_loses_nor_doubles_one(how: str, point: str, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/robots.txt"): ALLOWS,
        (SITE, "/"): page(*MANY),
        **{(SITE, path): page() for path in MANY},
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        crawl = PointCrawl(sim, folder)
        site = sim.web.url(SITE, "")
        crawl.change(seeds=(f"{site}/",), extractors=())
        put_robots(folder, site, FORBIDS.body, holds_s=DAY_S)
        resume(folder)
        assert refused_in(folder, site) == dict.fromkeys(MANY, False)
        if how == "ignored":
            crawl.change(ignore_robots=True)
        else:
            put_robots(folder, site, FORBIDS.body, holds_s=0.0)
        for number in (2, 3, 4, 5, 6):
            crawl.crash(At(point, number))
        ending, files = resume(folder)
    assert ending is Ending.DONE
    assert Counter(row.url.removeprefix(site) for row in files.rows) == Counter(["/", *MANY])
    assert refused_in(folder, site) == dict.fromkeys(MANY, True)
    assert max(files.records()["response"].values()) == 1
    with CrawlReader(folder) as reader:
        assert (reader.counters.queued, reader.counters.refused.get(Refusal.ROBOTS, 0)) == (0, 0)
        assert reader.counters.pages == 1 + len(MANY)
