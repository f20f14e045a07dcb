"""Names whose answer changes between the check and the connection, or from one day to the next."""

from __future__ import annotations

import asyncio
from pathlib import Path

import uvloop

from tests.pipeline.crawling import CRAWL_WITHIN_S, CrawlFiles, crawl_all, quick_config
from tests.pipeline.internet import PUBLIC, Internet
from tests.pipeline.small_web import page
from tests.pipeline.test_always_ends import DAY_S, LaterClock
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec, SimDns, SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour

ONE_PAGE = WebSpec(hosts=1, pages=1)
MOVING = "moving.test"
PAGES = 10


def test_all_requests_go_to_the_address_that_was_checked_whatever_the_name_says_meanwhile(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {(MOVING, f"/{n}"): page(f"/{n + 1}") for n in range(PAGES)}
    checked = SimWeb(ONE_PAGE, pages).address_of(MOVING)
    assert checked is not None
    inside = next(address for address in SimWeb(ONE_PAGE).addresses() if address != checked)
    # No life at all: whoever asked again would be told the other address.
    dns = DnsSpec(ttl_s=0, answers={MOVING: ((checked,), (inside,))})
    with SimProcess(ONE_PAGE, pages, dns) as sim:
        config = quick_config(
            sim, seeds=(sim.web.url(MOVING, "/0"),), connections_per_host=1, headers=(("Connection", "close"),)
        )
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    assert len(files.responses()) == PAGES + 1
    assert {request.address for request in sim.log} == {checked}
    assert sim.dns_queries[MOVING] <= 2  # A and AAAA


def test_a_name_that_leads_inside_the_next_day_is_refused_by_the_next_days_run(tmp_path: Path) -> None:
    internet = Internet({f"http://{MOVING}/": page("/next"), f"http://{MOVING}/next": page()})

    async def two_days() -> None:
        server = await asyncio.start_server(internet.answer, "127.0.0.1", 0)
        dns = DnsSpec(ttl_s=0, answers={MOVING: ((PUBLIC,), ("127.0.0.1",))})
        async with server, SimDns(SimWeb(ONE_PAGE), dns) as names:
            config = CrawlConfig(
                seeds=(f"http://{MOVING}/",),
                delay_s=0.0,
                dns_servers=(names.server,),
                proxy=f"socks5://127.0.0.1:{server.sockets[0].getsockname()[1]}",
                max_pages=1,
                workers=1,
            )
            assert await Crawl.create(tmp_path / "crawl", config).run() is Ending.LIMIT
            later = Crawl.resume(tmp_path / "crawl", LaterClock(DAY_S), max_pages=None)
            assert await later.run() is Ending.DONE

    uvloop.run(asyncio.wait_for(two_days(), CRAWL_WITHIN_S))
    outcomes = CrawlFiles(tmp_path / "crawl").outcomes()
    assert outcomes == {f"http://{MOVING}/": "response", f"http://{MOVING}/next": "private-address"}
    assert internet.asked == [f"http://{MOVING}/robots.txt", f"http://{MOVING}/"]
