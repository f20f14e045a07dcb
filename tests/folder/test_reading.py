"""A crawl folder opened for reading: while the crawl runs, after it was killed, and when it is done."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
import uvloop

import weft
from tests.pipeline.crawling import CRAWL_WITHIN_S, crawl_all, quick_config, resume, until
from tests.pipeline.engine_process import ArchiveWatcher, engine, prepare_folder, weft_environment
from tests.pipeline.live_site import Answer, html, served
from weft.errors import FolderError
from weft.folder.reading import CrawlReader
from weft.in_thread import in_thread
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Delayed, Fixed, Stream

WEB = WebSpec(hosts=10, pages=150, seed=7, latency_ms=(5, 40))
SITE = "site.test"
LOOKS = 5


def test_a_finished_crawl_is_read_as_it_is(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", quick_config(sim))
        truth = sim.web.truth()
    with CrawlReader(tmp_path / "crawl") as reader:
        assert {row.url: row.status for row in reader.rows()} == truth.status
        assert [path for path, _, _ in reader.files()] == files.warcs
        assert [end for _, _, end in reader.files()] == [path.stat().st_size for path in files.warcs]
        assert reader.counters.pages == sum(200 <= status < 300 for status in truth.status.values())
        assert reader.config.seeds == tuple(sim.seeds)
        sizes = {row.url: row.body_bytes for row in files.rows if row.status == 200}
        for page in reader.pages():
            if page.status == 200:
                assert bool(page.body) == bool(sizes[page.url])
        dns = [side for _, _, side in reader.sides() if side.url.startswith("dns:")]
        assert {side.url for side in dns} == {f"dns:{host.name}" for host in sim.web.hosts} & {s.url for s in dns}
        assert dns


def test_read_gives_the_pages_and_nothing_else(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
        truth = sim.web.truth()
    found = [(page.url, page.status, len(page.body) > 0) for page in weft.read(tmp_path / "crawl")]
    assert sorted(found) == sorted((url, status, True) for url, status in truth.status.items() if 200 <= status < 300)
    assert len(list(weft.read(str(tmp_path / "crawl")))) == len(found), "a path may be a str"


def test_a_running_crawl_is_read_again_and_again_without_disturbing_it(tmp_path: Path) -> None:
    """Each look shows whole pages, never fewer than the look before, and the crawl does not notice.

    One page comes after some looks: the crawl cannot be over before.
    """
    looked = threading.Event()

    def late(path: str, headers: Mapping[str, str]) -> Answer:
        assert looked.wait(CRAWL_WITHIN_S)
        return html("late")

    async def look_on(crawl: Crawl) -> list[int]:
        seen: list[int] = []
        while crawl.ending is None:
            if (tmp_path / "crawl" / "state" / "db" / "CURRENT").exists() and crawl.counters.pages:
                seen.append(await in_thread(look))
            if len(seen) >= LOOKS:
                looked.set()
            await asyncio.sleep(0.01)
        return seen

    def look() -> int:
        with CrawlReader(tmp_path / "crawl") as reader:
            pages = [page for page in reader.pages() if page.status == 200]
            assert all(page.body for page in pages[-20:])
            return len(pages)

    async def both(crawl: Crawl) -> tuple[Ending, list[int]]:
        ending, seen = await asyncio.wait_for(asyncio.gather(crawl.run(), look_on(crawl)), CRAWL_WITHIN_S)
        return ending, seen

    with SimProcess(WEB) as sim, served(late) as site:
        seeds = (*sim.seeds, f"{site.origin}/")
        config = quick_config(sim, seeds=seeds, workers=2, response_timeout_s=CRAWL_WITHIN_S)
        ending, seen = uvloop.run(both(Crawl.create(tmp_path / "crawl", config)))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert len(seen) >= LOOKS
    assert seen == sorted(seen)
    assert seen[0] < look() == sum(status == 200 for status in truth.status.values()) + 1


def test_a_reader_sees_the_moment_of_its_opening_even_when_files_get_their_final_names(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Fixed(b'<!DOCTYPE html><title>Home</title><a href="/late">x</a>'),
        (SITE, "/late"): Delayed(1.0, Fixed(b"<!DOCTYPE html><title>Late</title>")),
    }

    async def open_midway(crawl: Crawl) -> CrawlReader:
        await until(lambda: crawl.counters.pages == 1)
        return CrawlReader(tmp_path / "crawl")

    async def both(crawl: Crawl) -> CrawlReader:
        _, reader = await asyncio.wait_for(asyncio.gather(crawl.run(), open_midway(crawl)), CRAWL_WITHIN_S)
        return reader

    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), response_timeout_s=20.0)
        with uvloop.run(both(Crawl.create(tmp_path / "crawl", config))) as reader:
            assert [page.title for page in reader.pages()] == ["Home"]
    assert {page.title for page in weft.read(tmp_path / "crawl")} == {"Home", "Late"}


def test_a_killed_crawl_can_be_read_and_then_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        prepare_folder(folder, quick_config(sim))
        watcher = ArchiveWatcher(folder)
        with engine(folder) as process:
            assert watcher.wait_for_writes(25, lambda: not process.is_running())
            process.kill_group()
        before = {page.url: page.body for page in weft.read(folder)}
        assert before
        assert all(before.values())
        resume(folder)
        truth = sim.web.truth()
    after = {page.url: page.body for page in weft.read(folder)}
    assert {url: after[url] for url in before} == before
    assert after.keys() == {url for url, status in truth.status.items() if 200 <= status < 300}


BUSY_WRITER = """
import os, sys
from pathlib import Path
from weft.state import State

state = State(Path(sys.argv[1]))
print("begun", flush=True)
while True:
    batch = state.batch()
    for _ in range(50):
        batch.put("seen", os.urandom(16), os.urandom(1000))
        batch.put("robots", os.urandom(16), os.urandom(1000))
    state.write(batch)
"""


def test_a_reader_gets_in_while_the_database_moves_its_files_about(tmp_path: Path) -> None:
    """A large crawl in a hurry: logs and tables come and go while the reader looks for them."""
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=5))
    database = tmp_path / "crawl" / "state" / "db"
    command = [sys.executable, "-c", BUSY_WRITER, str(database)]
    with subprocess.Popen(command, env=weft_environment(), stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"begun\n"
            for _ in range(15):
                with CrawlReader(tmp_path / "crawl") as reader:
                    assert sum(row.status == 200 for row in reader.rows()) == 5
            assert writer.poll() is None
        finally:
            writer.kill()


def test_a_reader_left_in_the_middle_keeps_nobody_from_the_folder(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=20))
        left = weft.read(tmp_path / "crawl")
        next(left)
        ending, _ = resume(tmp_path / "crawl", max_pages=40)
        assert ending is Ending.LIMIT
        assert len(list(left)) == 19, "it still shows what there was"


def test_a_crawl_that_never_ran_has_no_pages_and_says_so_in_words(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        prepare_folder(tmp_path / "crawl", quick_config(sim))
    try:
        pages = list(weft.read(tmp_path / "crawl"))
    except FolderError as error:
        assert str(tmp_path / "crawl") in str(error)  # noqa: PT017 — either way is right
    else:
        assert pages == []
    assert not (tmp_path / "crawl" / "state" / "db").exists(), "reading makes nothing"


def test_what_is_no_crawl_folder_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(FolderError, match=r"is not a crawl folder|there is no folder"):
            list(weft.read(path))


def test_a_record_that_is_gone_is_told_and_not_made_up(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=3))
    for path in files.warcs:
        path.unlink()
    page = next(weft.read(tmp_path / "crawl"))
    with pytest.raises(FolderError, match="cannot read"):
        _ = page.body


def test_a_body_is_read_back_up_to_the_size_that_a_page_promises(tmp_path: Path) -> None:
    large = 60_000_000  # a page gives up to 64 MB of its body
    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Stream(large, prefix=b"begin", content_type="text/plain")}
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, seeds=(sim.web.url(SITE, "/"),), response_timeout_s=20.0))
    (page,) = weft.read(tmp_path / "crawl")
    assert len(page.body) == large
