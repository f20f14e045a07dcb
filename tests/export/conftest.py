"""What the tests of this folder share, since it takes seconds to make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scratch import scratch_folder
from weft.export import Content, Source
from weft.export.wacz import write_wacz
from weft.folder.reading import CrawlReader
from weft.whole_file import appears_whole

from .judged_crawl import JudgedCrawl, ignore
from .judges import Pywb, judge, running_pywb


@pytest.fixture(scope="session")
def judged() -> Iterator[JudgedCrawl]:
    """A crawl that has ended."""
    with scratch_folder() as folder:
        yield JudgedCrawl(folder / "crawl")


@pytest.fixture
def reader(judged: JudgedCrawl) -> Iterator[CrawlReader]:
    """The crawl, opened for reading."""
    with CrawlReader(judged.folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def wacz(judged: JudgedCrawl, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crawl as a WACZ file, texts included."""
    path = tmp_path_factory.mktemp("wacz") / "judged.wacz"
    with CrawlReader(judged.folder) as opened, appears_whole(path) as out:
        write_wacz(Source(opened, content=Content(("text",))), out, ignore)
    return path


@pytest.fixture(scope="session")
def pywb(judged: JudgedCrawl, wacz: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pywb]:
    """pywb with two collections: `folder`, which uses our archive and index as they are, and `wacz`."""
    home = tmp_path_factory.mktemp("pywb")
    assert judge("wb-manager", "init", "wacz", cwd=home).returncode == 0
    added = judge("wb-manager", "add", "--unpack-wacz", "wacz", wacz, cwd=home)
    assert added.returncode == 0, added.stderr
    (home / "config.yaml").write_text(
        f"collections:\n  folder:\n    index_paths: {judged.index}\n    archive_paths: {judged.folder}/archive/\n"
    )
    with running_pywb(home) as served:
        yield served
