"""A reader may leave at any moment, however it leaves: the crawl ends, and nothing is lost."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

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
    until,
    workers,
)
from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent
from tests.pipeline.engine_process import weft_environment
from weft.errors import FolderError
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess


@pytest.mark.parametrize("run", LOOPS)
def test_break_in_a_with_block_ends_everything_and_the_rest_comes_with_resume(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    first: list[str] = []
    rest: list[str] = []

    async def main() -> None:
        async with asyncio.timeout(WITHIN_S), weft.crawl(home(sim), output=folder, **quick(sim)) as crawling:
            async for page in crawling:
                first.append(page.url)
                if len(first) == 10:
                    break
        assert workers() == []
        files = CrawlFiles(folder)
        assert_archive_is_consistent(files)
        assert {row.url for row in files.rows} >= set(first)
        rest.extend(await all_urls(weft.crawl(output=folder)))

    with serving(pages := site(200)) as sim:
        run(main())
        expected = {sim.web.url(host, path) for host, path in pages}
    assert set(first + rest) == expected, "no page is missed"
    twice = [url for url, times in Counter(first + rest).items() if times > 1]
    assert twice == [first[-1]], "what the reader had not finished comes again, and nothing else"
    assert_archive_is_consistent(CrawlFiles(folder))
    answered = {url: sum(request.whole for request in asked) for url, asked in requests_of(sim).items()}
    assert answered == dict.fromkeys(expected, 1), "what comes again comes from the archive"


@pytest.mark.parametrize("run", LOOPS)
def test_break_without_a_with_block_ends_the_crawl_soon(run: Run, tmp_path: Path) -> None:
    """Without the help of the garbage collector, which may come much later or never."""

    async def main() -> None:
        async for _ in weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim)):
            break
        await until((tmp_path / "crawl" / "pages.jsonl").exists, "the end of the crawl")
        assert workers() == []
        seen_by_then.append(len(CrawlFiles(tmp_path / "crawl").rows))

    seen_by_then: list[int] = []
    gc.disable()
    try:
        with serving(site(2000)) as sim:
            run(main())
    finally:
        gc.enable()
    assert 1 <= seen_by_then[0] < 500


def test_a_crawl_that_still_has_a_name_ends_as_well_when_its_loop_is_left(tmp_path: Path) -> None:
    async def main() -> None:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        async for _ in crawling:
            break
        await until((tmp_path / "crawl" / "pages.jsonl").exists, "the end of the crawl")
        assert workers() == []
        assert isinstance(crawling, weft.Crawling)

    gc.disable()
    try:
        with serving(site(2000)) as sim:
            uvloop.run(main())
    finally:
        gc.enable()


def test_after_a_break_another_crawl_can_have_the_folder_soon(tmp_path: Path) -> None:
    async def main() -> None:
        async with asyncio.timeout(WITHIN_S):
            async for page in weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim)):
                first.append(page.url)
                break
            while True:
                try:
                    rest.extend(await all_urls(weft.crawl(output=tmp_path / "crawl")))
                except FolderError:  # it is in use as long as the first crawl ends
                    await asyncio.sleep(0.05)
                else:
                    return

    first: list[str] = []
    rest: list[str] = []
    with serving(pages := site(30)) as sim:
        uvloop.run(main())
        assert {sim.web.url(host, path) for host, path in pages} == set(first + rest)


@pytest.mark.parametrize("run", LOOPS)
def test_an_exception_in_the_loop_comes_out_and_ends_the_crawl(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        async with weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim)) as crawling:
            async for page in crawling:
                raise ZeroDivisionError(page.url)

    with serving(site(100)) as sim:
        with pytest.raises(ZeroDivisionError, match=SITE):
            run(main())
        assert workers() == []
        assert len(uvloop.run(all_urls(weft.crawl(output=tmp_path / "crawl")))) == 101


def test_a_cancelled_reader_ends_the_crawl_in_order(tmp_path: Path) -> None:
    async def read(crawling: weft.Crawling) -> None:
        async with crawling:
            async for page in crawling:
                came.append(page.url)
                some_came.set()

    async def main() -> None:
        settings = quick(sim) | CrawlSettings(rate=10.0)  # so it has not ended before
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **settings)
        reading = asyncio.ensure_future(read(crawling))
        async with asyncio.timeout(WITHIN_S):
            await some_came.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert workers() == []
        assert crawling.summary is not None, "it was not cut off: it had its time of grace"
        assert crawling.summary.exit == "interrupted"
        rest.extend(await all_urls(weft.crawl(output=tmp_path / "crawl", rate=None)))

    came: list[str] = []
    rest: list[str] = []
    some_came = asyncio.Event()
    with serving(pages := site(200)) as sim:
        uvloop.run(main())
        expected = {sim.web.url(host, path) for host, path in pages}
    assert set(came + rest) == expected


def test_a_stop_before_the_crawl_is_opened_is_not_forgotten(tmp_path: Path) -> None:
    async def main() -> None:
        crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim))
        reading = asyncio.ensure_future(all_urls(crawling))
        leaving = asyncio.ensure_future(crawling.__aexit__(None, None, None))  # its turn is before the crawl's first
        await leaving
        assert crawling.summary is not None
        assert (crawling.summary.exit, crawling.summary.pages) == ("interrupted", 0)
        assert await reading == []

    with serving(site(20)) as sim:
        uvloop.run(main())
        assert requests_of(sim) == {}


PROGRAM = """
import asyncio, sys
import weft
from tests.api.site import quick

async def main(url, dns, output):
    class Sim: pass
    sim = Sim()
    sim.dns = dns
    async for page in weft.crawl(*([url] if url else []), output=output or None, **quick(sim)):
        print(page.url, flush=True)
        {body}

asyncio.run(main(*sys.argv[1:4]))
"""


def program(sim: SimProcess, body: str, *, url: str, output: Path | None, temporary: Path) -> subprocess.Popen[str]:
    """A user's program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("{body}", body), url, sim.dns, str(output or "")],
        env=weft_environment() | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def lines_until_it_ends(process: subprocess.Popen[str], lines: int, by: signal.Signals) -> tuple[list[str], str]:
    """What a program prints that gets a signal after so many lines, and its last words."""
    assert process.stdout is not None
    assert process.stderr is not None
    told = [process.stdout.readline().strip() for _ in range(lines)]
    os.killpg(process.pid, by)
    told += process.stdout.read().splitlines()  # `communicate` would pass over what is buffered
    errors = process.stderr.read()
    process.communicate(timeout=WITHIN_S)
    return told, errors


@pytest.mark.parametrize("keeps_folder", [True, False])
def test_a_program_that_ends_with_a_break_ends_in_silence(keeps_folder: bool, tmp_path: Path) -> None:
    """As a first program would be written: no `async with`, and nothing after the loop."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    output = tmp_path / "crawl" if keeps_folder else None
    with serving(pages := site(300)) as sim:
        process = program(sim, "break", url=home(sim), output=output, temporary=temporary)
        told, errors = process.communicate(timeout=WITHIN_S)
        assert (told.splitlines(), errors, process.returncode) == ([home(sim)], "", 0)
        assert list(temporary.iterdir()) == []
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
        if output is not None:
            rest = uvloop.run(all_urls(weft.crawl(output=output)))
            assert set(rest) == {sim.web.url(host, path) for host, path in pages}
            assert_archive_is_consistent(CrawlFiles(output))


@pytest.mark.parametrize("keeps_folder", [True, False])
def test_a_program_that_is_interrupted_leaves_nothing_behind(keeps_folder: bool, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of the terminal at once."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    output = tmp_path / "crawl" if keeps_folder else None
    with serving(pages := site(2000)) as sim:
        process = program(sim, "pass", url=home(sim), output=output, temporary=temporary)
        told, errors = lines_until_it_ends(process, 20, signal.SIGINT)
        assert process.returncode == -signal.SIGINT
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert len(told) < 2000
        assert list(temporary.iterdir()) == []
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
        if output is not None:
            rest = uvloop.run(all_urls(weft.crawl(output=output)))
            assert set(told + rest) == {sim.web.url(host, path) for host, path in pages}


@pytest.mark.parametrize("keeps_folder", [True, False])
def test_a_program_that_fails_in_the_loop_tells_its_own_error_only(keeps_folder: bool, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with serving(site(300)) as sim:
        output = tmp_path / "crawl" if keeps_folder else None
        process = program(sim, "1 / 0", url=home(sim), output=output, temporary=temporary)
        _, errors = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 1
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("ZeroDivisionError: division by zero")
    assert list(temporary.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_after_a_kill_every_page_comes_that_the_reader_had_not_finished(tmp_path: Path) -> None:
    with serving(pages := site(300)) as sim:
        process = program(sim, "pass", url=home(sim), output=tmp_path / "crawl", temporary=tmp_path)
        told, _ = lines_until_it_ends(process, 50, signal.SIGKILL)
        rest = uvloop.run(all_urls(weft.crawl(output=tmp_path / "crawl")))
        expected = {sim.web.url(host, path) for host, path in pages}
    assert set(told + rest) == expected
    assert set(told[:-1]).isdisjoint(rest[:-1]), "the pages before the last were finished"
    assert max(Counter(rest).values(), default=1) == 1
    assert_archive_is_consistent(CrawlFiles(tmp_path / "crawl"))


def test_a_folder_that_this_program_still_has_is_told_with_how_to_wait_for_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with weft.crawl(home(sim), output=tmp_path / "crawl", **quick(sim)) as crawling:
            async for _ in crawling:
                with pytest.raises(FolderError, match=r"in use by this program.* `async with` block"):
                    await weft.resume(tmp_path / "crawl").run()
                break

    with serving(site(30)) as sim:
        uvloop.run(main())
