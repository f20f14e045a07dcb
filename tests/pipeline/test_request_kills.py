"""Kills while functions and programs ask for more: items and requests are as undisturbed, and what was posted and
committed is never posted again.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.faults.crawls import WITHIN_S, Run
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl

from .askers import CHAINS, LAST
from .crawling import CrawlFiles, is_clean_for_warcio
from .engine_process import await_others, weft_environment
from .live_site import Answer, html
from .posting_site import Asked, PostingSite, posting

HERE = f"{__package__}.askers"
NUMBERS = [b"number=%d" % number for number in range(LAST + 1)]


def numbers(asked: Asked) -> Answer:
    """What is posted comes back as the title; every third by a redirect."""
    number = asked.body.decode().rpartition("=")[2] or asked.path.rpartition("/")[2]
    if asked.method == "POST" and int(number) % 3 == 0:
        return 303, {"Location": f"/is/{number}"}, ""
    return html("", number or "home")


@contextmanager
def functions(folder: Path) -> Iterator[Run]:
    """The command, whose functions ask in workers."""
    run = Run("resume", str(folder), "--quiet")
    try:
        yield run
    finally:
        run.kill()


class Program:
    """A program that iterates."""

    def __init__(self, folder: Path) -> None:
        arguments = [sys.executable, "-m", f"{__package__}.counting_program", str(folder)]
        self._popen = subprocess.Popen(arguments, env=weft_environment(), start_new_session=True)

    def is_over(self) -> bool:
        return self._popen.poll() is not None

    def wait(self) -> int:
        return self._popen.wait(WITHIN_S)

    def kill(self) -> None:
        if self._popen.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait(WITHIN_S)


@contextmanager
def program(folder: Path) -> Iterator[Program]:
    """A program, which asks in the engine's process."""
    run = Program(folder)
    try:
        yield run
    finally:
        run.kill()


def posted_in(folder: Path) -> set[bytes]:
    """What has its page."""
    with CrawlReader(folder) as reader:
        return {row.parts.body for row in reader.rows() if row.parts is not None and row.parts.method == "POST"}


def crawl_with_kills(site: PostingSite, folder: Path, kills: int, *, by_program: bool) -> None:
    """To the end, by processes that are killed on the way; what is committed must not be posted again."""
    extractors = () if by_program else (f"{HERE}:count_on",)
    Crawl.create(folder, site.config(extractors=extractors)).folder.close()
    chance = random.Random(kills)
    known: list[tuple[int, set[bytes]]] = []  # at each kill: how much was asked for, and what was committed
    for _ in range(kills):
        with (program if by_program else functions)(folder) as run:
            target = len(site.asked) + chance.randrange(1, max(2, 80 // kills))
            await_others(lambda: len(site.asked) >= target or run.is_over(), "requests")  # noqa: B023  # within the turn
            run.kill()
        known.append((len(site.asked), posted_in(folder)))
    with (program if by_program else functions)(folder) as run:
        assert run.wait() == 0
    for before, committed in known:
        assert not committed.intersection(one.body for one in site.asked[before:] if one.method == "POST")


KILLS = [pytest.param(4), pytest.param(30, marks=pytest.mark.large)]


@pytest.mark.parametrize("by_program", [False, True])
@pytest.mark.parametrize("kills", KILLS)
def test_items_and_requests_are_as_undisturbed(tmp_path: Path, kills: int, by_program: bool) -> None:
    with posting(numbers) as site:
        crawl_with_kills(site, tmp_path / "crawl", kills, by_program=by_program)
    posts = Counter(site.posts())
    assert posts.keys() == set(NUMBERS)
    assert sum(posts.values()) - len(NUMBERS) <= kills * CHAINS, "what was under way, or not committed"
    assert posted_in(tmp_path / "crawl") == set(NUMBERS)
    files = CrawlFiles(tmp_path / "crawl")
    assert is_clean_for_warcio(files)
    answered = Counter(row.url.removeprefix(site.origin) for row in files.rows)
    answers = {f"/is/{number}" for number in range(0, LAST + 1, 3)}
    assert answered == Counter({"/": 1, "/count": LAST + 1} | dict.fromkeys(answers, 1))
    if not by_program:
        lines = (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()
        assert sorted(json.loads(line)["number"] for line in lines) == list(range(LAST + 1))
