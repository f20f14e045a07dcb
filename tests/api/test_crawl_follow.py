"""A program asks for more than the links of pages: `pages.follow`, while it has a page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

import weft
from tests.api.site import LOOPS, SITE, WITHIN_S, Run, home, quick, serving
from weft.simweb import SimProcess
from weft.simweb.behaviour import Behaviour, Fixed

LAST = 12


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    """Pages that do not lead to each other."""
    names = ("/", "/login", *(f"/page{number}" for number in range(LAST + 1)))
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, name): Fixed(f"<!DOCTYPE html><title>{name}</title>".encode()) for name in names
    }
    with serving(pages) as serves:
        yield serves


def next_path(number: int) -> str:
    return f"/page{number}"


@pytest.mark.parametrize("run", LOOPS)
def test_a_program_walks_by_following_from_the_page_it_has(run: Run, sim: SimProcess, tmp_path: Path) -> None:
    """At each page nothing is queued: the crawl does not end before the program has asked for the next one."""

    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in pages:
                await asyncio.sleep(0.05)  # the engine has nothing else to do
                came.append((page.title, page.depth, page.via))
                if len(came) <= 5:
                    pages.follow(next_path(len(came)))
                    pages.follow(next_path(len(came)))  # it is known
                    pages.follow("http://beyond.test/")  # it is out of scope

    came: list[tuple[str, int, str]] = []
    pages = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim) | {"scope": "host"})
    run(main())
    urls = [home(sim), *(f"{home(sim)}page{number}" for number in range(1, 6))]
    assert came == [("/", 0, "")] + [(next_path(n), n, urls[n - 1]) for n in range(1, 6)]
    assert pages.summary is not None
    assert (pages.summary.exit, pages.summary.refused["scope"]) == ("done", 5)


def test_a_form_is_posted_once_and_its_answer_comes_to_the_loop(sim: SimProcess, tmp_path: Path) -> None:
    async def main() -> None:
        async for page in pages:
            came.append((page.url, page.title))
            pages.follow("/login", data={"name": "me"})
            pages.follow(weft.Request(f"{home(sim)}login", data={"name": "me"}))
            pages.follow(page.follow("login", method="POST", data={"name": "you"}))

    came: list[tuple[str, str]] = []
    pages = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
    uvloop.run(main())
    assert came == [(home(sim), "/"), *[(f"{home(sim)}login", "/login")] * 2]


def test_what_cannot_be_followed_is_told_and_costs_nothing_else(sim: SimProcess, tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(weft.BadInput, match="while the crawl runs"):
            pages.follow("/page1")
        async for page in pages:
            came.append(page.title)
            for url in ("http://", "gopher://site.test/"):
                with pytest.raises(weft.BadInput):
                    pages.follow(url)
            with pytest.raises(weft.BadInput, match="give 'data' to it"):
                pages.follow(weft.Request("http://site.test/"), data="x")
            from_a_thread = threading.Thread(target=attempt)
            from_a_thread.start()
            from_a_thread.join()
            pages.follow("/page1")
        with pytest.raises(weft.BadInput, match="while the crawl runs"):
            pages.follow("/page2")

    def attempt() -> None:
        try:
            pages.follow("/page2")
        except weft.BadInput:
            came.append("refused")

    came: list[str] = []
    pages = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
    uvloop.run(main())
    assert came == ["/", "refused", "/page1", "refused"]


def test_a_program_without_async_follows_as_well(sim: SimProcess, tmp_path: Path) -> None:
    pages = weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim))
    with pytest.raises(weft.BadInput, match="while the crawl runs"):
        pages.follow("/page1")
    came = []
    for page in pages:
        came.append(page.title)
        with pytest.raises(weft.BadInput):
            pages.follow("gopher://site.test/")
        if len(came) <= LAST:
            pages.follow(next_path(len(came)))
    assert came == ["/", *map(next_path, range(1, LAST + 1))]
    with pytest.raises(weft.BadInput, match="while the crawl runs"):
        pages.follow("/page1")


def test_what_was_followed_is_visited_after_a_stop(sim: SimProcess, tmp_path: Path) -> None:
    pages = weft.crawl_sync(home(sim), output=tmp_path / "crawl", **quick(sim))
    for _ in pages:
        pages.stop()
        pages.follow("/page1")
    assert [page.title for page in weft.resume_sync(tmp_path / "crawl")] == ["/page1"]
