"""What keeps a crawl from doing more than is wanted: budgets of hosts, traps, and what pages ask not to be followed."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
import uvloop

from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Fault, Trap, TrapKind

from .crawling import CrawlFiles, crawl_all, quick_config, resume, until
from .small_web import Sites, SmallWeb, page, text

ONE_PAGE = WebSpec(hosts=1, pages=1)
SITE = "site.test"
TRAP = "trap.test"


def pages_by_host(files: CrawlFiles) -> Counter[str]:
    return Counter(row.url.split("/")[2].partition(":")[0] for row in files.rows)


# ── so many pages of a host ──


def test_no_host_gives_more_pages_than_its_budget(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=10, pages=300, seed=4)) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, max_pages_per_host=7))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    asked = Counter(request.host for request in sim.log if not request.is_robots)
    assert max(asked.values()) == 7
    assert pages_by_host(files) == asked
    assert files.responses().items() <= truth.status.items()


def test_retries_and_failures_do_not_lift_the_budget(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {(SITE, f"/{number}"): page() for number in range(10)}
    pages[SITE, "/"] = page(*(f"/{number}" for number in range(10)))
    pages[SITE, "/0"] = Broken(Fault.RESET_BEFORE_HEAD)  # tried three times, counted once
    pages[SITE, "/1"] = Broken(Fault.STATUS_500, page(), 1)
    with SimProcess(ONE_PAGE, pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_pages_per_host=5, connections_per_host=1)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    assert pages_by_host(files) == {SITE: 5}
    assert len({request.path for request in sim.log if not request.is_robots}) == 5


def test_a_budget_that_is_raised_lets_the_crawl_go_on_where_it_stopped(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {(SITE, f"/{number}"): page() for number in range(10)}
    pages[SITE, "/"] = page(*(f"/{number}" for number in range(10)))
    with SimProcess(ONE_PAGE, pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_pages_per_host=4)
        _, files = crawl_all(tmp_path / "crawl", config)
        assert pages_by_host(files) == {SITE: 4}
        _, files = resume(tmp_path / "crawl", max_pages_per_host=7)
        assert pages_by_host(files) == {SITE: 7}
        ending, files = resume(tmp_path / "crawl", max_pages_per_host=None)
    assert ending is Ending.DONE
    assert sorted(row.url for row in files.rows) == sorted(sim.web.url(SITE, path) for _, path in pages)
    assert max(Counter(request.path for request in sim.log).values()) == 1


def test_a_budget_counts_over_all_runs(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {(SITE, f"/{number}"): page(f"/{number + 1}") for number in range(30)}
    with SimProcess(ONE_PAGE, pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/0"),), max_pages_per_host=6, max_pages=3)
        ending, files = crawl_all(tmp_path / "crawl", config)
        assert (ending, len(files.rows)) == (Ending.LIMIT, 3)
        ending, files = resume(tmp_path / "crawl", max_pages=None)
        assert (ending, len(files.rows)) == (Ending.DONE, 6)


@pytest.mark.parametrize("counts_from_the_start", [True, False])
def test_what_waits_for_another_try_at_a_stop_has_been_counted(counts_from_the_start: bool, tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, f"/{number}"): Broken(Fault.STATUS_500, page(), 1) for number in range(20)
    }
    budget = 10 if counts_from_the_start else None
    with SimProcess(ONE_PAGE, pages) as sim:
        seeds = tuple(sim.web.url(SITE, f"/{number}") for number in range(20))
        config = quick_config(sim, seeds=seeds[:10], max_pages_per_host=budget, retry_wait_scale=100.0)
        crawl = Crawl.create(tmp_path / "crawl", config)

        async def stopped_after_a_try_of_each() -> None:
            running = asyncio.create_task(crawl.run())
            await until(lambda: crawl.counters.retries == 10)
            crawl.stop()
            await running

        uvloop.run(stopped_after_a_try_of_each())
        assert CrawlFiles(tmp_path / "crawl").rows == []
        ending, files = resume(tmp_path / "crawl", seeds=seeds, max_pages_per_host=10, retry_wait_scale=0.02)
    assert ending is Ending.DONE
    assert pages_by_host(files) == {SITE: 10}
    assert len({request.path for request in sim.log if not request.is_robots}) == 10


# ── sites without end ──


# How many pages of each are fetched at most, and the host's budget that the last one needs: a calendar has a page for
# each day of the years around now, a path may repeat a few times, but no URL of the third gives the trap away.
TRAPS: dict[TrapKind, tuple[int, int | None]] = {
    TrapKind.CALENDAR: (4_000, None),
    TrapKind.DEEPER: (20, None),
    TrapKind.SESSION: (60, 60),
    TrapKind.SAME: (1 + 10 + 10 * 10 * 2, None),
}


def test_every_kind_of_trap_is_tried() -> None:
    assert set(TRAPS) == set(TrapKind)


@pytest.mark.parametrize("kind", TRAPS)
def test_a_trap_ends_and_the_rest_of_the_web_is_crawled(kind: TrapKind, tmp_path: Path) -> None:
    most_pages, budget = TRAPS[kind]
    custom: dict[tuple[str, str], Behaviour] = {(TRAP, "/robots.txt"): text(""), (TRAP, "*"): Trap(kind)}
    with SimProcess(WebSpec(hosts=5, pages=50), custom) as sim:
        config = quick_config(sim, seeds=(sim.web.url(TRAP, "/"), *sim.seeds), max_pages_per_host=budget)
        ending, files = crawl_all(tmp_path / "crawl", config)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert 1 < pages_by_host(files)[TRAP] <= most_pages
    responses = {url: status for url, status in files.responses().items() if TRAP not in url}
    assert responses == truth.status


# ── what pages ask for ──


@pytest.mark.parametrize("obeys", [False, True])
def test_rel_nofollow_is_obeyed_where_that_is_asked_for(obeys: bool, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=8, pages=120, seed=5, rel_nofollow_share=0.5, links_per_page=2)) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, obey_rel_nofollow=obeys))
        truth, other_truth = (sim.web.truth(obeys_rel_nofollow=choice) for choice in (obeys, not obeys))
    assert ending is Ending.DONE
    assert truth.fetchable != other_truth.fetchable
    assert files.responses() == truth.status


DIRECTIVES = {
    "/all": ('<meta name="robots" content="nofollow">', False),
    "/mine": ('<meta name="MyBot" content="nofollow">', False),
    "/mine-none": ('<meta name="mybot" content="none">', False),
    "/weft": ('<meta name="weft" content="nofollow">', True),  # that is somebody else now
    "/other": ('<meta name="otherbot" content="nofollow">', True),
    "/noindex": ('<meta name="mybot" content="noindex">', True),
    "/plain": ("", True),
}


def test_meta_robots_is_obeyed_by_the_name_that_the_crawl_goes_by(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): page(*DIRECTIVES)}
        for path, (meta, _) in DIRECTIVES.items():
            pages |= {(SITE, path): page(f"{path}/next", head=meta), (SITE, f"{path}/next"): page()}
        return pages

    small = SmallWeb((SITE,), sites)
    ending, files = small.crawl(tmp_path / "crawl", SITE, user_agent="mybot/1.0 (+http://mybot.example)")
    assert ending is Ending.DONE
    followed = {row.url.removeprefix(small.url(SITE, "")) for row in files.rows if row.url.endswith("/next")}
    assert followed == {f"{path}/next" for path, (_, is_followed) in DIRECTIVES.items() if is_followed}


def test_robots_txt_is_obeyed_by_the_name_that_the_crawl_goes_by(tmp_path: Path) -> None:
    rules = "User-agent: weft\nDisallow: /weft\n\nUser-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /\n"

    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/robots.txt"): text(rules),
            (SITE, "/"): page("/mine", "/weft"),
            (SITE, "/mine"): page(),
            (SITE, "/weft"): page(),
        }

    small = SmallWeb((SITE,), sites)
    _, files = small.crawl(tmp_path / "crawl", SITE, user_agent="mybot/1.0")
    assert files.responses() == {small.url(SITE, "/"): 200, small.url(SITE, "/weft"): 200}
    assert [request.path for request in small.log] == ["/robots.txt", "/", "/weft"]
