"""A crawl is an object with a life: it is looked at and stopped while it runs, and says at the end how it ended."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest
import uvloop

import weft
from tests.api.site import LOOPS, SITE, WITHIN_S, Run, all_urls, home, quick, requests_of, serving, site, until, workers
from weft.simweb.behaviour import Behaviour, Delayed, Fixed

SLOW = Delayed(600.0, Fixed(b"too late"))


def ending(crawling: weft.Crawling) -> tuple[str, int]:
    assert crawling.summary is not None, "there is a summary, however it ended"
    return crawling.summary.exit, crawling.summary.pages


# ── stop ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("run", LOOPS)
def test_a_stopped_crawl_hands_out_what_came_and_goes_on_with_resume(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in crawling:
                came.append(page.url)
                if len(came) == 5:
                    crawling.stop()
            assert ending(crawling) == ("interrupted", len(came))
            assert workers() == []
            rest.extend(await all_urls(weft.resume(tmp_path / "crawl")))

    came: list[str] = []
    rest: list[str] = []
    with serving(pages := site(1_000)) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        run(main())
        assert sorted(came + rest) == sorted(sim.web.url(host, path) for host, path in pages), "each page once"
    assert rest, "it stopped on its way: what is not read yet is far less than that"


def test_a_crawl_is_stopped_from_another_thread_while_its_reader_waits(tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for _ in crawling:
                threading.Thread(target=crawling.stop).start()

    with serving(site(3)) as sim:  # the next page comes in ten minutes
        crawling = weft.crawl(
            home(sim), output=tmp_path / "crawl", **quick(sim) | {"delay": 600.0, "ignore_robots": True}
        )
        asyncio.run(main())
    assert ending(crawling) == ("interrupted", 1)


def test_a_crawl_that_is_stopped_before_it_begins_asks_for_nothing(tmp_path: Path) -> None:
    with serving(site(3)) as sim:
        read, waited_for = (weft.crawl(home(sim), output=tmp_path / name, **quick(sim)) for name in "ab")
        read.stop()
        waited_for.stop()
        assert uvloop.run(all_urls(read)) == []
        assert uvloop.run(waited_for.run()).exit == "interrupted"
        assert ending(read) == ending(waited_for) == ("interrupted", 0)
        assert requests_of(sim) == {}


def test_of_two_crawls_in_a_loop_the_one_that_is_stopped_ends(tmp_path: Path) -> None:
    async def main() -> tuple[weft.Summary, weft.Summary]:
        async with asyncio.timeout(WITHIN_S):
            both = asyncio.gather(one.run(), other.run())
            await until(lambda: bool(one.stats.pages and other.stats.pages), "a page of each", WITHIN_S)
            other.stop()
            return await both

    with serving(site(60)) as sim, serving(site(2000)) as endless:
        one = weft.crawl(home(sim), output=tmp_path / "one", **quick(sim))
        other = weft.crawl(home(endless), output=tmp_path / "other", **quick(endless))
        done, stopped = uvloop.run(main())
    assert (done.exit, done.pages, stopped.exit) == ("done", 61, "interrupted")
    assert stopped.pages < 2001


# ── leaving ────────────────────────────────────────────────────────────────────────────────────────────


def test_after_a_loop_that_was_left_run_waits_for_the_end_and_returns_the_figures(tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for _ in crawling:
                break
            summary = await crawling.run()
            assert (summary, summary.exit) == (crawling.summary, "interrupted")
            assert await crawling.run() is summary, "it ends once"
            assert await all_urls(crawling) == []

    with serving(site(500)) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        uvloop.run(main())


def test_who_has_read_enough_may_have_the_rest_crawled_without_being_handed_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            pages = aiter(crawling)
            first = await anext(pages)
            summary = await crawling.run()
            assert (summary.exit, summary.pages) == ("done", 301)
            again = await all_urls(weft.resume(tmp_path / "crawl"))
            assert first.url in again, "it was not finished with"
            assert len(again) < 301, "what came later is not kept for a reader"

    with serving(site(300)) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        uvloop.run(main())


def test_a_reader_that_waits_only_so_long_for_each_page_misses_none() -> None:
    """`wait_for` cancels what waits for a page; the crawl goes on, and the page comes to who asks next."""

    async def main() -> None:
        pages = aiter(weft.crawl(home(sim), **quick(sim)))
        async with asyncio.timeout(WITHIN_S):
            while True:
                try:
                    page = await asyncio.wait_for(anext(pages), 0.005)
                except TimeoutError:
                    cancelled.append(1)
                except StopAsyncIteration:
                    return
                else:
                    came.append(page.url)

    came: list[str] = []
    cancelled: list[int] = []
    with serving(pages := site(40)) as sim:
        asyncio.run(main())
        assert sorted(came) == sorted(sim.web.url(host, path) for host, path in pages)
    assert cancelled


@pytest.mark.parametrize("run", LOOPS)
def test_a_run_that_is_cancelled_ends_in_order_and_has_its_figures(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        running = asyncio.ensure_future(crawling.run())
        async with asyncio.timeout(WITHIN_S):
            await until(lambda: crawling.stats.pages > 0, "a page", WITHIN_S)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert workers() == []

    with serving(site(2000)) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        run(main())
    assert ending(crawling)[0] == "interrupted"
    assert (tmp_path / "crawl" / "pages.jsonl").exists(), "its index files are written"


def test_a_run_that_is_cancelled_twice_is_cut_off_and_has_figures_all_the_same(tmp_path: Path) -> None:
    async def main() -> None:
        running = asyncio.ensure_future(crawling.run())
        async with asyncio.timeout(WITHIN_S):
            await until(lambda: bool(crawling.stats.pages and crawling.stats.under_way), "the slow page", WITHIN_S)
            running.cancel()
            await until(lambda: crawling.stats.state == "stopping", "the first cancel to be heard", WITHIN_S)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert workers() == []

    with serving({(SITE, "/"): Fixed(b'<!DOCTYPE html><a href="/slow">x</a>'), (SITE, "/slow"): SLOW}) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        uvloop.run(main())
    assert ending(crawling) == ("interrupted", 1)


# ── stats ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_figures_of_a_crawl_are_there_before_while_and_after_it_runs() -> None:
    async def main() -> None:
        async for _ in crawling:
            seen.append(crawling.stats)  # noqa: PERF401 — as it stands at each page

    seen: list[weft.Stats] = []
    with serving(site(20) | {(SITE, "/page3"): Fixed(b"gone", status=404)}) as sim:
        crawling = weft.crawl(home(sim), **quick(sim))
        assert crawling.stats == weft.Stats("new")
        uvloop.run(main())
    assert {one.state for one in seen} == {"running"}
    assert [one.pages for one in seen] == sorted(one.pages for one in seen)
    assert [one.pages - one.unread for one in seen] == list(range(1, 21)), "what was handed out"
    last, summary = crawling.stats, crawling.summary
    assert summary is not None
    assert (last.state, last.pages, last.queued, last.under_way, last.unread) == ("ended", 20, 0, 0, 0)
    assert last.statuses == summary.statuses == {"200": 20, "404": 2}  # robots.txt is one
    assert (last.requests, last.bytes, last.seconds) == (summary.requests, summary.bytes, summary.seconds)


# ── responses ──────────────────────────────────────────────────────────────────────────────────────────


def answers() -> dict[tuple[str, str], Behaviour]:
    links = "".join(f'<a href="/{name}">x</a>' for name in ("missing", "moved", "broken"))
    return {
        (SITE, "/"): Fixed(f"<!DOCTYPE html>{links}<a href='http://nowhere.test/'>x</a>".encode()),
        (SITE, "/missing"): Fixed(b"<!DOCTYPE html><title>Not here</title>", status=404),
        (SITE, "/moved"): Fixed(b"", 301, headers=(("Location", "/"),)),
        (SITE, "/broken"): Fixed(b"oh", status=410),
    }


def test_all_responses_are_handed_out_on_request(tmp_path: Path) -> None:
    async def main() -> None:
        async for page in weft.crawl(home(sim), output=tmp_path / "crawl", responses="all", **quick(sim)):
            got[page.url] = (page.status, page.outcome, page.title, len(page.body))

    got: dict[str, tuple[int, str, str, int]] = {}
    with serving(answers()) as sim:
        uvloop.run(main())
        urls = {name: sim.web.url(SITE, f"/{name}") for name in ("", "missing", "moved", "broken")}
    assert {url: seen[:2] for url, seen in got.items()} == {
        urls[""]: (200, "response"),
        urls["missing"]: (404, "response"),
        urls["moved"]: (301, "response"),
        urls["broken"]: (410, "response"),
        "http://nowhere.test/": (0, "dns-not-found"),
    }
    assert got[urls["missing"]][2] == "Not here"
    assert got["http://nowhere.test/"][2:] == ("", 0)
    assert uvloop.run(all_urls(weft.resume(tmp_path / "crawl", responses="all"))) == []


def test_who_wanted_all_responses_and_resumes_for_pages_gets_pages(tmp_path: Path) -> None:
    async def main() -> None:
        async with weft.crawl(home(sim), output=tmp_path / "crawl", responses="all", **quick(sim)) as crawling:
            async for page in crawling:
                if page.status != 200:
                    break  # so it is not finished with
        got.extend(await all_urls(weft.resume(tmp_path / "crawl")))

    got: list[str] = []
    with serving(answers()) as sim:
        uvloop.run(main())
    assert got == []


def test_other_responses_than_there_are_are_told() -> None:
    nonsense: Any = "some"
    with pytest.raises(weft.BadInput, match="'pages' or 'all', not 'some'"):
        uvloop.run(all_urls(weft.crawl("http://site.test/", responses=nonsense)))


class LastFirst:
    """An order of a program's own."""

    asked: ClassVar[list[str]] = []

    def rank(self, link: weft.Link) -> int:
        self.asked.append(link.url)
        return 0


def test_an_order_may_be_given_as_the_class_itself(tmp_path: Path) -> None:
    with serving(site(3)) as sim:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim) | {"order": LastFirst})
        assert len(uvloop.run(all_urls(crawling))) == len(site(3))
    assert LastFirst.asked
