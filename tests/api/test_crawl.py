"""`async for page in weft.crawl(...)`: every page comes, a reader may leave at any moment, a slow one is waited for."""

from __future__ import annotations

import asyncio
import gc
import gzip
import pickle
import re
import tempfile
import time
from pathlib import Path
from typing import Any, TypeGuard

import pytest
import uvloop

import weft
from tests.api.site import (
    LOOPS,
    SITE,
    WITHIN_S,
    Run,
    all_urls,
    home,
    quick,
    requests_of,
    serving,
    site,
    workers,
)
from weft.errors import BadInput, BadUrl, FolderError
from weft.pipeline.delivery import PAGES
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Delayed, Fixed, Stream
from weft.types import Kind, Outcome
from weft.workers.worker_process import CREDIT_TASKS

# ── pages ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("run", LOOPS)
def test_every_page_comes_once(run: Run) -> None:
    found: list[tuple[str, int]] = []

    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in weft.crawl(*sim.seeds, **quick(sim)):
                found.append((page.url, page.status))  # noqa: PERF401 — as users write it

    with SimProcess(WebSpec(hosts=8, pages=100, seed=3)) as sim:
        run(main())
        truth = sim.web.truth()
    assert sorted(found) == sorted((url, status) for url, status in truth.status.items() if 200 <= status < 300)
    assert workers() == []


def test_a_page_tells_everything_about_itself() -> None:
    body = (
        '<!DOCTYPE html><html lang="de"><title>Grüße</title><nav>Menü</nav><h1>Über uns</h1>'
        '<p>Ein <a href="next?a=1#x">Verweis</a> und <a href="http://other.example/">noch einer</a>.<img src="i.png">'
    ).encode("iso-8859-1")
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Fixed(b'<!DOCTYPE html><a href="/dir/page">x</a>'),
        (SITE, "/dir/page"): Fixed(body, 200, "text/html; charset=iso-8859-1", (("X-A", "1"), ("X-A", "2"))),
    }
    got: list[weft.Page] = []

    async def main() -> None:
        settings: CrawlSettings = quick(sim) | {"depth": 1, "scope": "host", "exclude": ["*next*"]}
        async with asyncio.timeout(WITHIN_S):
            got.extend([page async for page in weft.crawl(home(sim), **settings)])

    with serving(pages) as sim:
        uvloop.run(main())
        url = sim.web.url(SITE, "/dir/page")
    first, page = got
    assert (first.url, first.depth, first.via, first.kind) == (home(sim), 0, "", Kind.SEED)
    assert (page.url, page.status, page.outcome, page.depth) == (url, 200, Outcome.RESPONSE, 1)
    assert (page.via, page.kind) == (home(sim), Kind.LINK)
    assert page.body == body
    assert (page.headers["CONTENT-TYPE"], page.headers["x-a"]) == ("text/html; charset=iso-8859-1", "1, 2")
    assert page.headers.all("X-a") == ["1", "2"]
    assert (page.media_type, page.charset, page.title, page.language) == ("text/html", "windows-1252", "Grüße", "de")
    assert page.links == [sim.web.url(SITE, "/dir/next?a=1"), "http://other.example/"]
    assert page.requisites == [sim.web.url(SITE, "/dir/i.png")]
    assert "Ein Verweis und noch einer." in page.text
    assert "<" not in page.text
    assert "# Über uns" in page.markdown()
    assert f"[Verweis]({sim.web.url(SITE, '/dir/next?a=1')}" in page.markdown()
    assert 0 <= time.time() - page.fetched_at.timestamp() < 2 * WITHIN_S
    assert page.row.digest.startswith("sha1:")


def test_a_large_body_that_was_never_in_memory_as_a_whole_can_be_read_within_the_loop() -> None:
    large = 3_000_000  # over the megabyte from which bodies go to a file
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Stream(large, prefix=b"begins so", content_type="text/plain")
    }
    sizes: list[int] = []

    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in weft.crawl(home(sim), **quick(sim)):
                assert page.body.startswith(b"begins so")
                sizes.append(len(page.body))

    with serving(pages) as sim:
        uvloop.run(main())
    assert sizes == [large]


def test_pages_kept_in_a_list_can_be_read_after_the_crawl(tmp_path: Path) -> None:
    async def main() -> list[weft.Page]:
        return [page async for page in weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))]

    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Fixed(b'<!DOCTYPE html><title>a</title><a href="/large">x</a>'),
        (SITE, "/large"): Stream(2_000_000, content_type="text/plain"),
    }
    with serving(pages) as sim:
        got = uvloop.run(main())
    assert sorted((page.title, len(page.body) > 1_000_000) for page in got) == [("", True), ("a", False)]


def test_pages_kept_in_a_list_can_be_read_after_a_crawl_without_an_output_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def main() -> list[weft.Page]:
        return [page async for page in weft.crawl(home(sim), **quick(sim))]

    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Stream(2_000_000, content_type="text/plain")}
    with serving(pages) as sim:
        before = set(tmp_path.iterdir())  # the server's own
        got = uvloop.run(main())
        assert [len(page.body) > 1_000_000 for page in got] == [True]
        got.clear()
        gc.collect()
        assert set(tmp_path.iterdir()) == before


# ── a slow reader ──────────────────────────────────────────────────────────────────────────────────────


def test_a_slow_reader_holds_the_crawl_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim) | {"connections": 8}) as crawling:
            async for _ in crawling:
                # Long enough for all 2000 pages, had they not to wait: it ends once the archive has stopped to grow.
                await until_still(tmp_path / "crawl" / "archive", PAGES)
                break

    with serving(site(2000)) as sim:
        uvloop.run(main())
    asked = [request for request in sim.log if not request.is_robots]
    under_way = 8 + 32 + CREDIT_TASKS  # connections, jobs that may wait for a worker, and its credit
    assert PAGES <= len(asked) <= 1 + PAGES + under_way


async def until_still(folder: Path, pages: int) -> None:
    """Wait until an archive has these many pages, and its files have not grown for a second."""
    size, still_since = -1, time.monotonic()
    while records_in(folder) < 3 * pages or time.monotonic() - still_since < 1.0:
        now = sum(path.stat().st_size for path in folder.iterdir())
        if now != size:
            size, still_since = now, time.monotonic()
        await asyncio.sleep(0.05)


def records_in(folder: Path) -> int:
    """About how many, of which a page has three: each is a gzip member."""
    return sum(path.read_bytes().count(b"\x1f\x8b\x08") for path in folder.iterdir())


def test_a_slow_reader_of_large_pages_is_not_given_more_than_fits(tmp_path: Path) -> None:
    """Pages just under the size that goes to a file: 64 of them would be 60 MB."""
    page = b"<!DOCTYPE html><p>" + b"x" * 900_000
    pages = {key: Fixed(page + key[1].encode()) if key[1] != "/" else made for key, made in site(100).items()}

    async def main() -> None:
        async with weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim) | {"connections": 4}) as crawling:
            async for _ in crawling:
                await until_still(tmp_path / "crawl" / "archive", 16)
                break

    with serving(dict(pages)) as sim:
        uvloop.run(main())
    asked = [request for request in sim.log if not request.is_robots]
    under_way = 4 + 32 + 16  # connections, jobs that may wait for a worker, and its credit
    assert 16 <= len(asked) <= 1 + 18 + under_way


def test_a_reader_that_takes_its_time_misses_nothing() -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in weft.crawl(home(sim), **quick(sim)):
                found.append(page.url)
                if len(found) % 10 == 0:
                    await asyncio.sleep(0.05)

    found: list[str] = []
    with serving(pages := site(300)) as sim:
        uvloop.run(main())
        expected = {sim.web.url(host, path) for host, path in pages}
    assert sorted(found) == sorted(expected)


def test_a_reader_that_blocks_the_loop_between_pages_makes_no_request_fail() -> None:
    """Many programs do: they write to a database, or think. All pages that wait take longer than a time-out."""
    pages = {key: made if key[1] == "/" else Delayed(0.1, made) for key, made in site(32).items() if made_by_hand(made)}

    async def main() -> None:
        settings: CrawlSettings = quick(sim) | {"connections_per_host": 16, "connections_per_address": 16}
        async for page in weft.crawl(home(sim), **settings | {"response_timeout": 3.0, "slow_factor": 0.0}):
            found.append(page.url)
            time.sleep(0.15)  # noqa: ASYNC251 — it blocks; the pages take longer than the time-out

    found: list[str] = []
    with serving(dict(pages)) as sim:
        uvloop.run(main())
        expected = sorted(sim.web.url(host, path) for host, path in pages)
    assert sorted(found) == expected
    assert {url: len(asked) for url, asked in requests_of(sim).items()} == dict.fromkeys(expected, 1)


def made_by_hand(made: Behaviour) -> TypeGuard[Fixed]:
    return isinstance(made, Fixed)


# ── folders ────────────────────────────────────────────────────────────────────────────────────────────


def test_without_an_output_folder_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    during: list[int] = []

    async def main() -> None:
        async for _ in weft.crawl(home(sim), **quick(sim)):
            folders = [path for path in tmp_path.iterdir() if (path / "crawl" / "archive").is_dir()]
            during.append(len(folders))

    with serving(site(3)) as sim:
        before = set(tmp_path.iterdir())  # the server's own
        uvloop.run(main())
        assert set(tmp_path.iterdir()) == before
    assert during == [1] * 4


def test_a_finished_crawl_gives_nothing_more(tmp_path: Path) -> None:
    with serving(site(5)) as sim:
        assert len(uvloop.run(all_urls(weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))))) == 6
        assert uvloop.run(all_urls(weft.crawl(output=tmp_path / "crawl"))) == []


def test_a_folder_that_holds_a_crawl_is_not_given_other_urls(tmp_path: Path) -> None:
    with serving(site(1)) as sim:
        uvloop.run(all_urls(weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))))
        with pytest.raises(BadInput, match="holds a crawl of other URLs"):
            uvloop.run(all_urls(weft.crawl("http://other.example/", output=tmp_path / "crawl")))


def test_a_resumed_crawl_takes_changed_settings_and_keeps_the_others(tmp_path: Path) -> None:
    with serving(pages := site(40)) as sim:
        first = uvloop.run(all_urls(weft.crawl(home(sim), output=tmp_path / "c", **quick(sim) | {"max_pages": 5})))
        second = uvloop.run(all_urls(weft.crawl(output=tmp_path / "c", max_pages=10)))
        third = uvloop.run(all_urls(weft.crawl(output=tmp_path / "c", max_pages=None)))
        expected = sorted(sim.web.url(host, path) for host, path in pages)
    assert (len(first), len(second)) == (5, 5)
    assert sorted(first + second + third) == expected


def test_two_crawls_at_once_in_one_loop_do_not_mix(tmp_path: Path) -> None:
    async def main() -> tuple[list[str], list[str]]:
        async with asyncio.timeout(WITHIN_S):
            return await asyncio.gather(
                all_urls(weft.crawl(home(one), output=tmp_path / "one", **quick(one))),
                all_urls(weft.crawl(home(other), **quick(other))),
            )

    with serving(site(50)) as one, serving(site(80)) as other:
        found_one, found_other = uvloop.run(main())
        assert sorted(found_one) == sorted(one.web.url(host, path) for host, path in site(50))
        assert sorted(found_other) == sorted(other.web.url(host, path) for host, path in site(80))


# ── bad input ──────────────────────────────────────────────────────────────────────────────────────────


def settings_that_cannot_be() -> dict[str, tuple[dict[str, Any], str]]:
    return {
        "unknown": ({"deph": 2}, "'deph'.*did you mean 'depth'"),
        "unknown and like nothing": ({"zzzzzz": 2}, "there is no setting 'zzzzzz'"),
        "a text for a number": ({"depth": "two"}, "depth"),
        "a number for a list": ({"include": 5}, "include"),
        "a scope that is none": ({"scope": "planet"}, "scope"),
        "a pattern that is none": ({"include": ["re:("]}, "re:"),
        "an order that is none": ({"order": "random"}, "random"),
        "a filter that is nowhere": ({"filter": ["no.such:thing"]}, "no.such"),
        "a function that is nowhere": ({"extract": ["no.such:thing"]}, "no.such"),
        "a function that is none": ({"extract": ["os:sep"]}, "os:sep"),
        "no connections": ({"connections": 0}, "connections"),
        "fewer than no workers": ({"workers": -1}, "workers"),
        "no memory": ({"memory": 0}, "memory"),
        "a rate below zero": ({"rate": -1.0}, "rate"),
        "a delay below zero": ({"delay": -1.0}, "delay"),
        "a delay that is no time": ({"delay": "5 parsecs"}, "delay.*500ms"),
        "a depth below zero": ({"depth": -1}, "depth"),
        "seeds beside the URLs": ({"seeds": ["http://other.example/"]}, "seeds"),
    }


@pytest.mark.parametrize(("settings", "told"), settings_that_cannot_be().values(), ids=settings_that_cannot_be())
def test_settings_that_cannot_be_are_told_in_one_sentence(settings: dict[str, Any], told: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            await all_urls(weft.crawl("http://127.255.255.255:9/", output=tmp_path / "crawl", **settings))

    with pytest.raises(BadInput, match=told) as caught:
        uvloop.run(main())
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    "url", ["", "nonsense", "gopher://example.org/", "http://", "http://[::1", "mailto:a@b.example"]
)
def test_a_url_that_is_none_is_told(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadUrl):
        uvloop.run(all_urls(weft.crawl(url, output=tmp_path / "crawl")))
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize("urls", [["http://site.test/"], None, 5, b"http://site.test/"])
def test_what_is_no_text_is_no_url(urls: Any, tmp_path: Path) -> None:
    for call in (weft.crawl(urls, output=tmp_path / "crawl").run, lambda: weft.mirror(urls)):
        with pytest.raises(BadInput, match=re.escape(f"a URL must be a text, not {urls!r}")):
            uvloop.run(call())
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_needs_a_url(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="at least one"):
        uvloop.run(all_urls(weft.crawl()))
    with pytest.raises(BadInput, match="at least one"):
        uvloop.run(all_urls(weft.crawl(output=tmp_path / "crawl")))


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(FolderError, match="cannot use"):
        uvloop.run(all_urls(weft.crawl("http://127.255.255.255:9/", output=tmp_path / "file")))


@pytest.mark.parametrize("folder", ["", "a\0b", 5, b"crawl"])
def test_what_cannot_be_the_name_of_a_folder_is_told(
    folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="crawl folder"):
        weft.crawl(f"{SITE}/", output=folder)
    with pytest.raises(BadInput, match="crawl folder"):
        weft.resume(folder)
    assert not list(tmp_path.iterdir())


def test_an_error_that_ends_the_crawl_reaches_the_reader(tmp_path: Path) -> None:
    filters = ["tests.pipeline.deadly_filters:CannotStartInWorkers"]
    with serving(site(3)) as sim, pytest.raises(weft.WeftError, match="parse workers end at once"):
        uvloop.run(all_urls(weft.crawl(home(sim), **quick(sim) | {"filter": filters})))


def test_a_crawl_that_gets_no_page_is_an_error_unless_that_is_allowed(tmp_path: Path) -> None:
    with serving({(SITE, "/"): Fixed(b"no", status=404)}) as sim:
        crawling = weft.crawl(home(sim), **quick(sim))
        with pytest.raises(weft.CrawlFailed, match="Not one page could be fetched") as caught:
            uvloop.run(all_urls(crawling))
        assert caught.value.summary is crawling.summary
        assert caught.value.summary.exit == "seeds-failed"
        copied = pickle.loads(pickle.dumps(caught.value))
        assert (str(copied), copied.summary) == (str(caught.value), caught.value.summary)
        allowed = weft.crawl(home(sim), allow_empty=True, **quick(sim))
        assert uvloop.run(all_urls(allowed)) == []
        assert allowed.summary is not None
        assert allowed.summary.exit == "seeds-failed"


# ── names ──────────────────────────────────────────────────────────────────────────────────────────────


def test_dir_lists_the_names_that_weft_has() -> None:
    names = dir(weft)
    assert {"crawl", "read", "Page", "CrawlConfig", "WeftError"} <= set(names)
    assert all(hasattr(weft, name) for name in names)


def test_headers_may_be_a_mapping(tmp_path: Path) -> None:
    async def main() -> None:
        settings = quick(sim)
        settings["header"] = {"X-Token": "b"}
        async for _ in weft.crawl(home(sim), output=tmp_path / "crawl", **settings):
            pass

    with serving(site(1)) as sim:
        asyncio.run(main())
    (archive,) = (tmp_path / "crawl" / "archive").glob("*.warc.gz")
    assert b"\r\nX-Token: b\r\n" in gzip.decompress(archive.read_bytes())
