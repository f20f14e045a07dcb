"""The processes that write a mirror's files."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import repeat
from pathlib import Path

import pytest

from tests.pipeline.engine_process import children_of, cmdline
from weft.api.mirror import Mirroring
from weft.api.summary import crawl_to_end
from weft.errors import FolderError
from weft.folder.layout import CRAWL_FOLDER, database_of
from weft.mirror.site import placing
from weft.mirror.site.known import KnownUrl, known_rows
from weft.mirror.site.messages import Share, Told, decode_told
from weft.mirror.site.writers import PAGES_PER_WRITER, Writers, are_wanted_soon, go_on_for_long, writers_for
from weft.pipeline.crawl import Crawl
from weft.state import State
from weft.workers.frames import frame, received
from weft.workers.process import start_child

from .site_server import Site, page, serving

TIMEOUT_S = 60
QUICK = {"allow_private": True, "delay_s": 0, "workers": 1, "user_agent": "test"}


def writer(told: bytes | bytearray) -> tuple[int, list[Told]]:
    """A writer by itself: its exit code, and what it tells."""
    process, connection = start_child("weft.mirror.site.writer")
    with connection:
        connection.sendall(told)
        connection.shutdown(socket.SHUT_WR)
        news = [decode_told(body) for body, _ in received(connection)]
    return process.wait(TIMEOUT_S), news


def test_a_writer_begins_only_when_it_is_told(tmp_path: Path) -> None:
    share = Share(str(tmp_path), 0, 1, is_complete=True)  # the folder has no mirror, so one that begins says so
    assert any(news.error for news in writer(frame(share))[1])
    assert writer(b"") == (0, [])


def test_what_a_writer_cannot_do_ends_all_with_its_reason(tmp_path: Path) -> None:
    with closing(Writers(tmp_path, 2)) as writers:
        writers.begin(is_complete=True)
        with pytest.raises(FolderError, match="no"):
            writers.end(lambda files: None)


@pytest.mark.parametrize(
    ("pages", "writers"),
    [(0, 1), (2 * PAGES_PER_WRITER - 1, 1), (2 * PAGES_PER_WRITER, 2), (100 * PAGES_PER_WRITER, 4)],
)
def test_there_are_as_many_writers_as_are_worth_their_start(pages: int, writers: int) -> None:
    assert writers_for(pages, most=4) == writers


@pytest.mark.parametrize(
    ("pages", "queued", "workers", "are_wanted"),
    [
        (PAGES_PER_WRITER, 150, 1, True),
        (PAGES_PER_WRITER, 151, 1, False),  # there is more to do
        (PAGES_PER_WRITER - 1, 0, 1, False),  # a crawl that has just begun may have nothing in its queue, too
        (PAGES_PER_WRITER, 150, 2, False),  # they would take what the crawl needs
    ],
)
def test_writers_load_when_a_crawl_only_waits_for_its_last_answers(
    pages: int, queued: int, workers: int, are_wanted: bool
) -> None:
    assert are_wanted_soon(pages, queued, 75.0, workers) is are_wanted
    assert not go_on_for_long(queued, 75.0)
    assert go_on_for_long(5_000, 75.0)


def test_writers_that_are_not_needed_end(tmp_path: Path) -> None:
    writers = Writers(tmp_path, 2)
    writers.close()
    assert _children() == []


def test_writers_are_there_when_the_crawl_has_ended_and_end_with_the_run(tmp_path: Path) -> None:
    with serving(Site()) as site:
        site.put("/", page("home"))
        mirroring = Mirroring(tmp_path / "out", (site.url("/"),), QUICK, {}, update=False)
        assert mirroring.crawl is not None
        with closing(mirroring):
            summary = asyncio.run(crawl_to_end(mirroring.crawl))
            _wait_for_children()
            assert mirroring.finish(summary).written == 1
            assert _children() == []
        again = Mirroring(tmp_path / "out", (), {}, {}, update=True)
        assert again.crawl is not None
        with closing(again):  # nobody wants files: the system goes down, perhaps
            asyncio.run(crawl_to_end(again.crawl))
        assert _children() == []


def test_the_database_takes_no_memory_while_files_are_written(tmp_path: Path) -> None:
    told: list[int] = []

    def progress(files: int) -> None:
        State(database_of(tmp_path / "out" / CRAWL_FOLDER)).close()  # only one can have it open to write
        told.append(files)

    with serving(Site()) as site:
        site.put("/", page("home"))
        mirroring = Mirroring(tmp_path / "out", (site.url("/"),), QUICK, {}, update=False)
        assert mirroring.crawl is not None
        with closing(mirroring):
            assert mirroring.finish(asyncio.run(crawl_to_end(mirroring.crawl)), progress).written == 1
    assert told


def test_a_cancel_while_files_get_their_names_is_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancelled(crawl: Crawl) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def endless(state: State, *, is_complete: bool) -> Iterator[KnownUrl]:
            (first,) = known_rows(state, is_complete=is_complete)
            loop.call_soon_threadsafe(task.cancel)
            yield from repeat(first)

        monkeypatch.setattr(placing, "known_rows", endless)
        await crawl_to_end(crawl)

    with serving(Site()) as site:
        site.put("/", page("home"))
        mirroring = Mirroring(tmp_path / "out", (site.url("/"),), QUICK, {}, update=False)
        assert mirroring.crawl is not None
        with closing(mirroring), pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled(mirroring.crawl))


def test_a_writer_does_not_load_the_engine() -> None:
    code = "import sys, weft.mirror.site.writer; print('weft.pipeline.engine' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=TIMEOUT_S, check=True, text=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert told.stdout == "False\n"


def _wait_for_children() -> None:
    """A process that has just been started may not have its name yet."""
    give_up_at = time.monotonic() + TIMEOUT_S
    while not _children():
        assert time.monotonic() < give_up_at, "no writer was started"
        time.sleep(0.01)


def _children() -> list[int]:
    """Processes of this one that run a writer."""
    return [pid for pid in children_of(os.getpid()) if b"weft.mirror.site.writer" in cmdline(pid)]
