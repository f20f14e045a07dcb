"""flow.py is true: one page is followed on its way, on either side of the socket."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import weft.flow
from tests.pipeline.crawling import crawl_all, quick_config
from weft.config import CrawlConfig
from weft.fetch import replay
from weft.flow import PageProcessor
from weft.pipeline.engine import Ending, Engine
from weft.simweb import SimProcess, WebSpec
from weft.store import WarcWriter
from weft.types import Link

STEPS = re.findall(r"\| (engine|worker) +\| ([\w.]+) +\|", weft.flow.__doc__ or "")


class Trace:
    """Which functions of weft are called, and by whom, in their order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []  # function, and file of its caller

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and "/weft/" in frame.f_code.co_filename:
            caller = frame.f_back.f_code.co_filename if frame.f_back is not None else ""
            self.calls.append((frame.f_code.co_qualname, caller))


@contextmanager
def traced() -> Iterator[Trace]:
    trace = Trace()
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)


def in_order(calls: list[str], wanted: list[str]) -> list[str]:
    """The calls among these as they came, a repetition of the one before left out."""
    found: list[str] = []
    for call in calls:
        if call in wanted and (not found or found[-1] != call):
            found.append(call)
    return found


def functions(side: str) -> list[str]:
    return [function for where, function in STEPS if where == side]


def test_the_table_has_both_sides() -> None:
    assert len(functions("engine")) >= 6
    assert len(functions("worker")) >= 5


def test_the_engine_takes_the_steps_of_the_table_in_their_order(tmp_path: Path) -> None:
    calls = [function for function, _ in last_visit(tmp_path)]
    assert in_order(calls, functions("engine")) == functions("engine")


def test_a_page_enters_the_engine_class_once_on_its_way_down_and_once_on_its_way_up(tmp_path: Path) -> None:
    """Called from outside is only its pump, which hands out the turn, and looks again whenever something has ended."""
    engine_file = sys.modules[Engine.__module__].__file__ or ""
    entered = [
        function
        for function, caller in last_visit(tmp_path, after_commit=True)
        if function.startswith("Engine.") and caller != engine_file
    ]
    assert set(entered) - BESIDE_THE_WAY == {"Engine._pump"}


# Asked every second by those who keep the crawl safe and balanced, whatever page is under way.
BESIDE_THE_WAY = {"Engine.end_if_late", "Engine.resize"}


def last_visit(folder: Path, *, after_commit: bool = False) -> list[tuple[str, str]]:
    """The calls from the turn of a crawl's only page to its commit."""
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim, traced() as trace:
        config = quick_config(sim, ignore_robots=True, sitemaps=False, fixed=True, max_pages=1)
        ending, _ = crawl_all(folder / "crawl", config)
    assert ending in (Ending.DONE, Ending.LIMIT)
    names = [function for function, _ in trace.calls]
    fetched_at = names.index("Fetcher.fetch")
    begin = max(at for at, name in enumerate(names[:fetched_at]) if name == "Frontier.next")
    end = names.index("Ledger.write", names.index("Ledger.finish"))
    if after_commit:
        end = names.index("Engine._pump", end)
    return trace.calls[begin : end + 1]


def test_a_worker_takes_the_steps_of_the_table_in_their_order(tmp_path: Path) -> None:
    url = "http://a.example/"
    fetched = replay(url, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/x>x</a><p>text")
    archive = WarcWriter(str(tmp_path / "x.warc.gz"), 1, 0, {})
    processor = PageProcessor(
        CrawlConfig(seeds=(url,), with_forms=("html",)), [url], archive, lambda links, refused: None
    )
    with traced() as trace:
        processor.process(Link(url, 0), fetched, None, is_parsed=True, may_be_large=True)
    archive.close()
    assert in_order([function for function, _ in trace.calls], functions("worker")) == functions("worker")
