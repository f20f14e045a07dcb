"""Pages, headers and robots.txt files that are made to hurt whoever reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.crawling import is_clean_for_warcio, quick_config, run
from tests.scratch import scratch_folder
from weft.pipeline.crawl import Crawl
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.simweb.hostile_pages import cookie_bomb, hostile_pages, hostile_robots
from weft.types import Outcome

from .beside import BOUND_BYTES, Met, meet

COOKIES = "cookies.test"
PAGES = hostile_pages()
STATUS = {"junk-redirect": 302}
ROBOTS = hostile_robots()
# Its end does not come, so there are no rules: nothing may be fetched.
UNREADABLE = ("dripping",)
READABLE = [name for name in ROBOTS if name not in UNREADABLE]
LONG_PATH = "/" + "a" * 8_000
LINKS = b"<!DOCTYPE html><a href=/public>x</a><a href=/private>x</a><a href=%b>x</a>" % LONG_PATH.encode()


def robots_host(name: str) -> str:
    return f"robots-{name}.test"


def robots_site(host: str, robots: Behaviour) -> dict[tuple[str, str], Behaviour]:
    return {(host, "/"): Fixed(LINKS), (host, "/robots.txt"): robots, (host, "/public"): Fixed(b"ok")}


@pytest.fixture(scope="module")
def met() -> Met:
    """One crawl serves all tests here but that of a robots.txt which does not come."""
    sites: dict[tuple[str, str], Behaviour] = {(f"{name}.test", "/"): page for name, page in PAGES.items()}
    for name in READABLE:
        sites |= robots_site(robots_host(name), ROBOTS[name])
    sites |= {(COOKIES, "/"): cookie_bomb(), (COOKIES, "/next"): cookie_bomb()}
    seeds = [(host, path) for host, path in sites if path == "/"]
    with scratch_folder() as folder:
        met = meet(folder / "crawl", sites, seeds=seeds, cookies=True, max_body_bytes=20_000_000)
        assert is_clean_for_warcio(met.files)
        return met


@pytest.mark.parametrize("name", list(PAGES))
def test_a_hostile_page_is_a_response_like_any_other(name: str, met: Met) -> None:
    row = met.row(f"{name}.test")
    assert (row.outcome, row.status) == (Outcome.RESPONSE, STATUS.get(name, 200))


def test_a_cookie_bomb_is_not_thrown_back(met: Met) -> None:
    """The server takes no head over 64 KB: it would have closed."""
    assert met.row(COOKIES, "/next").status == 200


@pytest.mark.parametrize("name", READABLE)
def test_a_hostile_robots_txt_is_obeyed_as_far_as_it_can_be_read(name: str, met: Met) -> None:
    host = robots_host(name)
    asked = [request.path for request in met.log if request.host == host]
    assert asked[:2] == ["/robots.txt", "/"]
    assert "/public" in asked
    assert "/private" not in asked


@pytest.mark.parametrize("name", UNREADABLE)
def test_where_robots_txt_does_not_come_nothing_is_asked_for(name: str, tmp_path: Path) -> None:
    host = robots_host(name)
    with SimProcess(WebSpec(hosts=1, pages=1), robots_site(host, ROBOTS[name])) as sim:
        seeds = (sim.web.url(host, "/"),)
        crawl = Crawl.create(
            tmp_path / "crawl", quick_config(sim, seeds=seeds, idle_timeout_s=0.5, max_host_wait_s=1.0)
        )
        run(crawl)
    assert {request.path for request in sim.log if request.host == host} == {"/robots.txt"}
    assert list(crawl.parked_hosts) == [sim.web.url(host, "")]


def test_hostile_pages_leave_the_rest_of_the_web_alone(met: Met) -> None:
    met.assert_neighbours_are_unharmed()


def test_memory_stays_bounded_among_hostile_pages(met: Met) -> None:
    assert met.peak_bytes < BOUND_BYTES
