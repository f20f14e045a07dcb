"""Functions that do all they should not, over an archive: each costs its page's items at most, and nothing else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from bench.made_archive import MadePage, make_archive
from tests.pipeline import unruly
from tests.pipeline.unruly import BAD, FAILING, GOING_ON
from tests.scratch import scratch_folder

from .rig import items_in

GOOD = [f"http://site.test/{number}" for number in range(60)]
NAMES = [*FAILING, *GOING_ON]
ENDING = {"swallow", "exit_at_once", "close_all"}  # their worker


class Extracted:
    """An archive of good and bad pages, and what came of it."""

    def __init__(self, folder: Path) -> None:
        bad = [f"http://site.test{BAD}{name}" for name in NAMES]
        urls = [url for pair in zip(GOOD, [*bad, *bad[: len(GOOD) - len(bad)]], strict=False) for url in pair]
        make_archive(folder / "crawl", (MadePage(url, b"<p>x") for url in dict.fromkeys([*urls, *GOOD])))
        out = folder / "out.jsonl"
        self.summary = asyncio.run(
            weft.extract(folder / "crawl", unruly.misbehave, out, workers=2, handler_time=1.0, handler_memory="150M")
        )
        self.items = items_in(out)
        self.failed = {line["url"]: line for line in items_in(folder / "out.jsonl.failed.jsonl")}
        self.log = (folder / "out.jsonl.log").read_text(errors="replace")


@pytest.fixture(scope="module")
def extracted() -> Iterator[Extracted]:
    with scratch_folder() as folder:
        yield Extracted(folder)


def test_all_pages_are_done_and_the_items_of_good_ones_come_once(extracted: Extracted) -> None:
    summary = extracted.summary
    assert (summary.pages, summary.exit) == (len(GOOD) + len(NAMES), "done")
    urls = Counter(item["url"] for item in extracted.items if isinstance(item, dict))
    assert urls == Counter(GOOD)
    given = Counter(item for item in extracted.items if isinstance(item, str))
    assert given == Counter(
        {"before": 1, "forked": 2, "closed": 1, "replaced": 1, "started": 1, "changed": 2, "printed": 1}
    )


@pytest.mark.parametrize("name", FAILING)
def test_each_that_fails_is_named_with_its_page_and_why(extracted: Extracted, name: str) -> None:
    line = extracted.failed[f"http://site.test{BAD}{name}"]
    if name in ENDING:
        assert "its worker failed: exit code" in line["reason"]
    else:
        assert "misbehave" in line["reason"]
        assert line["traceback"]


def test_nothing_else_fails(extracted: Extracted) -> None:
    assert extracted.failed.keys() == {f"http://site.test{BAD}{name}" for name in FAILING}
    assert extracted.summary.failed == len(FAILING)
    assert len(extracted.log) < 20_000_000, "floods are bounded"


def test_functions_that_keep_more_and_more_get_other_workers_and_each_item_comes_once(tmp_path: Path) -> None:
    make_archive(tmp_path / "crawl", (MadePage(url, b"<p>x") for url in GOOD))
    out = tmp_path / "out.jsonl"
    summary = asyncio.run(weft.extract(tmp_path / "crawl", unruly.hoard, out, workers=1, handler_memory="200M"))
    items = items_in(out)
    assert sorted(item["url"] for item in items) == sorted(GOOD)
    by_worker = Counter(item["worker"] for item in items)
    assert len(by_worker) > 1
    assert max(by_worker.values()) * 20_000_000 < 600_000_000
    assert (summary.failed, summary.worker_deaths) == (0, 0), "they make room of themselves"
